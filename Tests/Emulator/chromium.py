"""Chromium plays a user: signs in at the identity provider's form and reads the redirect page.

usage: python3 -m Emulator.chromium ADDRESS [NAME PASSWORD]

ADDRESS is what a sign-in shows, or an address of the redirect page. Without a name, the user presses "Deny" if a
form comes. Prints the texts of the redirect page as a JSON object. docs/redirect.html is served at REDIRECT_URI
meanwhile. Chromium is driven by WebDriver (https://www.w3.org/TR/webdriver2/).
"""

from __future__ import annotations

import functools
import http.client
import http.server
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

_PORT = 8400
REDIRECT_URI = f"http://localhost:{_PORT}/redirect.html"
_PAGES = Path(__file__).resolve().parents[2] / "docs"
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_READ = """
    const shown = (id) => { const found = document.getElementById(id); return found && !found.hidden; };
    const text = (id) => document.getElementById(id).textContent;
    if (!shown("found") && !shown("missing")) return null;
    const names = shown("found") ? ["code", "host", "user", "service", "client", "time"] : ["error"];
    return Object.fromEntries([...names.map((name) => [name, text(name)]), ["address", location.href],
        ["elements", String(document.querySelectorAll("body *").length)]]);
"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


class Chromium:
    """One browser without a window, and with a profile of its own."""

    def __init__(self, directory: str) -> None:
        self._driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        assert self._driver.stdout
        started = next(line for line in self._driver.stdout if "started successfully on port" in line)
        self._port = int(started.rstrip(".\n").rpartition(" ")[2])
        # --no-sandbox: it runs as root, in a test machine. The emulator's certificate is not in its store.
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={directory}"]
        capabilities = {"acceptInsecureCerts": True, "goog:chromeOptions": {"args": arguments}}
        self._session = ""
        created = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._session = f"/session/{created['sessionId']}"
        self._call("POST", "/timeouts", {"implicit": 0, "pageLoad": 60_000})

    def close(self) -> None:
        self._call("DELETE", "")
        self._driver.terminate()
        self._driver.wait()

    def _call(self, method: str, path: str, body: dict | None = None):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        headers = {"Content-Type": "application/json"}
        connection.request(method, self._session + path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        value = json.loads(answer.read())["value"]
        if answer.status != 200:
            raise RuntimeError(f"{path}: {value['error']}: {value['message']}")
        return value

    def _elements(self, selector: str) -> list[str]:
        found = self._call("POST", "/elements", {"using": "css selector", "value": selector})
        return [element[_ELEMENT] for element in found]

    def open(self, address: str, name: str | None, password: str | None) -> dict:
        """What the redirect page shows in the end. Each step waits for the next page (page load strategy "normal")."""
        self._call("POST", "/url", {"url": address})
        if name is None:
            for button in self._elements("button[value=deny]"):
                self._call("POST", f"/element/{button}/click", {})
        else:
            for field, text in (("username", name), ("password", password)):
                [element] = self._elements(f"input[name={field}]")
                self._call("POST", f"/element/{element}/clear", {})
                self._call("POST", f"/element/{element}/value", {"text": text})
            [button] = self._elements("button[value=sign_in]")
            self._call("POST", f"/element/{button}/click", {})
        shown = self._call("POST", "/execute/sync", {"script": _READ, "args": []})
        if shown is None:
            raise RuntimeError("The browser did not end at the redirect page.")
        return shown


def main() -> None:
    address, name, password = [*sys.argv[1:], None, None][:3]
    pages = http.server.ThreadingHTTPServer(
        ("localhost", _PORT), functools.partial(_Quiet, directory=_PAGES.as_posix())
    )
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as directory:
        chromium = Chromium(directory)
        try:
            print(json.dumps(chromium.open(str(address), name, password)))
        finally:
            chromium.close()


if __name__ == "__main__":
    main()
