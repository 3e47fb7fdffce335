"""What is asked in the recorded answers of Cognito (`Tests/Conformance/answers.json`), asked of the emulator: the same
error by name and text, or an answer of the same members.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import hmac
import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from Emulator import app_codes
from Emulator.asking import post

CONFORMANCE = json.loads((Path(__file__).resolve().parents[1] / "Conformance" / "answers.json").read_text())
FORMS = CONFORMANCE["forms"]
#: A text in the place of what the emulator is given says why it is not asked.
ASKED = [answer for answer in CONFORMANCE["answers"] if isinstance(answer["emulator"], dict)]
NAME, PASSWORD = "alice", "Correct-Horse-9!"
FLOWS = ["USER_SRP", "USER_PASSWORD", "REFRESH_TOKEN", "USER", "CUSTOM"]
NOTHING = base64.b64encode(bytes(32)).decode()
#: Members whose values are the service's own words; other values are the user's, or made anew.
WORDS = {"ChallengeName", "Status", "TokenType", "DeliveryMedium", "AttributeName", "UserConfirmationNecessary"}
WORDS |= {"CODE_DELIVERY_DELIVERY_MEDIUM", "AvailableChallenges"}


class Conversation:
    """A pool and its user as they are given, and what was answered so far."""

    def __init__(self, emulator, given: dict) -> None:
        self.emulator, self.given = emulator, given
        flows = [f"ALLOW_{flow}_AUTH" for flow in FLOWS]
        options = {"auth_flows": flows, **given.get("pool", {})}
        self.pool = emulator.pool(**options)
        self.secret = base64.b32encode(b"a shared secret that is long 32b").decode()
        user = {"name": NAME, "email": "alice@example.com", **given.get("user", {})}
        user = {key: self.secret if value == "$totp_secret" else value for key, value in user.items()}
        self.user = emulator.user(self.pool["pool_id"], password=PASSWORD, **user)
        now = datetime.now(UTC)
        self.values = {
            "client_id": self.pool["client_id"],
            "user_name": NAME,
            "password": PASSWORD,
            "new_password": "Better-Battery-2!",
            "code": "000000",
            "answer": "4",
            "sub": self.user["sub"],
            "SRP_A": "ab" * 384,
            "signature": NOTHING,
            "wrong_hash": NOTHING,
            "timestamp": f"{now:%a %b} {now.day} {now:%H:%M:%S} UTC {now.year}",
            "padded_timestamp": f"{now:%a %b} {now.day:02} {now:%H:%M:%S} UTC {now.year}",
            "device_key": "eu-west-1_00000000-0000-0000-0000-000000000000",
            "verifier": base64.b64encode(bytes([1] * 384)).decode(),
            "salt": base64.b64encode(bytes([1] * 16)).decode(),
        }

    def filled(self, value: object) -> object:
        if isinstance(value, dict):
            return {key: self.filled(one) for key, one in value.items()}
        if not isinstance(value, str):
            return value
        return re.sub(r"\$(\w+)", lambda found: self._value(found[1]), value)

    def _value(self, name: str) -> str:
        if name == "app_code" and name not in self.values:
            self.values[name] = app_codes.totp(self.values.get("SecretCode", self.secret))
        if name == "sent_code":
            return self.emulator.codes(NAME, self.pool["pool_id"])[-1]
        return self.values[name]

    def ask(self, form: str, *, knows_secret: bool = True, last: bool = False) -> tuple[int, dict]:
        body = json.loads(json.dumps(FORMS[form]["body"]))
        if last:
            for path in self.given.get("without", []):
                parent, _, name = path.partition(".")
                del body[parent][name]
            for key, value in self.given.get("body", {}).items():
                body[key] = {**body[key], **value} if isinstance(value, dict) else value
        secret = self.pool["client_secret"]
        for parameters in ("AuthParameters", "ChallengeResponses"):
            if secret and knows_secret and parameters in body:
                message = (body[parameters].get("USERNAME", "$user_name") + "$client_id").encode()
                message = self.filled(message.decode()).encode()
                digest = hmac.digest(secret.encode(), message, hashlib.sha256)
                body[parameters]["SECRET_HASH"] = base64.b64encode(digest).decode()
        status, _headers, answered = post(self.emulator, FORMS[form]["operation"], self.filled(body))
        answer = json.loads(answered or b"{}")
        self._keep(answer)
        return status, answer

    def _keep(self, answer: dict) -> None:
        members = {**answer, **answer.get("ChallengeParameters", {}), **answer.get("AuthenticationResult", {})}
        kept = ("Session", "SECRET_BLOCK", "AccessToken", "RefreshToken", "SecretCode")
        self.values |= {name: members[name] for name in kept if name in members}
        if device := members.get("NewDeviceMetadata"):
            self.values["device_key"] = device["DeviceKey"]

    def lead(self) -> None:
        """What comes before the request that counts."""
        emulator, given, pool = self.emulator, self.given, self.pool["pool_id"]
        # Slowly, so that no lock is over before the next request.
        emulator.lockout(given.get("lockout", False), speed=0.01)
        emulator.switch(**given.get("switch", {}))
        late = given.get("values", {})
        for form in given.get("before", []):
            # The right code, where there is one: only the last request is about a wrong one.
            if "$code" in json.dumps(FORMS[form]["body"]):
                self.values["code"] = self.filled(late.get("code", "$code"))
            self.ask(form)
        for operation in given.get("admin", []):
            emulator.admin(operation, {"UserPoolId": pool, "Username": NAME})
        if given.get("expire"):
            assert emulator.expire_challenge_sessions() > 0
        if given.get("expire_refresh"):
            assert emulator.expire_refresh_tokens(pool) > 0
        while given.get("wait_until_expired") and emulator.tokens_alive(access=self.values["AccessToken"])["access"]:
            time.sleep(0.1)
        if given.get("other_client"):
            self.values["client_id"] = emulator.app_client(pool)["client_id"]
        self.values |= {name: self.filled(value) for name, value in late.items()}


def has_members(answer: object, recorded: object, name: str = "") -> bool:
    """Whether an answer has what was recorded; it may have more, since not all that was said was recorded."""
    if isinstance(recorded, dict):
        return isinstance(answer, dict) and all(
            key in answer and has_members(answer[key], value, key) for key, value in recorded.items()
        )
    if isinstance(recorded, list):
        return isinstance(answer, list) and set(recorded) <= set(answer)
    return name not in WORDS or answer == recorded


@pytest.mark.parametrize("answer", ASKED, ids=lambda answer: answer["name"])
def test_the_emulator_answers_as_cognito(emulator, answer):
    given, recorded = answer["emulator"], answer["answer"]
    conversation = Conversation(emulator, given)
    conversation.lead()
    form = given.get("form", answer["form"])
    status, said = conversation.ask(form, knows_secret=False, last=True)
    if "error" in recorded:
        message = conversation.filled(recorded["message"])
        assert (said.get("__type"), said.get("message"), status) == (recorded["error"], message, 400)
    else:
        assert status == 200, said
        assert has_members(said, recorded["body"]), said
        for path in recorded.get("absent", []):
            *parents, name = path.split(".")
            assert name not in functools.reduce(dict.__getitem__, parents, said), said
