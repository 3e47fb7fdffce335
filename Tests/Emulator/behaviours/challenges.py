"""What comes after the first factor, and to whom an answered challenge goes.

From Amazon's documentation: the order is password, NEW_PASSWORD_REQUIRED, MFA, device, and a remembered device can
stand in for the MFA step. Our reading: a device that stands in for MFA is asked for its proof instead of the code;
first factors that are codes or passkeys, and CUSTOM_AUTH, are not followed by MFA.

ministack proves passwords and SRP claims; everything that follows is decided here, in its place.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from ..answers import Answer, Call, refusal, success
from ..backend import Backend
from ..sign_in import Challenge, Session, Sessions, SignIn, missing
from . import Behaviour
from .levels import method_of
from .proofs import Proofs

_PROVED = "PasswordProvedFor"
_INITIATE = ("InitiateAuth", "AdminInitiateAuth")
_RESPOND = ("RespondToAuthChallenge", "AdminRespondToAuthChallenge")
_SIGN_IN_FLOWS = ("USER_PASSWORD_AUTH", "USER_SRP_AUTH", "ADMIN_USER_PASSWORD_AUTH", "ADMIN_NO_SRP_AUTH")

Step = Callable[[SignIn, dict], Answer | None]
Flow = Callable[[SignIn, Call, dict], Answer | None]


class Challenges(Behaviour):
    """The state machine of a sign-in.

    `flows` begin a sign-in (by AuthFlow), `steps` are asked in order after the first factor and return a challenge, or
    None where they have nothing to ask; `finishers` complete the tokens; `gates` may refuse a sign-in before anything
    is proved; `adopters` may fill in the session that a request does not name.
    """

    def __init__(self, backend: Backend, sessions: Sessions, proofs: Proofs) -> None:
        self._backend = backend
        self._sessions = sessions
        self._proofs = proofs
        self._challenges: dict[str, Challenge] = {}
        self._parts: list[Behaviour] = []
        self.flows: dict[str, Flow] = {}
        self.steps: list[Step] = []
        self.finishers: list[Callable[[SignIn, dict, dict], dict]] = []
        self.adopters: list[Callable[[Call], None]] = []
        self.gates: list[Callable[[dict], Answer | None]] = []
        backend.cognito._password_auth_result = self._proved

    def add(self, challenge: Challenge) -> None:
        self._challenges.update(dict.fromkeys(challenge.names, challenge))
        if isinstance(challenge, Behaviour):
            self._parts.append(challenge)

    def before(self, call: Call) -> Answer | None:
        for part in self._parts:
            answer = part.before(call)
            if answer is not None:
                return answer
        if call.operation in _INITIATE:
            return self._begin(call)
        if call.operation in _RESPOND:
            return self._respond(call)
        return None

    def after(self, call: Call, answer: Answer) -> Answer:
        if answer.status == 200 and call.operation in (*_INITIATE, *_RESPOND):
            proved = answer.payload.get(_PROVED)
            if isinstance(proved, dict):
                return self._after_password(call, proved)
            if call.text("AuthFlow") == "USER_SRP_AUTH":
                answer = self._proofs.public_value_refusal(call.text("AuthParameters", "SRP_A")) or answer
        for part in self._parts:
            answer = part.after(call, answer)
        return answer

    def reset(self) -> None:
        for part in self._parts:
            part.reset()

    def proceed(self, sign_in: SignIn) -> Answer:
        """The next challenge of a sign-in whose last step is passed, or its tokens."""
        pool = self._backend.pool(sign_in.pool_id)
        if pool is None or sign_in.user is None:
            return refusal("NotAuthorizedException", "Incorrect username or password.")
        for step in self.steps:
            answer = step(sign_in, pool)
            if answer is not None:
                return answer
        result = self._backend.tokens(sign_in.pool_id, sign_in.client_id, sign_in.user, sign_in.metadata)
        for finish in self.finishers:
            result = finish(sign_in, pool, result)
        return success({"ChallengeParameters": {}, "AuthenticationResult": result})

    def entrance_refusal(self, pool: dict, client: dict, user: dict | None) -> Answer | None:
        """What refuses a sign-in before any proof, in the order that was measured for passwords."""
        if user is None:
            if client.get("PreventUserExistenceErrors") == "ENABLED":
                return None
            return refusal("UserNotFoundException", "User does not exist.")
        if not user.get("Enabled", True):
            return refusal("NotAuthorizedException", "User is disabled.")
        if user.get("UserStatus") == "UNCONFIRMED":
            return refusal("UserNotConfirmedException", "User is not confirmed.")
        return None

    def _begin(self, call: Call) -> Answer | None:
        name = call.text("AuthFlow")
        flow = self.flows.get(name)
        found = self._backend.client(call.text("ClientId"))
        parameters = call.body.get("AuthParameters")
        if found is None or (flow is None and name not in _SIGN_IN_FLOWS):
            return None
        parameters = parameters if isinstance(parameters, dict) else {}
        pool_id, pool, client = found
        if flow is not None:
            refused = self._backend.secret_hash_refusal(call)
            if refused:
                return refused
            if f"ALLOW_{name}" not in (client.get("ExplicitAuthFlows") or []):
                return refusal("InvalidParameterException", f"{name} is not enabled for the client.")
        if name == "USER_PASSWORD_AUTH" and not client.get("ExplicitAuthFlows"):
            return refusal("InvalidParameterException", "USER_PASSWORD_AUTH flow not enabled for this client")
        username = parameters.get("USERNAME")
        if not isinstance(username, str) or not username:
            return missing("USERNAME") if flow is not None else None
        user = self._backend.user(pool, username)
        if user is not None and user.get("Enabled", True):
            for gate in self.gates:
                refused = gate(user)
                if refused:
                    return refused
        if flow is None:
            return None
        refused = self.entrance_refusal(pool, client, user)
        if refused:
            return refused
        canonical = user["Username"] if user else username
        sign_in = SignIn(pool_id, call.text("ClientId"), canonical, user, name)
        sign_in.device_key = call.text("AuthParameters", "DEVICE_KEY")
        sign_in.metadata = _metadata(call)
        return flow(sign_in, call, parameters) or self.proceed(sign_in)

    def _respond(self, call: Call) -> Answer | None:
        name, client_id = call.text("ChallengeName"), call.text("ClientId")
        if name == "PASSWORD_VERIFIER":
            return self._before_proof(call)
        if self._backend.client(client_id) is None:
            return refusal("ResourceNotFoundException", f"User pool client {client_id} does not exist.")
        refused = self._backend.secret_hash_refusal(call)
        if refused:
            return refused
        if not call.text("ChallengeResponses", "USERNAME"):
            return missing("USERNAME")
        for adopt in self.adopters:
            adopt(call)
        session = self._sessions.find(call, name)
        if isinstance(session, Answer):
            return session
        challenge = self._challenges.get(name)
        if challenge is None:
            return refusal("InvalidParameterException", f"Unsupported challenge: {name}")
        session.sign_in.device_key = call.text("ChallengeResponses", "DEVICE_KEY")
        session.sign_in.metadata = _metadata(call)
        answer = challenge.answer(session, call)
        if answer is not None and answer.status != 200:
            return answer
        session.used = True
        method = method_of(name)
        if method and answer is None:
            session.sign_in.methods.append(method)
        return answer or self.proceed(session.sign_in)

    def _before_proof(self, call: Call) -> Answer | None:
        refused = self._proof_session_refusal(call)
        if refused or self._backend.cognito._srp_response_format_error(call.body.get("ChallengeResponses") or {}):
            return refused
        return self._proofs.refusal(call)

    def _proof_session_refusal(self, call: Call) -> Answer | None:
        """A proof that belongs to a session (USER_AUTH, CUSTOM_AUTH) has to name it; others have none."""
        block = call.text("ChallengeResponses", "PASSWORD_CLAIM_SECRET_BLOCK")
        pending = self._backend.srp_session(block)
        wanted = pending.get("emulator_session") if pending else None
        if wanted is None and not call.text("Session"):
            return None
        session = self._sessions.find(call, "PASSWORD_VERIFIER")
        if isinstance(session, Answer):
            return session
        if session.token != wanted:
            return refusal("NotAuthorizedException", "Invalid session for the user.")
        call.notes["session"] = session
        call.body.pop("Session", None)
        return None

    def _proved(
        self,
        _pool: dict,
        pool_id: str,
        client_id: str,
        user: dict,
        _username: str,
        _client_metadata: dict | None = None,
        _data: dict | None = None,
        **_more: object,
    ) -> tuple:
        """Stands in for ministack's own continuation after a right password."""
        proved = {"pool": pool_id, "client": client_id, "username": user["Username"]}
        return 200, {"Content-Type": "application/x-amz-json-1.1"}, json.dumps({_PROVED: proved}).encode()

    def _after_password(self, call: Call, proved: dict) -> Answer:
        session: Session | None = call.notes.get("session")
        pool = self._backend.pool(proved["pool"])
        user = pool["_users"].get(proved["username"]) if pool else None
        if session is not None:
            if session.used:  # by another proof, while this one was being checked
                return refusal("NotAuthorizedException", "Invalid session for the user, session can only be used once.")
            session.used = True
            sign_in = session.sign_in
        else:
            sign_in = SignIn(proved["pool"], proved["client"], proved["username"], user, call.text("AuthFlow"))
        where = "AuthParameters" if call.operation in _INITIATE else "ChallengeResponses"
        sign_in.device_key = call.text(where, "DEVICE_KEY")
        sign_in.metadata = _metadata(call)
        sign_in.methods.append("pwd")
        return self.proceed(sign_in)


def _metadata(call: Call) -> dict:
    metadata = call.body.get("ClientMetadata")
    return metadata if isinstance(metadata, dict) else {}
