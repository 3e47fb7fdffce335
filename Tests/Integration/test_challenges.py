"""What Cognito asks after the password, or in its place: through real hosts, right and wrong.

Every question that a person sees is in prompts.golden, in its order. UPDATE_GOLDEN=1 writes that file anew.

What rests on the emulator's reading of the documents (how long a session string lives, what becomes of it) is said in
`Emulator/sign_in.py`; the codes of authenticator apps are made by oathtool.
"""

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from Emulator.app_codes import code_at

from .challenges import APP, CHOICE, CUSTOM, NEW, PHONE, ROUNDS, SECRET, sent_code, shown_key, totp
from .golden import Golden
from .hosts import Sshd, login, su
from .machine import Machine
from .product import LOCAL, RIGHT, Product
from .test_prompts import KEYBOARD, assert_nobody_came_in, opened

#: Codes that are not right, but for one chance in a million.
WRONG_CODES = ("000000", "111111", "222222")


def responses(product: Product) -> list[dict]:
    """What was sent in answer to challenges."""
    return [r["body"]["ChallengeResponses"] for r in product.emulator.requests("RespondToAuthChallenge")]


class TestAppCode:
    """SOFTWARE_TOKEN_MFA, in every host."""

    @pytest.fixture(autouse=True)
    def pool(self, product: Product) -> Iterator[None]:
        with product.other_pool(APP):
            product.member(mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
            yield

    def test_wrong_code_then_the_right_one(self, product: Product, sshd: Sshd, golden: Golden) -> None:
        result = sshd.run("alice", RIGHT, WRONG_CODES[0], lambda _: totp(), method=KEYBOARD)
        assert result.accepted
        golden.check("ssh: wrong code, then the right one", result.prompts)
        assert product.operations().count("InitiateAuth") == 1

    def test_third_wrong_code(self, machine: Machine, product: Product, sshd: Sshd, golden: Golden) -> None:
        mark = machine.log_mark()
        result = sshd.run("alice", RIGHT, *WRONG_CODES, method=KEYBOARD)
        assert not result.accepted
        golden.check("ssh: three wrong codes", result.prompts)
        assert_nobody_came_in(product)
        assert machine.log(mark, containing="too many wrong codes")

    def test_used_code(self, product: Product, golden: Golden) -> None:
        code = totp()
        with login(product.machine, "alice", RIGHT, code) as session:
            session.logout()
        with login(product.machine, "alice", RIGHT, code) as session:
            assert session.asking
            golden.check("login: a code that was used before", session.prompts)

    def test_expired_session(self, product: Product, sshd: Sshd, golden: Golden) -> None:
        """Begun anew once, without asking for the password again."""

        def late(_: str) -> str:
            assert product.emulator.expire_challenge_sessions("alice")
            return code_at(SECRET, time.time())

        result = sshd.run("alice", RIGHT, late, lambda _: totp(), method=KEYBOARD)
        assert result.accepted
        golden.check("ssh: an answer that came too late", result.prompts)
        assert product.operations().count("InitiateAuth") == 2

        result = sshd.run("alice", RIGHT, late, late, method=KEYBOARD)
        assert not result.accepted

    @pytest.mark.parametrize("answer", ["", "1" * 2000, "not a code\x07"], ids=["empty", "long", "control"])
    def test_answers_that_cannot_be_right(
        self, product: Product, sshd: Sshd, golden: Golden, request: pytest.FixtureRequest, answer: str
    ) -> None:
        name = request.node.callspec.id
        result = sshd.run("alice", RIGHT, answer, lambda _: totp(), method=KEYBOARD)
        assert result.accepted
        golden.check(f"ssh: an answer that cannot be right ({name})", result.prompts)
        assert product.operations().count("RespondToAuthChallenge") == 2

    def test_nothing_entered_twice(self, product: Product, sshd: Sshd) -> None:
        result = sshd.run("alice", RIGHT, "", "", method=KEYBOARD)
        assert not result.accepted
        assert product.operations().count("RespondToAuthChallenge") == 1
        assert_nobody_came_in(product)

    @pytest.mark.parametrize("way", ["vanishes", "hangs up"])
    def test_client_that_leaves_at_the_question(self, product: Product, sshd: Sshd, way: str) -> None:
        with sshd.open("alice", RIGHT, method=KEYBOARD) as session:
            assert session.asking
            assert len(product.machine.pids("cognito-worker")) == 1
            server = sshd.connection_pids()
            session.kill_client() if way == "vanishes" else session.hang_up()
            for pid in server:
                sshd.wait_for_process_end(pid)
        assert_nobody_came_in(product)
        product.machine.wait_until(lambda: not product.machine.pids("cognito-worker"), "the worker's end")

    @pytest.mark.parametrize("host", ["login", "su"])
    def test_end_of_input_at_the_question(self, product: Product, host: str) -> None:
        machine = product.machine
        with login(machine, "alice", RIGHT) if host == "login" else su(machine, "bob", "alice", RIGHT) as session:
            assert session.asking
            os.write(session.terminal.child_fd, b"\x04")
            machine.wait_until(lambda: not machine.pids("cognito-worker"), "the worker's end")
        assert_nobody_came_in(product)

    def test_password_method_of_sshd(self, machine: Machine, product: Product, sshd: Sshd) -> None:
        """It would answer every hidden question with the password: it gets none, and the log says what to do."""
        mark = machine.log_mark()
        result = sshd.run("alice", RIGHT, method="password")
        assert not result.accepted
        assert_nobody_came_in(product)
        assert not any("SOFTWARE_TOKEN_MFA_CODE" in answer for answer in responses(product))
        (line,) = machine.log(mark, containing="reason=no_answer")
        assert "KbdInteractiveAuthentication" in line.message

    def test_program_that_answers_everything_with_the_password(self, product: Product) -> None:
        with login(product.machine, "alice", RIGHT, RIGHT) as session:
            assert session.refused
        assert_nobody_came_in(product)


class TestSentCodes:
    def test_code_that_is_too_old(self, product: Product, sshd: Sshd, golden: Golden) -> None:
        """A new one is sent, without asking for the password again."""

        def late(_: str) -> str:
            product.emulator.expire_codes("alice")
            return product.emulator.codes("alice")[-1]

        with product.other_pool({"mfa": "OPTIONAL"}):
            product.member(mfa=["EMAIL_OTP"])
            result = sshd.run("alice", RIGHT, late, sent_code(product), method=KEYBOARD)
            assert result.accepted
            golden.check("ssh: a sent code that is too old", result.prompts)
            assert len(product.emulator.outbox("alice", product.pool["pool_id"])) == 2

    @pytest.mark.parametrize(("choice", "kind"), [("", "SOFTWARE_TOKEN_MFA"), ("2", "EMAIL_OTP"), ("3", "SMS_MFA")])
    def test_choice(self, product: Product, sshd: Sshd, golden: Golden, choice: str, kind: str) -> None:
        every = ["SMS_MFA", "SOFTWARE_TOKEN_MFA", "EMAIL_OTP"]
        with product.other_pool({"mfa": "OPTIONAL"}):
            product.member(phone_number=PHONE, mfa=every, totp_secret=SECRET)
            code = sent_code(product) if choice else lambda _: totp()
            result = sshd.run("alice", RIGHT, choice, code, method=KEYBOARD)
            assert result.accepted
            golden.check(f"ssh: choice of {kind}", result.prompts)
            assert responses(product)[1]["ANSWER"] == kind


class TestBusyService:
    """What Cognito refuses for its rate was not carried out: it is sent again, and no code is lost."""

    @pytest.fixture(autouse=True)
    def pool(self, product: Product) -> Iterator[None]:
        with product.other_pool({"mfa": "OPTIONAL"}):
            product.member(phone_number=PHONE, mfa=["SMS_MFA"])
            yield

    @pytest.mark.parametrize("where", ["PASSWORD_VERIFIER", "SMS_MFA"])
    def test_for_a_moment(self, product: Product, where: str) -> None:
        product.emulator.fault(f"RespondToAuthChallenge:{where}", "throttle", times=2)
        login(product.machine, "alice", RIGHT, sent_code(product)).visit()
        assert len(product.emulator.outbox("alice", product.pool["pool_id"])) == 1

    def test_for_longer(self, product: Product, sshd: Sshd, golden: Golden) -> None:
        """The person enters the same code once more."""
        product.emulator.fault("RespondToAuthChallenge:SMS_MFA", "throttle", times=5)
        result = sshd.run("alice", RIGHT, sent_code(product), sent_code(product), method=KEYBOARD)
        assert result.accepted
        golden.check("ssh: a code that Cognito was too busy for", result.prompts)
        assert len(product.emulator.outbox("alice", product.pool["pool_id"])) == 1

    def test_for_good(self, machine: Machine, product: Product) -> None:
        product.emulator.fault("RespondToAuthChallenge:SMS_MFA", "throttle")
        mark = machine.log_mark()
        code = sent_code(product)
        with login(machine, "alice", RIGHT, code, code, code) as session:
            assert session.refused and "Cognito is too busy at the moment. Try again in a minute." in session.seen
        assert machine.log(mark, containing="reason=throttled")
        assert_nobody_came_in(product)


class TestNewPassword:
    @pytest.fixture(autouse=True)
    def secrets(self, product: Product) -> None:
        product.emulator.note_secret("password", NEW)

    @pytest.mark.parametrize("host", ["ssh", "login", "su"])
    def test_new_password(self, product: Product, sshd: Sshd, golden: Golden, host: str) -> None:
        machine = product.machine
        with product.other_pool({}):
            product.member(status="FORCE_CHANGE_PASSWORD")
            with opened(product, sshd, host, RIGHT, NEW, NEW) as session:
                assert session.accepted, session.seen
                golden.check(f"{host}: new password", session.prompts)
                session.logout()
            login(machine, "alice", NEW).visit()

    def test_everything_that_can_be_wrong(self, product: Product, sshd: Sshd, golden: Golden) -> None:
        policy = {"MinimumLength": 12, "RequireNumbers": True}
        with product.other_pool({"password_policy": policy}):
            product.member(status="FORCE_CHANGE_PASSWORD")
            result = sshd.run("alice", RIGHT, NEW, "another", "short", "short", NEW, NEW, method=KEYBOARD)
            assert result.accepted
            golden.check("ssh: new password, with mistakes", result.prompts)

    def test_spaces_at_an_edge(self, product: Product, sshd: Sshd, golden: Golden) -> None:
        """Cognito takes none, and says so in words for programs."""
        with product.other_pool({}):
            product.member(status="FORCE_CHANGE_PASSWORD")
            spaced = "Better Battery 2!"
            product.emulator.note_secret("password", spaced)
            result = sshd.run("alice", RIGHT, f" {spaced}", spaced, spaced, method=KEYBOARD)
            assert result.accepted
            golden.check("ssh: new password, with a space at its edge", result.prompts)

    def test_address_of_another_account(self, product: Product, sshd: Sshd, golden: Golden) -> None:
        """Asked for again, and nothing else with it."""
        with product.other_pool({"required_attributes": ["email", "family_name"]}):
            product.member(status="FORCE_CHANGE_PASSWORD", email=None)
            product.emulator.fault(
                "RespondToAuthChallenge:NEW_PASSWORD_REQUIRED",
                "error",
                name="AliasExistsException",
                message="An account with the email already exists.",
                times=1,
            )
            answers = (RIGHT, NEW, NEW, "García", "bob@example.com", "ana@example.com")
            result = sshd.run("alice", *answers, method=KEYBOARD)
            assert result.accepted
            golden.check("ssh: new password, with somebody else's address", result.prompts)
            last = responses(product)[-1]
            assert last["userAttributes.email"] == "ana@example.com"
            assert last["userAttributes.family_name"] == "García"

    def test_then_a_code_that_comes_too_late(self, product: Product, golden: Golden) -> None:
        """Not begun anew: the password that was typed is none any more."""

        def late(_: str) -> str:
            product.emulator.expire_challenge_sessions("alice")
            return product.emulator.codes("alice")[-1]

        with product.other_pool({"mfa": "OPTIONAL"}):
            product.member(status="FORCE_CHANGE_PASSWORD", mfa=["EMAIL_OTP"])
            with login(product.machine, "alice", RIGHT, NEW, NEW, late) as session:
                assert session.refused and "Your new password is set" in session.seen
                golden.check("login: new password, then too late", session.prompts)
            assert product.operations().count("InitiateAuth") == 1

    def test_password_method_of_sshd(self, product: Product, sshd: Sshd) -> None:
        """It answers "New password" with the old one: nothing is changed."""
        with product.other_pool({}):
            product.member(status="FORCE_CHANGE_PASSWORD")
            result = sshd.run("alice", RIGHT, method="password")
            assert not result.accepted
            assert len(responses(product)) == 1
            assert_nobody_came_in(product)


class TestSetUp:
    @pytest.mark.parametrize("host", ["ssh", "login"])
    def test_app(self, product: Product, sshd: Sshd, golden: Golden, host: str, tmp_path: Path) -> None:
        """The key as text makes the right codes, and the picture holds the same key, read by zbarimg."""
        machine = product.machine
        env = {"LC_ALL": "C.UTF-8"}
        with product.other_pool({"mfa": "ON", "mfa_methods": ["SOFTWARE_TOKEN_MFA"]}):
            product.member()
            wrong = WRONG_CODES[0]
            answers = (RIGHT, wrong, lambda prompt: totp(shown_key(prompt)))
            with (
                sshd.open("alice", *answers, method=KEYBOARD, env=env)
                if host == "ssh"
                else login(machine, "alice", *answers) as session
            ):
                assert session.accepted, session.seen
                golden.check(f"{host}: setting an app up, with a wrong code", session.prompts)
                secret, picture = shown_key(session.prompts[1]), session.prompts[1]
                session.logout()
            assert _read_picture(picture, tmp_path) == (
                f"QR-Code:otpauth://totp/Cognito:alice?secret={secret}&issuer=Cognito"
            )
            login(machine, "alice", RIGHT, lambda _: totp(secret)).visit()


def _read_picture(prompt: str, folder: Path) -> str:
    """What a camera would read from the terminal: block characters become pixels."""
    lines = [line for line in prompt.replace("\r", "").split("\n") if re.fullmatch(r"[ \u2580\u2584\u2588]{20,}", line)]
    rows: list[list[int]] = []
    for line in lines:
        rows.append([255 if block in "\u2580\u2588" else 0 for block in line])
        rows.append([255 if block in "\u2584\u2588" else 0 for block in line])
    scale = 8
    width = max(len(row) for row in rows)
    pixels = bytearray()
    for row in rows:
        line = b"".join(bytes([value]) * scale for value in row + [0] * (width - len(row)))
        pixels += line * scale
    path = folder / "screen.pgm"
    path.write_bytes(f"P5 {width * scale} {len(rows) * scale} 255\n".encode() + pixels)
    done = subprocess.run(["zbarimg", "--quiet", str(path)], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _round_trips(product: Product) -> int:
    return sum(name in ("InitiateAuth", "RespondToAuthChallenge") for name in product.operations())


class TestChoice:
    """auth_flow = choice: a pool in which people need no password."""

    @pytest.mark.parametrize(
        ("preferred", "round_trips"), [("password_srp", 2), ("password", 1), ("email_otp", 2), ("sms_otp", 2)]
    )
    def test_preferred(self, product: Product, sshd: Sshd, golden: Golden, preferred: str, round_trips: int) -> None:
        with product.other_pool(CHOICE, auth_flow="choice", preferred_challenge=preferred):
            product.member(phone_number=PHONE)
            answer = RIGHT if "password" in preferred else sent_code(product)
            result = sshd.run("alice", answer, method=KEYBOARD)
            assert result.accepted
            golden.check(f"ssh: choice, beginning with {preferred}", result.prompts)
            assert _round_trips(product) == round_trips

    @pytest.mark.parametrize(("number", "round_trips"), [("1", 3), ("2", 3)])
    def test_menu(self, product: Product, sshd: Sshd, golden: Golden, number: str, round_trips: int) -> None:
        with product.other_pool(CHOICE, auth_flow="choice"):
            product.member(passkey=True)
            result = sshd.run("alice", number, RIGHT if number == "1" else sent_code(product), method=KEYBOARD)
            assert result.accepted
            golden.check(f"ssh: choice by the person, {number}", result.prompts)
            assert _round_trips(product) == round_trips

    def test_passkey_alone(self, product: Product) -> None:
        with product.other_pool(CHOICE | {"first_factors": ["WEB_AUTHN", "SMS_OTP"]}, auth_flow="choice"):
            product.member(password=None, passkey=True)
            with su(product.machine, "bob", "alice") as session:
                assert session.refused and "passkey" in session.seen

    @pytest.mark.parametrize(
        ("factors", "answers"),
        [(["PASSWORD"], [RIGHT]), (["EMAIL_OTP"], [None]), (["PASSWORD", "EMAIL_OTP"], ["2", None])],
        ids=["password", "code", "menu"],
    )
    def test_passkey_at_once(
        self, product: Product, sshd: Sshd, golden: Golden, factors: list[str], answers: list[str | None]
    ) -> None:
        """WEB_AUTHN as the first challenge is declined, and the sign-in begun anew with another factor."""
        with product.other_pool(CHOICE | {"first_factors": ["WEB_AUTHN", *factors]}, auth_flow="choice"):
            product.member(passkey_first=True)
            code = sent_code(product)
            result = sshd.run("alice", *(answer or code for answer in answers), method=KEYBOARD)
            assert result.accepted
            golden.check(f"ssh: a passkey declined for {' or '.join(factors)}", result.prompts)
            assert product.operations().count("InitiateAuth") == 2

    def test_passkey_at_once_and_nothing_else(self, product: Product) -> None:
        with product.other_pool(CHOICE | {"first_factors": ["WEB_AUTHN"]}, auth_flow="choice"):
            product.member(password=None, passkey_first=True)
            with login(product.machine, "alice", RIGHT) as session:
                assert session.refused
        assert_nobody_came_in(product)

    def test_password_method_of_sshd(self, product: Product, sshd: Sshd) -> None:
        """sshd has a password already; the pool wants none, and gets none."""
        with product.other_pool(CHOICE, auth_flow="choice", preferred_challenge="email_otp"):
            product.member()
            result = sshd.run("alice", RIGHT, method="password")
            assert not result.accepted
            assert_nobody_came_in(product)

    def test_unknown_user(self, machine: Machine, product: Product) -> None:
        """Is asked as often as anybody else, and refused with the same words; the address is Cognito's to make up."""

        def masked(prompt: str) -> str:
            return re.sub(r"\S+@\S+:", "<address>:", prompt)

        options = CHOICE | {"prevent_user_existence_errors": "ENABLED"}
        with product.other_pool(options, auth_flow="choice", preferred_challenge="email_otp"):
            with login(machine, "alice", *WRONG_CODES) as session:
                assert session.refused
                unknown = [masked(prompt) for prompt in session.prompts]
            product.forget_failures("alice")
            product.member()
            with login(machine, "alice", *WRONG_CODES) as session:
                assert session.refused
                assert [masked(prompt) for prompt in session.prompts] == unknown


class TestCustom:
    @pytest.mark.parametrize("first", ["none", "password_srp"])
    def test_questions(self, product: Product, sshd: Sshd, golden: Golden, first: str) -> None:
        options = CUSTOM | {"custom_rounds": list(ROUNDS), "custom_attempts": 2}
        with product.other_pool(options, auth_flow="custom", preferred_challenge=first):
            product.member()
            password = [] if first == "none" else [RIGHT]
            result = sshd.run("alice", *password, "5", "4", "á b", method=KEYBOARD)
            assert result.accepted
            golden.check(f"ssh: the pool's own questions, {first} before", result.prompts)

    def test_wrong_answer(self, product: Product, sshd: Sshd) -> None:
        with product.other_pool(CUSTOM | {"custom_rounds": list(ROUNDS)}, auth_flow="custom"):
            product.member()
            result = sshd.run("alice", "5", method=KEYBOARD)
            assert not result.accepted
            assert_nobody_came_in(product)


class TestForeignChallenge:
    """The flow decides which challenges may come, not the service: under SRP nothing makes the password leave."""

    @pytest.mark.parametrize("where", ["InitiateAuth", "RespondToAuthChallenge:PASSWORD_VERIFIER"])
    @pytest.mark.parametrize("challenge", ["PASSWORD", "SELECT_CHALLENGE", "CUSTOM_CHALLENGE", "RETINA_SCAN"])
    def test_srp(self, machine: Machine, product: Product, where: str, challenge: str) -> None:
        answer = {
            "ChallengeName": challenge,
            "Session": "s" * 40,
            "ChallengeParameters": {"USERNAME": "alice"},
            "AvailableChallenges": ["PASSWORD"],
        }
        product.emulator.fault(where, "body", text=json.dumps(answer))
        mark = machine.log_mark()
        with login(machine, "alice", RIGHT) as session:
            assert session.refused
        (line,) = machine.log(mark, containing="reason=challenge_not_supported")
        assert challenge in line.message and "auth_flow" in line.message
        assert not any(RIGHT in json.dumps(request["body"]) for request in product.emulator.requests())
        assert not any("ANSWER" in answer for answer in responses(product))
        assert_nobody_came_in(product)


class TestCombinedCode:
    """combined_code = yes: one answer for programs that know one question only."""

    @pytest.fixture(autouse=True)
    def pool(self, product: Product) -> Iterator[None]:
        with product.other_pool(APP, combined_code="yes"):
            product.member(mfa=["SOFTWARE_TOKEN_MFA"], totp_secret=SECRET)
            yield

    @pytest.mark.parametrize("method", ["password", KEYBOARD])
    def test_right(self, product: Product, sshd: Sshd, method: str) -> None:
        result = sshd.run("alice", RIGHT + totp(), method=method, command=product.read_tokens)
        assert product.tokens(result.output).payload["username"] == "alice"
        assert _round_trips(product) == 3

    @pytest.mark.parametrize("code", ["", "000000"])
    def test_wrong_with_the_password_method(self, product: Product, sshd: Sshd, code: str) -> None:
        result = sshd.run("alice", RIGHT + code, method="password")
        assert not result.accepted
        assert_nobody_came_in(product)

    def test_asked_for_when_it_was_not_there(self, product: Product, sshd: Sshd) -> None:
        assert sshd.run("alice", RIGHT, lambda _: totp(), method=KEYBOARD).accepted


class TestWhoMayComeIn:
    def test_groups_of_a_service(self, machine: Machine, product: Product) -> None:
        """Module arguments in one service's stack; the log names the rule that decided."""
        stack = machine.read("/etc/pam.d/su")
        rules = {
            "[allowed_groups=ops staff]": (True, "allowed_groups='staff'"),
            "allowed_groups=ops": (False, "allowed_groups contains none"),
            "denied_groups=staff": (False, "denied_groups contains this user's group 'staff'"),
        }
        for arguments, (accepted, said) in rules.items():
            with machine.preserved("/etc/pam.d/su"):
                auth = f"auth required pam_cognito.so {arguments}\n"
                machine.write("/etc/pam.d/su", stack.replace("@include cognito-auth", auth), 0o644)
                mark = machine.log_mark()
                with su(machine, "bob", "alice", RIGHT) as session:
                    assert session.accepted == accepted, session.seen
                    if accepted:
                        session.logout()
            assert machine.log(mark, containing=said), arguments
        # The worker revokes a refused person's tokens after the host has gone on.
        machine.wait_until(lambda: not product.tokens_given(), "the end of all tokens")

    @pytest.mark.parametrize("refuses", [False, True])
    def test_key_logins(self, machine: Machine, product: Product, sshd: Sshd, refuses: bool) -> None:
        sshd.authorize("carol")
        product.configure(key_logins="refuse" if refuses else "ignore")
        mark = machine.log_mark()
        assert sshd.run("carol", method="publickey").accepted != refuses
        assert sshd.run("carol", RIGHT, method=KEYBOARD).accepted
        assert sshd.run("bob", LOCAL, method=KEYBOARD).accepted
        assert len(machine.log(mark, containing="reason=key_login")) == refuses


class TestWhatCognitoIsTold:
    @pytest.mark.parametrize("sent", [True, False])
    def test_address_and_metadata(self, product: Product, sshd: Sshd, sent: bool) -> None:
        word = "yes" if sent else "no"
        product.configure(send_client_address=word, send_client_metadata=word)
        assert sshd.run("alice", RIGHT, method=KEYBOARD).accepted
        for name in ("InitiateAuth", "RespondToAuthChallenge"):
            (request,) = product.emulator.requests(name)
            context, metadata = request["body"].get("UserContextData"), request["body"].get("ClientMetadata")
            assert context == ({"IpAddress": "127.0.0.1"} if sent else None)
            assert (metadata is not None) == sent
            if sent:
                assert metadata["service"] == "sshd" and metadata["host"]

    def test_defaults(self, product: Product) -> None:
        """No address where there is no network, and nothing for triggers."""
        with login(product.machine, "alice", RIGHT) as session:
            session.logout()
        (request,) = product.emulator.requests("InitiateAuth")
        assert "UserContextData" not in request["body"] and "ClientMetadata" not in request["body"]
