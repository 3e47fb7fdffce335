"""Every secret that the emulator has seen or made, so that a test can search logs and files for them.

What a client proved without sending it (a wrong password under SRP) cannot be known here; the harness adds such values
with `note_secret`.
"""

from __future__ import annotations

import itertools

_SECRET_MEMBERS = {
    "PASSWORD": "password",
    "NEW_PASSWORD": "password",
    "Password": "password",
    "TemporaryPassword": "password",
    "PreviousPassword": "password",
    "ProposedPassword": "password",
    "AccessToken": "access_token",
    "IdToken": "id_token",
    "RefreshToken": "refresh_token",
    "REFRESH_TOKEN": "refresh_token",
    "Token": "refresh_token",
    "ClientSecret": "client_secret",
    "SecretKey": "key",
    "SessionToken": "key",
    "WebIdentityToken": "id_token",
    "Session": "session",
    "SECRET_BLOCK": "secret_block",
    "PASSWORD_CLAIM_SECRET_BLOCK": "secret_block",
    "PASSWORD_CLAIM_SIGNATURE": "claim_signature",
    "SECRET_HASH": "secret_hash",
    "SecretHash": "secret_hash",
    "SecretCode": "totp_secret",
    "SMS_MFA_CODE": "code",
    "SOFTWARE_TOKEN_MFA_CODE": "code",
    "EMAIL_OTP_CODE": "code",
    "SMS_OTP_CODE": "code",
    "ConfirmationCode": "code",
    "UserCode": "code",
    "ANSWER": "answer",
}
# What ANSWER holds where it is a choice and not an answer.
_CHOICES = {
    "EMAIL_MFA",
    "EMAIL_OTP",
    "PASSWORD",
    "PASSWORD_SRP",
    "SMS_MFA",
    "SMS_OTP",
    "SOFTWARE_TOKEN_MFA",
    "WEB_AUTHN",
}
_MAXIMUM_ENTRIES = 50_000
_MAXIMUM_DEPTH = 20


class SecretLedger:
    """An ordered set of (kind, value)."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], None] = {}

    def note(self, kind: str, value: object) -> None:
        if kind == "answer" and value in _CHOICES:
            return
        if isinstance(value, str) and value and len(self._entries) < _MAXIMUM_ENTRIES:
            self._entries[(kind, value)] = None

    def collect(self, document: object, depth: int = 0) -> None:
        """Take every secret member out of a request or an answer, wherever it is nested."""
        if depth > _MAXIMUM_DEPTH:
            return
        if isinstance(document, dict):
            for key, value in document.items():
                if isinstance(value, str):
                    if key in _SECRET_MEMBERS:
                        self.note(_SECRET_MEMBERS[key], value)
                elif key != "TokenValidityUnits":  # its members are called like tokens, and say "seconds"
                    self.collect(value, depth + 1)
        elif isinstance(document, list):
            for value in document:
                self.collect(value, depth + 1)

    def entries(self, since: int = 0) -> list[dict[str, str]]:
        """In the order in which they became known, without the first `since`."""
        return [{"kind": kind, "value": value} for kind, value in itertools.islice(self._entries, since, None)]
