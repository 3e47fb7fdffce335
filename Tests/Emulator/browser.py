"""Plays a user's browser, over plain HTTP: follows redirects, fills the foreign provider's form, keeps cookies."""

from __future__ import annotations

import http.client
import ssl
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

_MOST_STEPS = 20


class PageError(Exception):
    """The way ended at a page that is neither a form nor the application's address."""


class Browser:
    """With one user in front of it, whom the foreign provider remembers in a cookie."""

    def __init__(self, ca: str) -> None:
        self._trust = ssl.create_default_context(cafile=ca)
        self._cookies: dict[str, SimpleCookie] = {}

    def sign_in(self, address: str, name: str, password: str) -> str:
        """The address that the browser ends at, which is not fetched: redirect_uri?code=...&state=..."""
        return self._walk(address, {"username": name, "password": password, "action": "sign_in"})

    def deny(self, address: str) -> str:
        """The same for a user who refuses: redirect_uri?error=access_denied..."""
        return self._walk(address, {"action": "deny"})

    def _walk(self, address: str, filled: dict[str, str]) -> str:
        end = parse_qs(urlsplit(address).query).get("redirect_uri", [""])[0]
        body: str | None = None
        for _ in range(_MOST_STEPS):
            status, location, page = self._fetch(address, body)
            body = None
            if location:
                address = urljoin(address, location)
                if end and address.startswith(f"{end}{'&' if '?' in end else '?'}"):
                    return address
            elif status == 200 and filled and '<form method="post">' in page:
                body, filled = urlencode(filled), {}
            else:
                raise PageError(f"{status} at {address}: {page[:500]}")
        raise PageError(f"more than {_MOST_STEPS} steps, the last one at {address}")

    def _fetch(self, address: str, body: str | None) -> tuple[int, str, str]:
        parts = urlsplit(address)
        kept = self._cookies.setdefault(parts.netloc, SimpleCookie())
        headers = {"User-Agent": "Mozilla/5.0 (a test's browser)"}
        if kept:
            headers["Cookie"] = "; ".join(f"{name}={cookie.value}" for name, cookie in kept.items())
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPSConnection(parts.netloc, timeout=60, context=self._trust)
        try:
            target = f"{parts.path}?{parts.query}" if parts.query else parts.path
            connection.request("GET" if body is None else "POST", target, body, headers)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                kept.load(cookie)
            return answer.status, answer.headers.get("Location", ""), answer.read().decode("utf-8", "replace")
        finally:
            connection.close()
