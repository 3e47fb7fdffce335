"""What a further question costs: from an answer to the next question, or to PAM_SUCCESS, beside the bare program.

Both make the same requests, on a connection that is there already. What the server says of its own time is taken off.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from Emulator.app_codes import code_at
from Integration.challenges import CHALLENGES, SECRET, Challenge
from Integration.machine import MachineError
from Integration.pam_driver import CODES, PamDriver
from Integration.product import RIGHT, Product

from .figures import Subject
from .sign_in import BareProgram
from .tools import Tools

USER = "alice"
#: Long enough for the connection.
THINKING = 0.1


@dataclass(frozen=True)
class Flow:
    """A challenge whose answers each take one request; `requests` are those, without the session string."""

    challenge: str
    pool: dict
    settings: dict[str, str]
    steps: tuple[str, ...]
    answers: Callable[[], list[str]]
    requests: Callable[[list[str]], list[tuple[str, dict]]]
    #: Requests before the first answer.
    before: int = 0


def _respond(name: str, **responses: str) -> tuple[str, dict]:
    return "RespondToAuthChallenge", {"ChallengeName": name, "ChallengeResponses": {"USERNAME": USER, **responses}}


def _choice(answers: list[str]) -> list[tuple[str, dict]]:
    parameters = {"USERNAME": USER, "PASSWORD": answers[0]}
    return [
        ("InitiateAuth", {"AuthFlow": "USER_PASSWORD_AUTH", "AuthParameters": parameters}),
        _respond("SELECT_MFA_TYPE", ANSWER="SOFTWARE_TOKEN_MFA"),
        _respond("SOFTWARE_TOKEN_MFA", SOFTWARE_TOKEN_MFA_CODE=answers[2]),
    ]


def _questions(answers: list[str]) -> list[tuple[str, dict]]:
    begin = ("InitiateAuth", {"AuthFlow": "CUSTOM_AUTH", "AuthParameters": {"USERNAME": USER}})
    return [begin, *(_respond("CUSTOM_CHALLENGE", ANSWER=answer) for answer in answers)]


FLOWS = (
    Flow(
        "choice of a code",
        {"auth_flows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]},
        {"auth_flow": "password"},
        ("the password, to the menu", "the choice, to the question for a code", "the code, to PAM_SUCCESS"),
        lambda: [RIGHT, "1", code_at(SECRET, time.time())],
        _choice,
    ),
    Flow(
        "the pool's own questions",
        {},
        {},
        ("an answer, to the next question", "the last answer, to PAM_SUCCESS"),
        lambda: ["4", "á b"],
        _questions,
        before=1,
    ),
)


class Conversation(PamDriver):
    def answer_times(self, answers: Sequence[str | Callable[[str], str]]) -> list[float]:
        """Seconds from each answer, or from what it is to the text shown, to what comes next."""
        self._tell("call", "authenticate", 0)
        heard, times = self._hear(), []
        for answer in answers:
            time.sleep(THINKING)
            said = answer(bytes.fromhex(heard["text"]).decode()) if callable(answer) else answer
            begun = time.monotonic()
            self._tell("answer", said.encode().hex())
            heard = self._hear()
            times.append(time.monotonic() - begun)
        if "code" not in heard or CODES[heard["code"]] != "PAM_SUCCESS":
            raise MachineError(f"no sign-in: {heard}")
        return times

    def finish(self) -> None:
        """The session of a sign-in that was timed, from its beginning to its end."""
        self.call("setcred", "ESTABLISH")
        self.call("open_session")
        self.call("close_session")
        self.end()


def _server_times(product: Product) -> list[float]:
    """The server's own time for each request since the last call."""
    time.sleep(0.02)
    requests = [
        r for r in product.emulator.requests() if r["operation"] not in ("jwks", "RevokeToken", "GlobalSignOut")
    ]
    product.emulator.clear_requests()
    return [request["seconds"] for request in requests]


def _ours(product: Product, flow: Flow) -> list[float]:
    _server_times(product)
    with Conversation(product.machine, "alone", USER, observe=False) as driver:
        times = driver.answer_times(flow.answers())
        served = _server_times(product)[flow.before :]
        driver.finish()
    return [taken - own for taken, own in zip(times, served, strict=True)]


def _bare(tools: Tools, product: Product, flow: Flow) -> list[float]:
    _server_times(product)
    program = BareProgram(tools, product)
    times, session = [], None
    try:
        program.ask("get", product.pool["jwks_path"])
        for operation, body in flow.requests(flow.answers()):
            body |= {"ClientId": product.pool["client_id"]} | ({"Session": session} if session else {})
            taken, answer = program.ask(operation, body)
            times.append(taken)
            session = answer.get("Session")
    finally:
        program.close()
    own = _server_times(product)
    return [taken - served for taken, served in zip(times, own, strict=True)][flow.before :]


def measure(tools: Tools, product: Product, count: int = 15) -> Subject:
    subject = Subject("A further question, without the server's own time")
    challenges: dict[str, Challenge] = {challenge.name: challenge for challenge in CHALLENGES}
    for flow in FLOWS:
        challenge = challenges[flow.challenge]
        with product.other_pool({**challenge.pool, **flow.pool}, **{**challenge.settings, **flow.settings}):
            product.member(**challenge.person)
            # There are more sign-ins than codes.
            product.emulator.switch(refuse_totp_replay=False)
            # Turn and turn about; the first turn fills the caches.
            pairs = [(_ours(product, flow), _bare(tools, product, flow)) for _ in range(count + 1)][1:]
        for index, step in enumerate(flow.steps):
            subject.add(step, [ours[index] * 1000 for ours, _ in pairs])
            subject.add("  the bare program's request", [bare[index] * 1000 for _, bare in pairs])
    subject.note("The server's clock stops a moment after its answer is out: a difference can come out too small.")
    for challenge in CHALLENGES:
        subject.note(f"Requests of a sign-in, no more than must be: {challenge.round_trips}, {challenge}.")
    return subject
