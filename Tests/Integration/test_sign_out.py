"""A sign-out says what it has reached: everywhere, this session only and why, or nothing; and that is so at Cognito."""

import contextlib
import json
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .hosts import Sshd
from .product import RIGHT, Product
from .residue import SecretSearch

pytestmark = pytest.mark.ends_tokens

#: Whatever Cognito has against GlobalSignOut: the exception, its message, the log's word, and what the person is told.
REFUSALS = {
    "password reset": (
        ("PasswordResetRequiredException", "Password reset required for the user"),
        ("password_reset_required", "your password was reset"),
    ),
    "scopes": (
        ("NotAuthorizedException", "Access Token does not have required scopes"),
        ("scope", "the session's tokens do not permit a global sign-out"),
    ),
    "firewall": (
        ("ForbiddenException", "Request not allowed due to WAF block."),
        ("firewall", "the user pool's firewall (AWS WAF) refused the global sign-out"),
    ),
    "invalid parameter": (
        ("InvalidParameterException", "1 validation error detected"),
        ("configuration", "this machine's settings do not match the user pool"),
    ),
    "no such client": (
        ("ResourceNotFoundException", "User pool client x does not exist."),
        ("configuration", "this machine's settings do not match the user pool"),
    ),
    "not confirmed": (
        ("UserNotConfirmedException", "User is not confirmed."),
        ("not_confirmed", "your account is not confirmed"),
    ),
    "disabled": (("NotAuthorizedException", "User is disabled."), ("disabled", "your account is disabled")),
    "unknown": (("NewFangledException", "later"), ("refused", "Cognito refused the global sign-out")),
}
every_refusal = pytest.mark.parametrize("refusal", REFUSALS)


def given(product: Product) -> set[str]:
    """The sessions of hers that Cognito accepts."""
    return {session["origin_jti"] for session in product.tokens_given()}


@contextlib.contextmanager
def other_device(product: Product) -> Iterator[set[str]]:
    """Another session of hers, which this machine does not end."""
    assert not given(product)
    with product.signed_in() as driver:
        try:
            yield given(product)
        finally:
            driver.call("close_session")


def refuse(product: Product, refusal: str) -> str:
    """Lets Cognito refuse; the exception's name."""
    name, message = REFUSALS[refusal][0]
    status = 403 if name == "ForbiddenException" else 400
    product.emulator.fault("GlobalSignOut", "error", name=name, message=message, status=status)
    return name


@every_refusal
def test_refused_at_logout(product: Product, refusal: str) -> None:
    with other_device(product) as others:
        mark = product.machine.log_mark()
        with product.signed_in() as driver:
            name = refuse(product, refusal)
            assert driver.call("close_session").succeeded
        product.emulator.clear_faults()
        assert given(product) == others
        [line] = product.machine.log(mark, containing="signed out; user='alice'")
        words = f" outcome=only_this_session reason={REFUSALS[refusal][1][0]}: Cognito refused GlobalSignOut ({name}"
        assert words in line.message and line.level == "warning"


@every_refusal
def test_refused_to_the_tool(product: Product, sshd: Sshd, agent: AgentProcess, refusal: str) -> None:
    word, why = REFUSALS[refusal][1]
    with other_device(product) as others:
        for look in ("", "--json"):
            with sshd.open("alice", RIGHT) as session:
                refuse(product, refusal)
                told = session.command(f"COLUMNS=400 cognito-session sign-out --global --yes {look}")
                product.emulator.clear_faults()
                assert given(product) == others
                assert told.status == 9, told
                if look:
                    report = json.loads(told.output)
                    assert (report["exit_status"], report["code"], report["reached"]) == (9, 9000, "session")
                    assert (report["reason"], report["error"]) == (word, "partly")
                    assert report["message"].startswith("Error signing out: only this") and why in report["message"]
                else:
                    said = " ".join(told.output.split())
                    assert said.startswith(f"Error: Error signing out: only this session was signed out, because {why}")
                    assert "Your other devices may still be signed in" in said
                assert session.command("cognito-session --check").status == 1
                session.logout()


def test_everywhere(product: Product, sshd: Sshd, agent: AgentProcess) -> None:
    with other_device(product) as others, sshd.open("alice", RIGHT) as session:
        told = session.command("cognito-session sign-out --global --yes --json")
        assert told.status == 0 and json.loads(told.output)["reached"] == "everywhere"
        assert others and not given(product)
        session.logout()


KEYS = {"access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
IAM = "/etc/security/pam_cognito.iam"


@pytest.mark.parametrize("identity", ["none", "good", "denied"])
def test_from_a_session_that_was_over(
    product: Product, sshd: Sshd, agent: AgentProcess, secret_search: SecretSearch, identity: str
) -> None:
    """It can end no others. The machine's IAM identity can, where there is one."""
    secret_search.allow(f"*{IAM}")
    actions = ["AdminUserGlobalSignOut"] if identity == "good" else []
    product.emulator.iam_identity(**KEYS, actions=actions)
    text = "[default]\n" + "".join(f"aws_{name} = {value}\n" for name, value in KEYS.items())
    product.machine.write(IAM, text, mode=0o600)
    with other_device(product) as others, sshd.open("alice", RIGHT) as session:
        mine = product.tokens(session.command(product.read_tokens).output)
        client = {"ClientId": product.pool["client_id"], "ClientSecret": product.pool["client_secret"]}
        product.emulator.admin("RevokeToken", {"Token": mine.refresh, **client})
        assert given(product) == others
        mark = product.machine.log_mark()
        product.configure(**({} if identity == "none" else {"iam_credentials_file": IAM}))
        told = session.command("cognito-session sign-out --global --yes --json")
        product.configure()
        said = json.loads(told.output)
        [line] = product.machine.log(mark, containing="signed out; user='alice'")
        if identity == "good":
            assert (told.status, said["reached"], said["pending"]) == (0, "everywhere", False)
            assert not given(product) and " outcome=revoked_everywhere" in line.message
        else:
            assert (told.status, said["code"], said["reached"]) == (3, 9002, "nothing")
            assert "Your other devices may still be signed in. To sign out on all devices, sign in, " in said["message"]
            assert given(product) == others
            assert " outcome=only_this_session reason=already_revoked" in line.message
            assert ("AWS refused this machine's IAM identity" in line.message) == (identity == "denied")
        session.logout()


def test_nothing(product: Product, sshd: Sshd, agent: AgentProcess) -> None:
    """A firewall that lets nothing through: nobody is signed out, and the session is as it was."""
    with other_device(product) as others, sshd.open("alice", RIGHT) as session:
        mine = given(product) - others
        for kind in ("waf_403", "throttle"):
            product.emulator.fault("*", kind)
            told = session.command("cognito-session sign-out --global --yes --json")
            product.emulator.clear_faults()
            report = json.loads(told.output)
            assert told.status in (4, 70) and (report["code"], report["reached"]) == (9000, "nothing")
            assert given(product) == others | mine
            assert session.command("cognito-session --check").status == 0
        session.logout()
