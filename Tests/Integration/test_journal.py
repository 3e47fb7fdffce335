"""journal = yes: who has an open session is on disk, so that a power cut does not leave tokens that nobody knows of."""

from collections.abc import Iterator

import pytest

from Emulator.instance_metadata import ADDRESSES, ROLES, TOKEN_PATH

from .emulated_cognito import EmulatedCognito
from .instance import ROLE, Instance
from .machine import Machine
from .pam_driver import PamDriver
from .product import AGENT, RIGHT, Product
from .residue import SecretSearch

FOLDER = "/var/lib/pam-cognito/journal"
NAME = "0123456789abcdef0123456789abcdef.4711"


@pytest.fixture(autouse=True)
def journal(machine: Machine, product: Product) -> Iterator[None]:
    product.configure(journal="yes")
    yield
    machine.run(["rm", "-rf", "/var/lib/pam-cognito"])


def files(machine: Machine) -> list[str]:
    return machine.run(["find", FOLDER, "-mindepth", "1", "-printf", "%f\n"]).stdout.split()


def started_again(machine: Machine, *arguments: str) -> str:
    """What a round says on the same disk after another start: in keyrings of its own, under another boot id."""
    done = machine.run(
        [
            "unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
            "echo 0c96a1d5-6d0e-4ae2-a2a0-3b0b9b3f5a11 >/tmp/boot_id && "
            f"mount --bind /tmp/boot_id /proc/sys/kernel/random/boot_id && exec {AGENT} reap {' '.join(arguments)}",
        ]
    )  # fmt: skip
    assert done.returncode == 0, done
    return done.stdout


KEYS = {"access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
IAM = "/etc/security/pam_cognito.iam"


def crash(machine: Machine, product: Product) -> None:
    """A session whose machine stops: everything of it is gone but what is on the disk."""
    with product.signed_in():
        product.await_rounds()
        kept = machine.run(["sh", "-c", f"cp -a {FOLDER} /tmp/journal"])
        assert kept.returncode == 0, kept
    machine.forget_keys()
    machine.run(["sh", "-c", f"rm -rf {FOLDER}; mv /tmp/journal {FOLDER}; sed -i 's/^boot ./boot x/' {FOLDER}/*"])
    assert len(files(machine)) == 1 and not product.entries()


def give_keys(product: Product, secret_search: SecretSearch, **changes: str) -> None:
    secret_search.allow(f"*{IAM}")
    keys = KEYS | changes
    text = "[default]\n" + "".join(f"aws_{name} = {value}\n" for name, value in keys.items())
    product.machine.write(IAM, text, mode=0o600)
    product.configure(journal="yes", iam_credentials_file=IAM, check_interval="0")


@pytest.mark.parametrize("expires", [r"\0", "expires 1"], ids=["", "by a clock that is far ahead"])
def test_a_crash_is_made_good(machine: Machine, product: Product, secret_search: SecretSearch, expires: str) -> None:
    """With an IAM identity, the first round after the start ends what the crash left; Cognito refuses the tokens."""
    product.emulator.iam_identity(**KEYS, actions=["AdminUserGlobalSignOut"])
    give_keys(product, secret_search)
    before = len(product.tokens_given())
    crash(machine, product)
    machine.run(["sh", "-c", f"sed -i 's/^expires .*/{expires}/' {FOLDER}/*"])
    assert len(product.tokens_given()) > before
    assert "would be signed out everywhere" in product.reap("--dry-run").stdout
    done = product.reap()
    assert done.returncode == 0 and "outcome=revoked_everywhere: the session ended in a crash\n" in done.stdout, done
    assert len(product.tokens_given()) == before and not files(machine)


def test_a_machine_that_is_gone(
    machine: Machine, product: Product, secret_search: SecretSearch, emulated_cognito: EmulatedCognito
) -> None:
    """All of it is killed at once; another one starts with its disk, ends the session, and leaves others alone."""
    product.emulator.iam_identity(**KEYS, actions=["AdminUserGlobalSignOut"])
    give_keys(product, secret_search)
    with Machine("first", visible=[emulated_cognito.directory]) as first:
        emulated_cognito.reach_from(first)
        first.write("/tmp/boot_id", "0c96a1d5-6d0e-4ae2-a2a0-3b0b9b3f5a11\n")
        first.run(["mount", "--bind", "/tmp/boot_id", "/proc/sys/kernel/random/boot_id"], check=True)
        before = Product(first, product.emulator, product.pool)
        before.configure(journal="yes")
        driver = PamDriver(first, "alone", "alice")
        assert driver.authenticate(RIGHT).code == "PAM_SUCCESS"
        assert driver.call("open_session").code == "PAM_SUCCESS"
        bundles = product.tokens_given()
        (name,) = files(first)
        kept = first.read(f"{FOLDER}/{name}")
    assert product.tokens_given() == bundles and not files(machine)
    machine.write(f"{FOLDER}/{name}", kept, mode=0o600)
    with product.signed_in("carol"):
        assert product.reap().stdout.endswith("outcome=revoked_everywhere: the session ended in a crash\n")
        assert not product.tokens_given() and len(product.tokens_given("carol")) == 1
    assert len(files(machine)) == 1 and product.reap("--now").returncode == 0
    assert not files(machine) and not product.tokens_given("carol")


def test_keys_that_will_not_do(machine: Machine, product: Product, secret_search: SecretSearch) -> None:
    product.emulator.iam_identity(**KEYS, actions=["AdminUserGlobalSignOut"])
    give_keys(product, secret_search, secret_access_key="another")
    crash(machine, product)
    failed = product.reap()
    assert failed.returncode == 1 and failed.stdout.count("sign-out not finished; user='alice' ") == 1, failed
    assert "AWS refused this machine's IAM identity (InvalidSignatureException)" in failed.stdout
    machine.run(["chmod", "644", IAM])
    assert f"{IAM}: iam_credentials_file can be read by users other than root" in product.reap("--now").stdout
    give_keys(product, secret_search)
    assert product.reap("--now").returncode == 0 and not files(machine)


def test_a_newer_session_is_left_alone(machine: Machine, product: Product, secret_search: SecretSearch) -> None:
    """To sign the person out everywhere would end it, too."""
    product.emulator.iam_identity(**KEYS, actions=["AdminUserGlobalSignOut"])
    give_keys(product, secret_search)
    crash(machine, product)
    with product.signed_in() as driver:
        product.emulator.clear_requests()
        assert product.reap().returncode == 0 and not product.operations() and len(files(machine)) == 2
        driver.call("close_session")
    assert product.reap().stdout.count("signed out; user='alice' ") == 1 and not files(machine)


@pytest.fixture(scope="module")
def instance(machine: Machine, product: Product, emulated_cognito: EmulatedCognito) -> Iterator[Instance]:
    made = Instance(machine, emulated_cognito)
    yield made
    made.process.end()


def give_role(product: Product, **changes: object) -> None:
    product.emulator.iam_identity(
        access_key_id=ROLE["AccessKeyId"],
        secret_access_key=ROLE["SecretAccessKey"],
        **{"session_token": ROLE["Token"], "actions": ["AdminUserGlobalSignOut"]} | changes,
    )
    product.configure(journal="yes", iam_instance_metadata="yes", check_interval="0")


def test_the_role_of_an_instance(machine: Machine, product: Product, instance: Instance) -> None:
    """Its keys are asked for by the worker, which the firewall lets through, as root; nobody else has them."""
    reached = {user: [instance.reached_by(user, address) for address in ADDRESSES] for user in ("alice", "nobody")}
    assert reached == {"alice": [False, False], "nobody": [False, False]}
    assert instance.reached_by("_pam-cognito", ADDRESSES[0]) and instance.reached_by("root", ADDRESSES[1])
    give_role(product)
    before = len(product.tokens_given())
    instance.answer()
    crash(machine, product)
    assert not instance.requests, "a sign-in has no business there"
    done = product.reap()
    assert done.returncode == 0 and "outcome=revoked_everywhere: the session ended in a crash\n" in done.stdout, done
    assert len(product.tokens_given()) == before and not files(machine)
    assert instance.requests == [f"PUT {TOKEN_PATH} 200", f"GET {ROLES} 200", f"GET {ROLES}reaper 200"]


def test_metadata_that_will_not_do(machine: Machine, product: Product, instance: Instance) -> None:
    give_role(product)
    crash(machine, product)
    cases = [
        ({TOKEN_PATH: {"status": 404}}, "refused a session token (PUT /latest/api/token) with HTTP 404", 1),
        ({TOKEN_PATH: {"status": 302}}, "HTTP 302", 1),
        ({TOKEN_PATH: {"seconds": 4}}, "no answer in time", 1),
        ({ROLES: {"size": 1 << 20}}, "the response was larger than 16384 bytes", 2),
        ({ROLES: {"status": 404}}, "has no role", 2),
        ({ROLES + "reaper": {"body": "{'garbage"}}, "did not return the keys of the instance's role", 3),
    ]
    for answers, said, count in cases:
        instance.answer(**answers)
        failed = product.reap("--now")
        assert failed.returncode == 1 and "sign-out not finished; user='alice' " in failed.stdout, failed
        assert said in failed.stdout and "garbage" not in failed.stdout, failed
        assert len(instance.requests) == count
    instance.answer()
    give_role(product, actions=[])
    assert "AccessDeniedException): check the instance's role" in product.reap("--now").stdout
    give_role(product)
    assert product.reap("--now").returncode == 0 and not files(machine)


def test_what_a_session_leaves_on_disk(machine: Machine, product: Product) -> None:
    with product.signed_in() as driver:
        (name,) = files(machine)
        modes = machine.run(["stat", "-c", "%a %U %F", FOLDER, f"{FOLDER}/{name}"]).stdout
        assert modes == "700 root directory\n600 root regular file\n"
        text = machine.run(["cat", f"{FOLDER}/{name}"]).stdout
        assert "\nuser alice\n" in text and f"\nuser_pool_id {product.pool['pool_id']}\n" in text
        assert not [token for token in product.tokens_given() if str(token) in text]
        assert product.reap().stdout == "" and files(machine) == [name], "the registry knows it"
        driver.call("close_session")
    assert not files(machine) and not product.entries()


def test_a_power_cut(machine: Machine, product: Product) -> None:
    """The registry is gone, the disk is there: whose session it was is said once."""
    with product.signed_in() as driver:
        kept = files(machine)
        assert len(kept) == 1
        assert started_again(machine, "--dry-run").count("session left over; user='alice' ") == 1
        said = started_again(machine)
        assert said.count("session left over; user='alice' ") == 1 and "admin-user-global-sign-out" in said, said
        assert started_again(machine) == "" and files(machine) == kept
        driver.call("close_session")
    assert not files(machine) and not product.entries()


@pytest.mark.parametrize(
    "make",
    [
        f"ln -s /etc/shadow {NAME}",
        f"echo 'pam-cognito journal 1' >{NAME}; chown alice {NAME}",
        f"head -c 100 /dev/urandom >{NAME}; chmod 600 {NAME}",
        f"head -c 2000000 /dev/zero >{NAME}; chmod 600 {NAME}",
        f"mkfifo -m 600 {NAME}",
    ],
    ids=["link", "owner", "garbage", "huge", "fifo"],
)
def test_files_that_are_not_ours(machine: Machine, product: Product, make: str) -> None:
    before = machine.run(["sha256sum", "/etc/shadow"]).stdout
    machine.run(["sh", "-c", f"mkdir -p -m 700 {FOLDER} && cd {FOLDER} && {make}"])
    assert files(machine) == [NAME]
    done = product.reap()
    assert (done.returncode, done.stdout) == (0, f"a damaged journal file was removed: {NAME}\n"), done
    assert not files(machine) and machine.run(["sha256sum", "/etc/shadow"]).stdout == before


def test_what_a_crash_left_half_written(machine: Machine, product: Product) -> None:
    """Also of a remembered device, which is a secret. A file that somebody may be writing now stays."""
    folders = f"{FOLDER} {FOLDER.removesuffix('journal')}devices"
    made = f"mkdir -p -m 700 {folders}; for d in {folders}; do cd $d; touch .new.1 keep; touch -d -2hour .new.12; done"
    assert machine.run(["sh", "-c", made]).returncode == 0
    assert (product.reap("--dry-run").stdout, product.reap().stdout) == ("", "")
    left = machine.run(["sh", "-c", f"cd /; ls -A {folders}"]).stdout
    assert left.count(".new.1\nkeep\n") == 2 and ".new.12" not in left, left


def test_a_folder_that_is_not_roots(machine: Machine, product: Product) -> None:
    """Nothing is written there nor believed, and people come in all the same."""
    machine.run(["sh", "-c", f"mkdir -p {FOLDER} && chown alice {FOLDER}"])
    mark = machine.log_mark()
    with product.signed_in() as driver:
        assert machine.log(mark, containing="cannot be written to /var/lib/pam-cognito/journal (errno 1)")
        done = product.reap()
        assert done.returncode == 1 and "cannot be read (errno 1)" in done.stdout, done
        driver.call("close_session")
    assert not files(machine) and not product.entries()
