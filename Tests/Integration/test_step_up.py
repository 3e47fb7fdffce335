"""required_acr: sudo asks only for what the session lacks, and whoever would like it to ask for less.

What Cognito makes of TARGET_ACR_VALUES is our reading of its documents: `Emulator/behaviours/levels.py`.
"""

import json
import re
from collections.abc import Iterator

import pytest

from .agent_process import AgentProcess
from .challenges import SECRET, totp
from .hosts import Sshd, SshSession, allow_sudo
from .machine import Machine
from .product import RIGHT, Product
from .test_try_session import changed, set_options

ONE, FOUR = "urn:cognito:loa:1", "urn:cognito:loa:4"
ANY = f"{ONE} urn:cognito:loa:3 {FOUR}"
POOL = {
    "auth_flows": ["ALLOW_USER_AUTH", "ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
    "first_factors": ["PASSWORD", "EMAIL_OTP"],
}
APP = {"mfa": ["SOFTWARE_TOKEN_MFA"], "totp_secret": SECRET}
CODE = r"Code from your authenticator app \(TOTP device\): "
PASSWORD = "password for alice: "


@pytest.fixture(scope="module")
def sshd(machine: Machine, product: Product, agent: AgentProcess) -> Iterator[Sshd]:
    allow_sudo(machine, "alice", "carol", defaults=("passwd_tries=1", "!lecture", "timestamp_timeout=0"))
    set_options(machine, "sudo", f"[required_acr={FOUR}]", "max_age=8h")
    with Sshd(machine) as server:
        yield server


@pytest.fixture
def pool(product: Product, sshd: Sshd) -> Iterator[None]:
    with product.other_pool(POOL, required_acr=ANY):
        product.member(**APP)
        yield
    product.forget_failures("alice")


@pytest.fixture
def shell(machine: Machine, product: Product, sshd: Sshd, pool: None) -> Iterator[SshSession]:
    """alice, who has signed in with her password alone."""
    with sshd.open("alice", RIGHT) as session:
        assert session.accepted
        product.emulator.clear_requests()
        yield session
        product.emulator.clear_faults()
        session.logout()
    machine.wait_until(lambda: not product.entries(), "the end of the session")


def begun(product: Product) -> list[dict]:
    """What was sent with InitiateAuth."""
    return [request["body"]["AuthParameters"] for request in product.emulator.requests("InitiateAuth")]


def line(machine: Machine, mark: int, containing: str) -> str:
    (found,) = machine.lines(mark, containing=containing)
    return found


def sudo(shell: SshSession, *answers: tuple[str, object], succeeds: bool) -> None:
    """sudo on the session's terminal, with each question and what is typed then."""
    shell.terminal.type_line("sudo id -un; echo status=$?")
    for question, text in answers:
        shell.terminal.answer(question, text() if callable(text) else text)
    shell.terminal.expect("status=0\r\n" if succeeds else "status=1\r\n")


def test_the_code_alone(machine: Machine, product: Product, shell: SshSession) -> None:
    """With the session's own access token; the tokens of the proof end with it, those of the session do not."""
    before = product.tokens(shell.command(product.read_tokens).output)
    product.emulator.clear_requests()
    mark = machine.log_mark()
    sudo(shell, (CODE, totp), succeeds=True)
    assert product.operations() == ["GetUser", "InitiateAuth", "RespondToAuthChallenge", "RevokeToken"]
    (sent,) = begun(product)
    assert sent["ACCESS_TOKEN"] == before.access
    assert (sent["TARGET_ACR_VALUES"], sent["MAX_AGE"], sent["USERNAME"]) == (FOUR, "28800", "alice")
    assert product.tokens(shell.command(product.read_tokens).output).access == before.access
    assert product.alive(before) == {**product.alive(before), "access": True, "refresh": True}
    assert len(product.tokens_given()) == 1 and len(product.entries()) == 1
    found = line(machine, mark, "stepped up")
    fields = rf"allowed_groups='staff' acr='{FOUR}' amr='pwd,otp,mfa' auth_time=\d+$"
    assert re.search(rf"user='alice' session=\d+ service='sudo' rhost='' pool=\S+ {fields}", found), found
    # The next one needs its own: nothing of this one is kept.
    product.emulator.clear_requests()
    sudo(shell, (CODE, "000000"), (CODE, "111111"), (CODE, "222222"), succeeds=False)
    assert len(product.tokens_given()) == 1
    assert not any(RIGHT in str(request) for request in product.emulator.requests())


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("claims", {"set": {"acr": ONE}}),
        ("claims", {"set": {"acr": f"{FOUR}\n"}}),
        ("claims", {"set": {"acr": [FOUR]}}),
        ("claims", {"set": {"auth_time": 1_700_000_000}}),
        ("claims", {"set": {"iat": 1_700_000_000}}),
        ("claims", {"set": {"sub": "00000000-0000-0000-0000-000000000000"}}),
        ("claims", {"set": {"cognito:groups": ["guests"]}}),
        ("missing_claim", {"claim": "acr"}),
        ("missing_claim", {"claim": "acr", "tokens": ["AccessToken"]}),
        ("missing_claim", {"claim": "auth_time"}),
        ("missing_claim", {"claim": "iat"}),
        ("other_user", {"username": "carol"}),
        ("bad_signature", {}),
        ("alg_none", {}),
        ("expired", {}),
    ],
)
def test_no_proof(machine: Machine, product: Product, shell: SshSession, kind: str, arguments: dict) -> None:
    """Whatever is wrong with the tokens: nobody becomes root, and they are revoked."""
    product.member("carol")
    product.emulator.fault("RespondToAuthChallenge", kind, **arguments)
    mark = machine.log_mark()
    sudo(shell, (CODE, totp), succeeds=False)
    assert "authentication failure" in line(machine, mark, "reason=")
    machine.wait_until(lambda: len(product.tokens_given()) == 1, "the end of the proof's tokens")
    assert len(product.entries()) == 1


@pytest.mark.parametrize(
    "name", ["PASSWORD", "PASSWORD_SRP", "PASSWORD_VERIFIER", "NEW_PASSWORD_REQUIRED", "MFA_SETUP"]
)
def test_asked_for_the_password(machine: Machine, product: Product, shell: SshSession, name: str) -> None:
    """It was proved: whoever asks for it in a step-up is not answered."""
    product.emulator.fault("InitiateAuth", "unknown_challenge", name=name, parameters={"USERNAME": "alice"})
    mark = machine.log_mark()
    sudo(shell, succeeds=False)
    assert "reason=challenge_not_supported" in line(machine, mark, "authentication failure")
    assert product.operations() == ["GetUser", "InitiateAuth"]


def test_wholly(machine: Machine, product: Product, shell: SshSession) -> None:
    """Where the session proves too little, or too long ago: the password and the code, and its token is not shown."""
    with changed(machine, "sudo", "max_age=8h", "max_age=1s"):
        machine.wait_until(lambda: shell.command("date +%s").status == 0, "the shell")
        signed_in = int(product.tokens_given()[0]["issued"])
        machine.wait_until(lambda: int(machine.run(["date", "+%s"]).stdout) > signed_in + 2, "two seconds' age")
        sudo(shell, (PASSWORD, RIGHT), (CODE, totp), succeeds=True)
    assert begun(product) and not any("ACCESS_TOKEN" in sent for sent in begun(product))
    assert {sent["TARGET_ACR_VALUES"] for sent in begun(product)} == {FOUR}
    machine.wait_until(lambda: len(product.tokens_given()) == 1, "the end of the proof's tokens")


def test_nothing_is_missing(machine: Machine, product: Product, sshd: Sshd, pool: None) -> None:
    """Who has shown password and code at ssh, and lately, is not asked by sudo."""
    with machine.preserved("/etc/security/pam_cognito.conf"):
        product.configure(client_secret_file=None, required_acr=f"{FOUR} {ONE}")
        mark = machine.log_mark()
        with sshd.open("alice", RIGHT, lambda _: totp(), method="keyboard-interactive") as session:
            assert session.accepted
            assert f"acr='{FOUR}' amr='pwd,otp,mfa'" in line(machine, mark, "signed in;")
            product.emulator.clear_requests()
            sudo(session, succeeds=True)
            assert product.operations() == ["GetUser"]
            assert f"acr='{FOUR}' amr='pwd,otp,mfa'" in line(machine, mark, "session reused")
            session.logout()
    machine.wait_until(lambda: not product.entries(), "the end of the session")


def test_planted(machine: Machine, product: Product, shell: SshSession) -> None:
    """The token that Cognito is shown comes from root's registry, whatever keys a person makes."""
    product.emulator.clear_requests()
    payload = shell.command(product.read_tokens).output
    script = f"keyctl padd user {product.key_description} @s >/dev/null; sudo -S -p '' id -un"
    done = machine.run(["keyctl", "session", "-", "sh", "-c", script], user="alice", input=payload)
    assert done.returncode == 1 and "root" not in done.stdout
    assert not any("ACCESS_TOKEN" in sent for sent in begun(product))


def cognitos_findings(machine: Machine) -> list[str]:
    """What the doctor has against the way to Cognito, and the pool."""
    report = json.loads(machine.run(["cognito-session", "doctor", "--json"]).stdout)
    (area,) = (area for area in report["areas"] if area["area"] == "cognito")
    return [finding["what"] for finding in area["findings"]]


def test_the_doctor(machine: Machine, product: Product, sshd: Sshd) -> None:
    """It asks for a level in the name of nobody, and only where one is required: here by sudo's argument alone."""
    with product.other_pool({**POOL, "generate_secret": True}, required_acr=None):
        machine.write("/etc/security/pam_cognito.secret", product.pool["client_secret"], 0o600)
        product.configure(client_secret_file="/etc/security/pam_cognito.secret")
        product.emulator.clear_requests()
        assert not any("required_acr" in text for text in cognitos_findings(machine))
        (plain, sent) = begun(product)
        assert "TARGET_ACR_VALUES" not in plain
        assert sent["TARGET_ACR_VALUES"] == "urn:pam-cognito:no-level" and "ACCESS_TOKEN" not in sent
        with changed(machine, "sudo", f"[required_acr={FOUR}]", ""):
            product.emulator.clear_requests()
            cognitos_findings(machine)
            (plain,) = begun(product)
            assert "TARGET_ACR_VALUES" not in plain


@pytest.mark.parametrize(
    ("options", "words", "finding"),
    [
        ({"levels": "ignored"}, "the tokens contain no authentication level", "ignores authentication levels"),
        (
            {"parameters": {"UserPoolTier": "LITE"}},
            "need the Essentials or Plus feature plan",
            "needs the Essentials or Plus feature plan",
        ),
        ({"acr_names": {f"Level{n}": f"urn:x:{n}" for n in range(1, 5)}}, "the pool offers none of these levels", None),
        (
            {"auth_flows": ["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]},
            "enable ALLOW_USER_AUTH",
            "ALLOW_USER_AUTH",
        ),
    ],
)
def test_pools_without_levels(
    machine: Machine, product: Product, sshd: Sshd, options: dict, words: str, finding: str | None
) -> None:
    """Everybody is refused, and the log and the doctor say why."""
    pool = {**POOL, **options}
    if "LITE" in str(options):
        del pool["first_factors"]
    with product.other_pool(pool, required_acr=ANY, local_password="unavailable"):
        product.member(**APP)
        mark = machine.log_mark()
        assert not sshd.run("alice", RIGHT, method="keyboard-interactive").accepted
        found = line(machine, mark, "authentication failure")
        assert "reason=level_not_reached" in found and words in found, found
        machine.wait_until(lambda: not product.entries() and not product.tokens_given(), "nothing that is left")
        found = [text for text in cognitos_findings(machine) if "required_acr" in text]
        assert len(found) == (0 if finding is None else 1) and all(finding in text for text in found), found
    product.forget_failures("alice")
