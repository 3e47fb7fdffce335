"""The codes that the service would send by e-mail or SMS, kept for the test to read."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass

from .sign_in import masked_email, masked_phone

_MAXIMUM_MESSAGES = 5000


@dataclass
class Switches:
    """What a test may turn on or off; `reset` of the emulator turns everything back."""

    code_seconds: float | None = None
    refuse_totp_replay: bool = True
    limit_exceeded: bool = False
    revocation_seconds: int = 0
    session_list_delay: float = 0.0
    timestamp_seconds: float | None = 300.0
    short_srp_values: bool = False
    list_rate: float = 30.0

    def set(self, **values: object) -> None:
        unknown = set(values) - set(asdict(self))
        if unknown:
            raise ValueError(f"no switch {', '.join(sorted(unknown))}: there are {', '.join(sorted(asdict(self)))}")
        for name in ("code_seconds", "timestamp_seconds"):
            if not isinstance(values.get(name), (int, float, type(None))):
                raise ValueError(f"{name} has to be a number, or None")
        for name, value in values.items():
            setattr(self, name, value)

    def reset(self) -> None:
        self.set(**asdict(Switches()))


@dataclass
class Message:
    pool: str
    user: str
    purpose: str
    medium: str
    destination: str
    masked: str
    code: str
    time: float
    expires: float

    @property
    def expired(self) -> bool:
        return time.time() >= self.expires

    @property
    def delivery(self) -> dict[str, str]:
        """The two parameters that every challenge with a sent code has."""
        return {"CODE_DELIVERY_DELIVERY_MEDIUM": self.medium, "CODE_DELIVERY_DESTINATION": self.masked}


class Outbox:
    def __init__(self, note_secret: Callable[[str, object], None], switches: Switches) -> None:
        self._note_secret = note_secret
        self._switches = switches
        self._messages: deque[Message] = deque(maxlen=_MAXIMUM_MESSAGES)

    def send(
        self,
        pool_id: str,
        user: str,
        purpose: str,
        medium: str,
        destination: str,
        seconds: float,
        digits: int = 6,
        pretended: bool = False,
    ) -> Message:
        """A new code; one that is only `pretended` reaches nobody, so that nobody can know it."""
        code = "".join(secrets.choice("0123456789") for _ in range(digits))
        now = time.time()
        if self._switches.code_seconds is not None:
            seconds = self._switches.code_seconds
        masked = masked_email(destination) if medium == "EMAIL" else masked_phone(destination)
        message = Message(pool_id, user, purpose, medium, destination, masked, code, now, now + seconds)
        self._note_secret("code", code)
        if not pretended:
            self._messages.append(message)
        return message

    def messages(self, user: str | None = None, pool_id: str | None = None) -> list[dict]:
        """What was sent, oldest first."""
        return [asdict(m) for m in self._messages if user in (None, m.user) and pool_id in (None, m.pool)]

    def expire(self, user: str | None = None) -> int:
        """Make the codes sent (to one user) too old."""
        chosen = [m for m in self._messages if user in (None, m.user) and not m.expired]
        for message in chosen:
            message.expires = 0.0
        return len(chosen)

    def clear(self) -> None:
        self._messages.clear()
