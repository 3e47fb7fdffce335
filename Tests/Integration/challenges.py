"""What Cognito may ask, as a table: the pool, the person, every question in its order, and the right answer to it."""

import base64
import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from Emulator import app_codes

from .hosts import Answer
from .product import RIGHT, Product

SECRET = base64.b32encode(b"a shared secret that is long 32b").decode()
NEW = "Better-Battery-2!"
ADDRESS = "alice@example.org"
APP = {"mfa": "OPTIONAL", "mfa_methods": ["SOFTWARE_TOKEN_MFA"]}
CHOICE = {
    "auth_flows": ["ALLOW_USER_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
    "first_factors": ["PASSWORD", "EMAIL_OTP", "SMS_OTP", "WEB_AUTHN"],
}
CUSTOM = {"auth_flows": ["ALLOW_CUSTOM_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]}
ROUNDS = (
    {"public": {"question": "What is 2 + 2?"}, "answer": "4"},
    {"public": {"hint": "hue\x1b[2J"}, "answer": "á b"},
)
PHONE = "+34600123456"


def totp(secret: str = SECRET) -> str:
    """The app's code of this moment, or the next one where that is used: a code counts once."""
    return app_codes.totp(secret)


def shown_key(prompt: str) -> str:
    """The key that a person would type into an app."""
    found = re.search(r"((?:[A-Z2-7]{4} ){6,}[A-Z2-7]{1,4})", prompt)
    assert found, prompt
    return found.group(1).replace(" ", "")


# How questions are answered.
Maker = Callable[[Product], Answer]


def _text(text: str) -> Maker:
    return lambda product: text


def _app(product: Product) -> Answer:
    return lambda prompt: totp()


def _set_up_app(product: Product) -> Answer:
    return lambda prompt: totp(shown_key(prompt))


def sent_code(product: Product) -> Answer:
    """The newest code that was sent to alice."""
    return lambda prompt: product.emulator.codes("alice", product.pool["pool_id"])[-1]


@dataclass(frozen=True)
class Challenge:
    """One way to tokens. `questions` are what is asked for, in order, and how it is answered.

    `round_trips` are the requests of the sign-in, as few as Cognito's interface allows: one to begin, and one for each
    thing to be answered that cannot be sent with the one before.
    """

    name: str
    questions: tuple[tuple[str, Maker], ...]
    round_trips: int
    pool: Mapping[str, object] = field(default_factory=dict)
    person: Mapping[str, object] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    @contextlib.contextmanager
    def posed(self, product: Product) -> Iterator[None]:
        """A pool that poses it, and alice in that pool."""
        product.emulator.note_secret("password", NEW)
        with product.other_pool(self.pool, **self.settings):
            product.member(**self.person)
            yield

    def answers(self, product: Product, count: int | None = None) -> list[Answer]:
        """The right answers to the first `count` questions."""
        return [make(product) for _, make in self.questions[:count]]


_PASSWORD = ("password", _text(RIGHT))
_SENT = ("code", sent_code)

CHALLENGES = (
    Challenge(
        "code of an app",
        (_PASSWORD, ("code", _app)),
        3,
        APP,
        {"mfa": ["SOFTWARE_TOKEN_MFA"], "totp_secret": SECRET},
    ),
    Challenge(
        "code by SMS",
        (_PASSWORD, _SENT),
        3,
        {"mfa": "OPTIONAL"},
        {"mfa": ["SMS_MFA"], "phone_number": PHONE},
    ),
    Challenge("code by e-mail", (_PASSWORD, _SENT), 3, {"mfa": "OPTIONAL"}, {"mfa": ["EMAIL_OTP"]}),
    Challenge(
        "choice of a code",
        (_PASSWORD, ("menu", _text("2")), _SENT),
        4,
        {"mfa": "OPTIONAL"},
        {"mfa": ["SMS_MFA", "SOFTWARE_TOKEN_MFA", "EMAIL_OTP"], "phone_number": PHONE, "totp_secret": SECRET},
    ),
    Challenge(
        "new password and what the pool must know",
        (
            _PASSWORD,
            ("new password", _text(NEW)),
            ("again", _text(NEW)),
            ("attribute", _text("García")),
            ("attribute", _text("+34600111222")),
        ),
        3,
        {"required_attributes": ["email", "family_name", "phone_number"]},
        {"status": "FORCE_CHANGE_PASSWORD"},
    ),
    Challenge(
        "setting an app up",
        (_PASSWORD, ("set-up code", _set_up_app)),
        5,
        {"mfa": "ON", "mfa_methods": ["SOFTWARE_TOKEN_MFA"]},
    ),
    Challenge(
        "setting an address up",
        (_PASSWORD, ("menu", _text("2")), ("address", _text(ADDRESS)), _SENT),
        4,
        {"mfa": "ON"},
        {"email": None},
    ),
    Challenge(
        "choice of how to sign in",
        (("menu", _text("1")), _PASSWORD),
        3,
        CHOICE,
        {"passkey": True},
        {"auth_flow": "choice"},
    ),
    Challenge(
        "no password, code by e-mail",
        (_SENT,),
        2,
        CHOICE,
        {"password": None},
        {"auth_flow": "choice", "preferred_challenge": "email_otp"},
    ),
    Challenge(
        "no password, code by SMS",
        (_SENT,),
        2,
        CHOICE,
        {"password": None, "phone_number": PHONE},
        {"auth_flow": "choice", "preferred_challenge": "sms_otp"},
    ),
    Challenge(
        "the pool's own questions",
        (("custom", _text("4")), ("custom", _text("á b"))),
        3,
        CUSTOM | {"custom_rounds": list(ROUNDS), "custom_attempts": 3},
        {},
        {"auth_flow": "custom"},
    ),
    Challenge(
        "the pool's own questions after the password",
        (_PASSWORD, ("custom", _text("4")), ("custom", _text("á b"))),
        4,
        CUSTOM | {"custom_rounds": list(ROUNDS), "custom_attempts": 3},
        {},
        {"auth_flow": "custom", "preferred_challenge": "password_srp"},
    ),
)
