"""A sign-in that takes more than one step, and the session strings that hold its steps together.

From Amazon's documentation: a session lives as long as the app client's AuthSessionValidity and answers one challenge.
From public issue reports: the texts for an expired and for a used one, and that a wrong code leaves the session usable.
Our reading: each step that succeeds uses its session up and answers a new one; a session is good for its user, its app
client and its challenge only, and any other use of it is refused as "Invalid session for the user."; the fifth wrong
answer locks the session, which then says "Password attempts exceeded" even to the right code.
"""

from __future__ import annotations

import base64
import secrets
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field

from .answers import Answer, Call, refusal, success
from .backend import Backend

_MAXIMUM_SESSIONS = 10_000
_WRONG_ANSWERS = 5
_SESSION_BYTES = 690


@dataclass
class SignIn:
    """One sign-in under way. `user` is None where the user does not exist and the service only pretends."""

    pool_id: str
    client_id: str
    username: str
    user: dict | None
    flow: str
    device_key: str = ""
    done: set[str] = field(default_factory=set)
    methods: list[str] = field(default_factory=list)
    target: int = 0
    custom_round: int = 0
    custom_failures: int = 0
    metadata: dict = field(default_factory=dict)


@dataclass
class Session:
    token: str
    sign_in: SignIn
    challenge: str
    expires: float
    data: dict = field(default_factory=dict)
    wrong: int = 0
    used: bool = False

    def wrong_answer(self, name: str, message: str) -> Answer:
        """Refuse an answer that may be tried again."""
        self.wrong += 1
        return refusal(name, message)


class Sessions:
    """All sessions, also the used and expired ones, whose refusals differ."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lifetimes: dict[str, float] = {}
        self._blocks: deque[str] = deque()
        self._create_inner = backend.cognito._create_challenge_session
        backend.cognito._create_challenge_session = self._create_secret_block

    def set_lifetime(self, client_id: str, seconds: float | None) -> None:
        """Let the sessions of an app client live for seconds instead of AuthSessionValidity's minutes."""
        if seconds is not None and not float(seconds) >= 0:
            raise ValueError("auth_session_seconds has to be a number that is not negative")
        if seconds is not None:
            self._lifetimes[client_id] = seconds

    def lifetime(self, client_id: str) -> float:
        if client_id in self._lifetimes:
            return self._lifetimes[client_id]
        found = self._backend.client(client_id)
        return 60.0 * ((found[2].get("AuthSessionValidity") if found else None) or 3)

    def open(self, sign_in: SignIn, challenge: str, data: dict | None = None) -> Session:
        raw = b"\x01\x80\x01\x78" + secrets.token_bytes(_SESSION_BYTES)
        token = base64.urlsafe_b64encode(raw).decode()
        session = Session(token, sign_in, challenge, time.monotonic() + self.lifetime(sign_in.client_id), data or {})
        if len(self._sessions) >= _MAXIMUM_SESSIONS:
            self._sessions.popitem(last=False)
        self._sessions[token] = session
        return session

    def challenge(
        self,
        sign_in: SignIn,
        name: str,
        parameters: dict | None = None,
        data: dict | None = None,
        **members: object,
    ) -> Answer:
        """The answer that asks for `name`, with a new session."""
        session = self.open(sign_in, name, data)
        return success(
            {
                "ChallengeName": name,
                "Session": session.token,
                "ChallengeParameters": {k: v for k, v in (parameters or {}).items() if isinstance(v, str)},
                **members,
            }
        )

    def find(self, call: Call, challenge: str) -> Session | Answer:
        """The session that `call` names if it is good for `challenge`, or the refusal."""
        token = call.text("Session")
        if not token:
            return refusal("InvalidParameterException", "Missing required parameter Session")
        session = self._sessions.get(token)
        client_id = call.text("ClientId")
        if (
            session is None
            or session.challenge != challenge
            or (client_id and client_id != session.sign_in.client_id)
            or not self._same_user(session.sign_in, call)
        ):
            return refusal("NotAuthorizedException", "Invalid session for the user.")
        if session.used:
            return refusal("NotAuthorizedException", "Invalid session for the user, session can only be used once.")
        if time.monotonic() >= session.expires:
            return refusal("NotAuthorizedException", "Invalid session for the user, session is expired.")
        if session.wrong >= _WRONG_ANSWERS:
            return refusal("NotAuthorizedException", "Password attempts exceeded")
        return self._state_refusal(session.sign_in) or session

    def expire(self, user: str | None = None, older: float | None = None) -> int:
        """Let open sessions (of one user), and challenges without one, expire, or become `older` by so many seconds."""
        chosen = [s for s in self._sessions.values() if user in (None, s.sign_in.username) and not s.used]
        for session in chosen:
            session.expires = 0.0 if older is None else session.expires - older
        blocks = [b for b in self._pending() if user in (None, b["username"]) and "emulator_session" not in b]
        for block in blocks:
            block["expires_at"] = 0.0 if older is None else block["expires_at"] - older
        return len(chosen) + len(blocks)

    def _pending(self) -> list[dict]:
        found = (self._backend.srp_session(block) for block in self._blocks)
        return [pending for pending in found if pending and time.time() < pending["expires_at"]]

    def _create_secret_block(self, pool_id: str, client_id: str, username: str) -> tuple[str, dict]:
        """ministack's own sessions, behind the SECRET_BLOCKs, with the same life time and with a bound."""
        blocks = self._backend.cognito._challenge_sessions
        if len(self._blocks) >= _MAXIMUM_SESSIONS:
            blocks.pop(self._blocks.popleft(), None)
        block, session = self._create_inner(pool_id, client_id, username)
        self._blocks.append(block)
        session["expires_at"] = time.time() + self.lifetime(client_id)
        return block, session

    def _same_user(self, sign_in: SignIn, call: Call) -> bool:
        if not isinstance(call.body.get("ChallengeResponses"), dict):
            return call.operation in ("AssociateSoftwareToken", "VerifySoftwareToken")
        name = call.text("ChallengeResponses", "USERNAME")
        if sign_in.user is None:
            return name == sign_in.username
        pool = self._backend.pool(sign_in.pool_id)
        return pool is not None and self._backend.user(pool, name) is sign_in.user

    def _state_refusal(self, sign_in: SignIn) -> Answer | None:
        """The refusal where the user was deleted or disabled between two steps."""
        if sign_in.user is None:
            return None
        pool = self._backend.pool(sign_in.pool_id)
        if pool is None or pool["_users"].get(sign_in.user["Username"]) is not sign_in.user:
            return refusal("UserNotFoundException", "User does not exist.")
        if not sign_in.user.get("Enabled", True):
            return refusal("NotAuthorizedException", "User is disabled.")
        return None


class Challenge:
    """One kind of challenge: how it begins, and what an answer to it leads to."""

    names: tuple[str, ...] = ()

    def answer(self, session: Session, call: Call) -> Answer | None:
        """A refusal or the next challenge; None where the step is passed and the sign-in goes on."""
        raise NotImplementedError


def masked_email(address: str) -> str:
    local, _, domain = address.partition("@")
    return f"{local[:1]}***@{domain[:1]}***"


def masked_phone(number: str) -> str:
    return "+" + "*" * max(len(number) - 5, 3) + number[-4:]


def missing(name: str) -> Answer:
    return refusal("InvalidParameterException", f"Missing required parameter {name}")
