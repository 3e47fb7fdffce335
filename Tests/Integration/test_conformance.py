"""Every recorded answer of Cognito, played to the module and the worker: what the user sees, the reason, the PAM code.

The answers, where each is from, and what is expected are in `Tests/Conformance/answers.json`.
"""

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from .pam_driver import PamDriver
from .product import RIGHT, Product
from .replay_server import CLIENT, CONFORMANCE, FORMS, NAME, POOL, ReplayServer, Tokens, tls
from .test_worker_protocol import PROGRAM, THIRTY_DAYS
from .worker_process import Message, WorkerProcess, codes

PORT = 3131
NEW = "Better-Battery-2!"
TYPED = {"$password": RIGHT, "$new_password": NEW, "$code": "123456", "$answer": "4"}
OPTIONS = {
    "user_pool_id": POOL,
    "client_id": CLIENT,
    "client_secret_file": None,
    "preconnect": "no",
    "ca_file": "/etc/ssl/replay.pem",
}
DEVICES = "/var/lib/pam-cognito/devices"
SIGN_INS = [answer for answer in CONFORMANCE["answers"] if "step" not in FORMS[answer["form"]]]
STEPS = [answer for answer in CONFORMANCE["answers"] if "step" in FORMS[answer["form"]]]


def script(answer: dict) -> list[str]:
    """What is played: what leads to the request, the answer, and what follows."""
    return [*FORMS[answer["form"]].get("before", []), answer["name"], *answer.get("after", [])]


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


@pytest.fixture(scope="module")
def machine_server(product: Product, folder: Path, tokens: Tokens) -> Iterator[ReplayServer]:
    context, authority = tls(folder)
    product.machine.write("/etc/ssl/replay.pem", authority.read_text(), 0o644)
    with ReplayServer(socket.socket(fileno=product.machine.listen(PORT)), context, tokens) as server:
        yield server


@pytest.fixture(scope="module")
def server(folder: Path, tokens: Tokens) -> Iterator[ReplayServer]:
    context, _ = tls(folder)
    with ReplayServer(socket.create_server(("127.0.0.1", 0)), context, tokens) as started:
        yield started


def named(answer: dict) -> str:
    return answer["name"]


def sign_in(product: Product, *typed: str) -> tuple[str, str]:
    """Signs in, and out again; what the module returned, and what it said after all of that was typed."""
    with PamDriver(product.machine, "alone", NAME) as driver:
        result = driver.visit(*typed)
    prompts = [place for place, message in enumerate(result.conversation) if message.is_prompt]
    behind = prompts[len(typed) - 1] + 1 if typed else 0
    return result.code, "\n".join(message.text for message in result.conversation[behind:])


@pytest.mark.parametrize("answer", SIGN_INS, ids=named)
def test_sign_in(product: Product, machine_server: ReplayServer, answer: dict) -> None:
    form = FORMS[answer["form"]]
    typed = [TYPED.get(text, text) for text in form.get("typed", [])]
    options = {**OPTIONS, "endpoint": f"https://localhost:{PORT}", **form.get("options", {})}
    product.configure(**options)
    try:
        if earlier := form.get("earlier"):
            machine_server.play(earlier)
            assert sign_in(product, RIGHT)[0] == "PAM_SUCCESS" and not machine_server.left
        machine_server.play(script(answer))
        mark = product.machine.log_mark()
        code, said = sign_in(product, *typed)
    finally:
        product.machine.run(["rm", "-rf", DEVICES], check=True)
    lines = product.machine.lines(mark, containing="reason=")
    found = re.search(r"reason=(\w+)", lines[0]) if lines else None
    expected = {"reason": None, "says": "", **answer["product"]}
    # A picture is none of the texts.
    said = said.partition("\n")[0] + "…" if expected["says"].endswith("…") else said
    assert {"code": code, "reason": found and found[1], "says": said} == expected, lines
    assert (machine_server.unexpected, machine_server.left) == ([], [])


def service(server: ReplayServer, folder: Path) -> dict:
    return {
        "user_pool_id": POOL,
        "client_id": CLIENT,
        "endpoint": f"https://localhost:{server.port}",
        "ca_file": str(folder / "authority.pem"),
        "time_limit": 8000,
        "connect_time_limit": 4000,
    }


PERSON = {
    "user_name": NAME,
    "login_name": NAME,
    "identity_rule": 1,
    "withhold_refresh_token": 0,
    "refresh_token_validity": THIRTY_DAYS,
}


def last_message(kind: str, fields: dict) -> Message:
    """Plays the root side of one step; the last that the worker says."""
    with WorkerProcess(PROGRAM) as worker:
        worker.send(kind, **fields)
        last = None
        for last in worker.messages():
            if last.kind == "ask":
                worker.send("answer", answer=RIGHT)
            elif last.kind in ("signed_in", "renewed"):
                worker.send("registered")
        return last


@pytest.fixture
def bundle(server: ReplayServer, folder: Path) -> bytes:
    server.play(["password, tokens"])
    fields = {**service(server, folder), **PERSON, "flow": 2, "preconnect": 0, "sign_out_mode": "global"}
    return last_message("sign_in", fields).fields["bundle"]


@pytest.mark.parametrize("answer", STEPS, ids=named)
def test_step_with_tokens(server: ReplayServer, folder: Path, bundle: bytes, answer: dict) -> None:
    server.play(script(answer))
    step = FORMS[answer["form"]]["step"]
    fields = {**service(server, folder), "bundle": bundle}
    if step == "check":
        fields |= {name: PERSON[name] for name in ("user_name", "login_name", "identity_rule")} | {"online": 1}
    elif step == "renew":
        fields |= PERSON
    else:
        fields |= {"revocation": 1 if step == "sign_out" else 2, "persistence": 1, "tells_reach": 1}
    message = last_message("sign_out" if step == "revoke" else step, fields)
    came = {"message": message.kind}
    for name, words in {
        "reason": "FailureReason",
        "outcome": "SignOutOutcome",
        "reach": "Reach",
        "shortfall": "Shortfall",
    }.items():
        if name in message.fields:
            came[name] = codes(words)[message.fields[name]]
    assert came == answer["product"]
    assert (server.unexpected, server.left) == ([], [])
