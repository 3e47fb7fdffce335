"""The product's worker, which does all that the product does at Cognito, driven as the module drives it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from Integration.machine import REPOSITORY
from Integration.worker_process import Message, WorkerProcess

from .pool import PASSWORD, Client, Pool, redacted

WORKER = REPOSITORY / ".build" / "product" / "cognito-worker"
SRP, BY_PASSWORD = 1, 2
EVERYWHERE, SESSION = 1, 2


class Worker:
    """What the worker comes to, as `kind` or `failed (reason): log`; `bundle` is what it got last."""

    def __init__(self, pool: Pool, client: Client, user: str) -> None:
        self.pool, self.user = pool, user
        self._fields = {
            "user_pool_id": pool.id,
            "client_id": client.id,
            "client_secret": client.secret,
            "endpoint": pool.endpoint,
            "ca_file": pool.ca_file,
            "time_limit": 20000,
            "connect_time_limit": 10000,
        }
        self._person = {"user_name": user, "login_name": user, "identity_rule": 1}
        self._tokens = {"withhold_refresh_token": 0, "refresh_token_validity": 30 * 86400}
        self.bundle = b""

    def sign_in(self, *answers: str | Callable[[], str], flow: int = SRP, preconnect: int = 0, think: float = 0) -> str:
        """`answers` to its prompts, the password first; each comes `think` seconds after its prompt."""
        options = {"flow": flow, "preconnect": preconnect, "sign_out_mode": "global"}
        return self._step("sign_in", answers or (PASSWORD,), think, **self._person, **self._tokens, **options)

    def renew(self) -> str:
        return self._step("renew", **self._person, **self._tokens, bundle=self.bundle)

    def check(self) -> str:
        """Whether the tokens are good, for Cognito too."""
        return self._step("check", **self._person, bundle=self.bundle, online=1)

    def sign_out(self, revocation: int) -> str:
        return self._step("sign_out", bundle=self.bundle, revocation=revocation)

    def _step(self, kind: str, answers: Sequence[str | Callable[[], str]] = (), think: float = 0, **fields) -> str:
        left = list(answers)
        message = None
        with WorkerProcess(WORKER) as worker:
            worker.send(kind, **self._fields, **fields)
            for message in worker.messages():
                if message.kind == "ask":
                    if not left:
                        return f"asked one question too many: {message.text('text')}"
                    answer = left.pop(0)
                    time.sleep(think)
                    worker.send("answer", answer=answer() if callable(answer) else answer)
                elif message.kind in ("signed_in", "renewed"):
                    self.bundle = message.fields["bundle"]
                    worker.send("registered")
        return _described(message)


def _described(message: Message | None) -> str:
    if message is None:
        return "the worker ended without a word"
    if message.kind == "failed":
        return str(redacted(f"failed ({message.reason}): {message.text('log_text')}"))
    return f"signed_out ({message.outcome})" if message.kind == "signed_out" else message.kind
