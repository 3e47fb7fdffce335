"""CUSTOM_AUTH with a script in place of the pool's Lambda functions.

The script is a list of rounds, each with the parameters that the client sees and the answer that is expected. From
Amazon's documentation: CUSTOM_CHALLENGE and ANSWER; CHALLENGE_NAME=SRP_A asks for the password's proof first. Our
reading: after the pool's number of wrong answers the sign-in has failed; before, the same round is asked once more with
a new session; USERNAME is added to the parameters; the refusal for a pool without a script.
"""

from __future__ import annotations

import hmac

from ..answers import Answer, Call, refusal
from ..backend import Backend
from ..sign_in import Challenge, Session, Sessions, SignIn, missing
from .choice_auth import ChoiceAuth
from .proofs import WRONG

_MAXIMUM_ROUNDS = 50


class CustomAuth(Challenge):
    names = ("CUSTOM_CHALLENGE",)

    def __init__(self, backend: Backend, sessions: Sessions, choice: ChoiceAuth) -> None:
        self._backend = backend
        self._sessions = sessions
        self._choice = choice

    def set_script(self, pool_id: str, rounds: list[dict], attempts: int) -> None:
        """`rounds` are {"public": {name: text}, "answer": text}."""
        for one in rounds:
            public = one.get("public")
            if set(one) != {"public", "answer"} or not isinstance(public, dict):
                raise ValueError("a round has to have `public`, an object, and `answer`")
            if not all(isinstance(v, str) for v in (*public.values(), one["answer"])):
                raise ValueError("a round's parameters and answer have to be strings")
        if len(rounds) > _MAXIMUM_ROUNDS:
            raise ValueError(f"more than {_MAXIMUM_ROUNDS} rounds")
        pool = self._backend.pool(pool_id)
        pool["_custom_rounds"], pool["_custom_attempts"] = rounds, max(1, attempts)

    def begin(self, sign_in: SignIn, call: Call, _parameters: dict) -> Answer | None:
        if not self._backend.pool(sign_in.pool_id).get("_custom_rounds"):
            return refusal(
                "InvalidParameterException", "Custom auth lambda trigger is not configured for the user pool."
            )
        srp_a = call.text("AuthParameters", "SRP_A")
        if call.text("AuthParameters", "CHALLENGE_NAME") == "SRP_A":
            return self._choice.ask_for_proof(sign_in, srp_a) if srp_a else missing("SRP_A")
        return None

    def step(self, sign_in: SignIn, pool: dict) -> Answer | None:
        rounds = pool.get("_custom_rounds") or []
        if sign_in.flow != "CUSTOM_AUTH" or sign_in.custom_round >= len(rounds):
            return None
        parameters = {"USERNAME": sign_in.username, **rounds[sign_in.custom_round]["public"]}
        return self._sessions.challenge(sign_in, "CUSTOM_CHALLENGE", parameters)

    def answer(self, session: Session, call: Call) -> Answer | None:
        sign_in = session.sign_in
        pool = self._backend.pool(sign_in.pool_id)
        rounds = pool.get("_custom_rounds") or []
        given = call.text("ChallengeResponses", "ANSWER")
        if "ANSWER" not in call.body["ChallengeResponses"]:
            return missing("ANSWER")
        if sign_in.custom_round >= len(rounds):
            return refusal(*WRONG)
        expected = rounds[sign_in.custom_round]["answer"]
        if hmac.compare_digest(expected.encode("utf-8", "surrogatepass"), given.encode("utf-8", "surrogatepass")):
            sign_in.custom_round += 1
            sign_in.custom_failures = 0
            sign_in.done.add("custom")
            return None
        sign_in.custom_failures += 1
        if sign_in.custom_failures >= pool.get("_custom_attempts", 1):
            session.used = True
            return refusal(*WRONG)
        return self.step(sign_in, pool)
