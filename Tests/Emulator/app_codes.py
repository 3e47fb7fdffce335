"""Codes of an authenticator app, from an implementation that is not the emulator's: oathtool. Each counts once."""

from __future__ import annotations

import subprocess
import time

_STEP_SECONDS = 30
_used: dict[str, int] = {}


def totp(secret: str) -> str:
    """The code of now, or the next one that was not asked for before; it is waited for until the service takes it."""
    step = max(int(time.time() // _STEP_SECONDS), _used.get(secret, 0) + 1)
    _used[secret] = step
    # The service takes a code half a minute too early.
    time.sleep(max(0.0, (step - 1) * _STEP_SECONDS - time.time()))
    return code_at(secret, step * _STEP_SECONDS)


def code_at(secret: str, moment: float) -> str:
    command = ["oathtool", "--totp", "--now", f"@{int(moment)}", "-b", secret]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def forget(secret: str | None) -> None:
    """Another user has the secret, who used none of its codes."""
    _used.pop(secret or "", None)
