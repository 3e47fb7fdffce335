"""One sign-in, then everything: what kubectl, git, docker and curl get of the session, and what nobody gets."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import kubectl, lost_output
from .agent_process import AgentProcess
from .hosts import Sshd, SshSession
from .lost_output import SINKS
from .machine import REPOSITORY, Machine
from .product import PEOPLE, RIGHT, Product
from .test_aws_credentials import read
from .test_session_tool import DESCRIPTION, JOIN, SECRET, STATES, InSession, bundle, token

PORT = 8443
EXEC_INFO = json.dumps(
    {"apiVersion": f"{kubectl.KUBERNETES}/v1", "kind": "ExecCredential", "spec": {"interactive": False}}
)
NOT_FOUND = "credentials not found in native keychain\n"
#: docker's own configuration: the person has named one registry.
DOCKER = json.dumps({"credHelpers": {"registry.example.com": "cognito"}})


class TokenServer:
    """Who lets people in by their ID token."""

    def __init__(self, product: Product):
        self.machine = machine = product.machine
        self.directory = machine.shared / "token-server"
        self.directory.mkdir(mode=0o755)
        names = "git.example.com k8s.example.com other.example.com"
        machine.append("/etc/hosts", f"127.0.0.1 {names}\n")
        arguments = [PORT, product.emulator.endpoint, product.emulator.ca, product.pool["issuer"]]
        self.process = machine.start(
            [sys.executable, str(REPOSITORY / "Tests/Integration/token_server.py"), str(self.directory)]
            + [str(argument) for argument in arguments]
            + [product.pool["client_id"]],
            cwd=REPOSITORY / "Tests",
            env={"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(REPOSITORY / "Tests")},
            stdout=self.directory / "output",
            stderr=self.directory / "output",
        )
        machine.wait_until(lambda: (self.directory / "ready").exists(), "the token server")
        self.authority = self.directory / "authority.pem"

    def let_in(self) -> list[tuple[str, str | None]]:
        """How people have shown who they are since this was asked last, and who they were."""
        log = self.directory / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [(entry["shown"], entry["person"]) for entry in map(json.loads, lines)]


@pytest.fixture(scope="module")
def server(product: Product) -> Iterator[TokenServer]:
    started = TokenServer(product)
    repositories = started.directory / "repositories"
    script = (
        f"git init -q --bare {repositories}/thing.git && git -C {repositories}/thing.git config http.receivepack true"
    )
    product.machine.run(["sh", "-ec", script], check=True)
    yield started
    started.process.end()


@pytest.fixture(scope="module")
def in_session(product: Product, agent: AgentProcess) -> InSession:
    product.machine.add_user("ana")
    return InSession(product.machine)


@pytest.fixture
def session(product: Product, agent: AgentProcess, sshd: Sshd) -> Iterator[SshSession]:
    product.configure(sign_out="session")
    with sshd.open("alice", RIGHT) as opened:
        yield opened
        if opened.accepted:
            opened.logout()
    product.machine.wait_until(lambda: not product.entries(), "an empty registry")


def written(machine: Machine, log_mark: int) -> list[str]:
    """What the log says of tokens that were given away: which, and by which command."""
    lines = machine.log(log_mark, containing="token handed out")
    return [" ".join(re.findall(r"token=\S+|by=\S+", line.message)) for line in lines]


# With real clients


WAYS = [
    pytest.param(program, way, id=f"{program.name}-{way}")
    for program in kubectl.programs()
    for way, (oldest, _) in kubectl.documented().items()
    if (kubectl.version(program) or 0) >= oldest
]


def test_a_kubectl_is_there() -> None:
    """Each of them is set up in at least one of the documented ways."""
    assert {way.values[0] for way in WAYS} == set(kubectl.programs()) != set()


@pytest.mark.parametrize(("program", "way"), WAYS)
def test_kubectl(product: Product, server: TokenServer, session: SshSession, program: Path, way: str) -> None:
    """As docs/howto/kubernetes-git-docker.md sets it up, from nothing."""
    machine, mark = product.machine, product.machine.log_mark()
    read(session, f'rm -rf ~/.kube; kubectl() {{ "{program}" "$@"; }}')
    read(session, kubectl.documented()[way][1])
    address = f"https://k8s.example.com:{PORT}"
    read(session, f"kubectl config set-cluster c --server={address} --certificate-authority={server.authority}")
    read(session, "kubectl config set-context c --cluster=c --user=cognito; kubectl config use-context c")
    server.let_in()
    said = read(session, "kubectl get --raw /api/v1/whoami </dev/null")
    assert kubectl.answer(said)["person"] == "alice"
    # Some packages of kubectl ask for the server's version first.
    assert set(server.let_in()) == {("bearer", "alice")}
    assert set(written(machine, mark)) == {"token=id by=kube-credential"}
    # There is no token once the session is signed out.
    read(session, "cognito-session sign-out --local --yes")
    assert session.command("kubectl get --raw /api/v1/whoami </dev/null").status != 0
    assert not [who for _, who in server.let_in() if who]


def test_git(product: Product, server: TokenServer, session: SshSession) -> None:
    """Clone and push, by the host that the person has named, and no other one."""
    machine, mark = product.machine, product.machine.log_mark()
    read(session, f"export GIT_SSL_CAINFO={server.authority} GIT_TERMINAL_PROMPT=0 LC_ALL=C")
    host = f"git.example.com:{PORT}"
    lines = re.findall(r"^git config .*$", (REPOSITORY / "docs/howto/kubernetes-git-docker.md").read_text(), re.M)
    assert len(lines) == 2
    for line in lines:
        read(session, line.replace("git.example.com", host))
    read(session, "git config --global user.email a@example.com; git config --global user.name a")
    server.let_in()
    read(
        session,
        f"rm -rf thing; git clone https://{host}/git/thing.git && cd thing && git commit -q --allow-empty -m one",
    )
    read(session, "git push origin HEAD:main")
    read(session, f"git ls-remote https://Git.Example.COM:{PORT}/git/thing.git")
    shown = server.let_in()
    assert set(shown) == {("nothing", None), ("basic", "alice")}
    assert set(written(machine, mark)) == {"token=id by=git-credential"}
    read(session, "cd; rm -rf thing other")
    for other in (f"https://other.example.com:{PORT}", f"https://localhost:{PORT}"):
        refused = session.command(f"git clone {other}/git/thing.git other")
        assert refused.status != 0 and "could not read Username" in refused.output
    # A helper that is there for all hosts says why it gives nothing.
    read(session, f"git config --global credential.helper 'cognito --host {host}'")
    refused = session.command(f"git clone https://other.example.com:{PORT}/git/thing.git other")
    said = " ".join(refused.output.split())
    assert f"git gets no token for other.example.com:{PORT}: --host lists only {host}." in said
    assert set(server.let_in()) == {("nothing", None)}
    read(session, "cognito-session sign-out --local --yes")
    signed_out = session.command(f"git clone https://{host}/git/thing.git other")
    assert signed_out.status != 0 and "There are no Cognito tokens" in signed_out.output
    assert set(server.let_in()) == {("nothing", None)}


def test_header(product: Product, server: TokenServer, session: SshSession) -> None:
    """curl, by a descriptor; the access token opens nothing where the ID token is meant."""
    mark = product.machine.log_mark()
    curl = f"curl -sS --cacert {server.authority} -H @/dev/fd/3 https://k8s.example.com:{PORT}/"
    server.let_in()
    for command in (f"cognito-session exec --header {curl}", f"bash -c '{curl} 3< <(cognito-session token --header)'"):
        assert '"person": "alice"' in read(session, command)
    read(session, f"cognito-session exec --header --access {curl}")
    assert server.let_in() == [("bearer", "alice")] * 2 + [("bearer: MissingRequiredClaimError", None)]
    product.machine.wait_until(lambda: len(written(product.machine, mark)) == 3, "the log")
    assert written(product.machine, mark) == ["token=id by=exec", "token=id by=token", "token=access by=exec"]


def test_renewed_first(product: Product, session: SshSession) -> None:
    """A token that ends too soon is not what anybody gets."""
    product.emulator.clear_requests()
    life = json.loads(read(session, "cognito-session --json | cat"))["access_token"]["expires_in"]
    wanted = life + 1
    shown = read(session, f"cognito-session kube-credential --min-life {wanted} | cat; cognito-session whoami")
    assert product.operations() == ["GetTokensFromRefreshToken"], shown


def test_renewed_ahead(product: Product, agent: AgentProcess, sshd: Sshd) -> None:
    """renew_ahead: a round renews what nobody has asked about."""
    short = {"access_token_seconds": 100, "id_token_seconds": 100}
    with product.other_pool(short, sign_out="session", check_interval="0", renew_ahead="yes"):
        product.member()
        with sshd.open("alice", RIGHT) as shell:
            product.await_rounds()
            before = product.tokens(read(shell, product.read_tokens)).access
            product.emulator.clear_requests()
            product.reap()
            assert product.operations() == ["GetTokensFromRefreshToken"]
            assert product.tokens(read(shell, product.read_tokens)).access != before
            shell.logout()
        product.machine.wait_until(lambda: not product.entries(), "an empty registry")


def test_docker(product: Product, session: SshSession) -> None:
    """As docker's client speaks with its helpers: a word, and a line on standard input."""
    read(session, f"mkdir -p .docker; echo '{DOCKER}' >.docker/config.json")
    helper = "docker-credential-cognito"
    answer = json.loads(read(session, f"printf registry.example.com | {helper} get | cat"))
    assert (answer["ServerURL"], answer["Username"]) == ("registry.example.com", "alice")
    assert answer["Secret"] == product.tokens(read(session, product.read_tokens)).payload["id_token"]
    assert read(session, f"{helper} list").strip() == '{"registry.example.com":"alice"}'
    stored = f"printf registry.example.com | {helper} get | {helper} store"
    assert read(session, stored) == ""
    for request, operation in (
        ("other.example.com", "get"),
        ("https://other.example.com", "get"),
        ("http://registry.example.com", "get"),
        ("registry.example.com", "erase"),
        ('{"ServerURL":"registry.example.com","Username":"alice","Secret":"x"}', "store"),
        ("", "frobnicate"),
    ):
        done = session.command(f"printf %s '{request}' | {helper} {operation} 2>/dev/null")
        assert done.status != 0
        assert done.output.strip() == (NOT_FOUND.strip() if operation == "get" else ""), (request, operation)


# Whatever is wrong

#: A command with its standard input, and what stands at standard output when there is no credential.
HELPERS = {
    "kube-credential": ("", ""),
    "git-credential --host git.example.com get": ("protocol=https\nhost=git.example.com\n\n", ""),
    "docker-credential get": ("registry.example.com", NOT_FOUND),
    "token --header": ("", ""),
}


@pytest.fixture(scope="module")
def request_file(product: Product) -> str:
    product.machine.make_directory("/tmp/docker")
    product.machine.write("/tmp/docker/config.json", DOCKER, 0o644)
    return "/tmp/request"


def answered(in_session: InSession, request_file: str, command: str, prepare: str, payload: str, into: str = ""):
    in_session.machine.write(request_file, HELPERS[command][0], 0o644)
    env = {"KUBERNETES_EXEC_INFO": EXEC_INFO, "DOCKER_CONFIG": "/tmp/docker"}
    return in_session(prepare, payload, f"{command} <{request_file}", env=env, into=into)


@pytest.mark.parametrize("command", HELPERS)
def test_without_tokens(in_session: InSession, request_file: str, command: str) -> None:
    """In every state of a session that the agent does not know: a good credential, or none at all and why."""
    outcomes = {"expired": 1, "hopeless": 1, "none": 1, "key expired": 2, "damaged": 1, "forged": 1}
    for state, (prepare, changes) in STATES.items():
        payload = "" if changes is None else bundle(**changes)
        done = answered(in_session, request_file, command, prepare, payload)
        assert done.returncode == outcomes.get(state, 0), (state, done)
        assert SECRET not in done.stderr and "\x1b" not in done.stderr
        if done.returncode:
            assert done.stdout == HELPERS[command][1] and done.stderr.startswith("Error: "), (state, done)
        else:
            assert json.loads(payload)["id_token"] in done.stdout and done.stderr == ""
            assert json.loads(payload)["access_token"] not in done.stdout


@pytest.mark.parametrize(
    "changes",
    [
        {"id_token": token(exp=1 << 40) + "\nhost=evil.example.com"},
        {"id_token": token(exp=1 << 40) + "\r\nX-Evil: 1"},
        {"id_token": token(exp=1 << 40) + "\u00e9"},
        {"id_token": token(exp=1 << 40) + '"},"x":{"'},
        {"username": "ana\nhost=evil.example.com"},
    ],
)
def test_hostile_text(in_session: InSession, request_file: str, changes: dict) -> None:
    """Nothing in a token, or in a name, becomes another line of what a program reads."""
    for command in HELPERS:
        done = answered(in_session, request_file, command, "ours", bundle(**changes))
        assert "X-Evil" not in done.stdout and "\nhost=" not in done.stdout
        if command in ("kube-credential", "docker-credential get") and done.returncode == 0:
            assert json.loads(done.stdout)


@pytest.mark.parametrize("command", HELPERS)
def test_output_that_goes_nowhere(in_session: InSession, request_file: str, command: str) -> None:
    into = lost_output.install(in_session.machine)
    for sink, (_, why) in SINKS.items():
        lost = answered(in_session, request_file, command, "ours", bundle(), f"{into} {sink}")
        assert (lost.returncode, lost.stdout) == (74, "") and why in lost.stderr and SECRET not in lost.stderr


@pytest.mark.parametrize("command", HELPERS)
def test_disk_that_fills_up(in_session: InSession, request_file: str, command: str) -> None:
    """Of what did not fit, nothing stays: half a token is no credential, and looks like one."""
    into = "/usr/local/bin/into-small-disk"
    script = '#!/bin/sh\nmount -t tmpfs -o size=8k,mode=777 none /mnt && echo x >/mnt/other && exec "$@"\n'
    in_session.machine.write("/usr/local/bin/with-small-disk", script, 0o755)
    in_session.machine.write(into, '#!/bin/sh\n"$@" >/mnt/answer; echo "$? $(wc -c </mnt/answer)"\n', 0o755)
    large = token(exp=1 << 40, padding="x" * 5000)
    done = answered(in_session, request_file, command, "with-small-disk true; ours", bundle(id_token=large), into)
    in_session.machine.run(["umount", "/mnt"], check=True)
    assert done.stdout.splitlines() == ["74 0"], done


def test_not_for_terminals(in_session: InSession, request_file: str) -> None:
    machine, uid = in_session.machine, in_session.machine.uid("ana")
    machine.write("/root/bundle", bundle(), 0o600)
    ours = f"key=$(keyctl padd user {DESCRIPTION} @s </root/bundle); keyctl setperm $key 0x0b3f0000; "
    for command, (request, _) in HELPERS.items():
        machine.write(request_file, request, 0o644)
        script = (
            f"{ours} exec setpriv --reuid {uid} --regid {uid} --clear-groups cognito-session {command} <{request_file}"
        )
        terminal = machine.spawn_pty([JOIN, str(uid), script], env={"DOCKER_CONFIG": "/tmp/docker"})
        assert terminal.wait() == 64
        assert SECRET not in terminal.seen and "use --force" in terminal.seen
        terminal.hang_up()


def test_names(product: Product) -> None:
    """The names by which other programs look for it are the program itself."""
    for name in ("git-credential-cognito", "docker-credential-cognito"):
        done = product.machine.run([name, "--version"], user=PEOPLE[0], check=True)
        assert done.stdout.startswith("cognito-session ")
