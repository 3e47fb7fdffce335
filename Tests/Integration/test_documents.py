"""The documents for people who change this: what they name is there."""

import itertools
import re
import shlex
import subprocess
from pathlib import Path

import botocore
import botocore.session
import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    "README.md",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md"))),
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "NEWS.md",
    "SECURITY.md",
    "Tests/README.md",
]


def test_architecture_names_every_folder_of_the_source() -> None:
    named = set(re.findall(r"`([\w-]+)(?:/[\w-]+)?`", (ROOT / "ARCHITECTURE.md").read_text()))
    folders = {path.name for path in (ROOT / "Sources").iterdir() if path.is_dir()}
    assert folders <= named


def targets() -> dict[str, tuple[str, set[str]]]:
    """Each target's folder, and the targets that it uses."""
    package = (ROOT / "Package.swift").read_text()
    # What stands in the C module maps is everybody's, and tests are not in the table.
    return {
        name: (path or f"Sources/{name}", set(re.findall(r'"([\w-]+)"', dependencies)))
        for name, dependencies, path in re.findall(
            r'\.(?:target|executableTarget)\(\s*name: "([\w-]+)"(?:,\s*dependencies: \[([^\]]*)\])?'
            r'(?:,\s*path: "([^"]+)")?',
            package,
        )
        if name not in ("CLinux", "CVersion") and not path.startswith("Tests/")
    }


def used(name: str) -> set[str]:
    """What a program is linked from."""
    found = targets()
    whole: set[str] = set()
    rest = {name}
    while rest:
        whole |= rest
        rest = {other for name in rest for other in found[name][1] & found.keys()} - whole
    return whole - {name}


def test_the_persons_tool_has_no_part_of_roots() -> None:
    assert used("cognito-session") == {"Base", "Protocol", "Messages", "Keyring", "Tokens", "Commands"}


def test_imports_go_one_way() -> None:
    """Down the table of ARCHITECTURE.md, which has every target: what stands in a row may use rows above it."""
    found = targets()
    rows = re.findall(r"^\| `([\w/]+)` \|", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    places = {name: path.removeprefix("Sources/") for name, (path, _) in found.items()}
    programs = {name for name in found if name.startswith("cognito-")}
    assert sorted(rows) == sorted(place for name, place in places.items() if name not in programs)
    wrong = [
        (name, other)
        for name, (_, dependencies) in found.items()
        if name not in programs
        for other in dependencies & found.keys()
        if other in programs or rows.index(places[other]) >= rows.index(places[name])
    ]
    assert wrong == []


def test_no_type_name_stands_twice() -> None:
    """Whoever reads a name knows what it is, whatever file they are in."""
    declaration = r"^\s*(?:(?:package|public|private|fileprivate|final|indirect) )*(?:struct|enum|class|protocol) (\w+)"
    places: dict[str, list[str]] = {}
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        for name in re.findall(declaration, path.read_text(), re.MULTILINE):
            places.setdefault(name, []).append(path.name)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_readme_is_read() -> None:
    """Details are in `docs`."""
    assert len((ROOT / "README.md").read_text().split()) <= 600


def test_links_and_paths_lead_somewhere() -> None:
    missing = []
    for document in DOCUMENTS:
        text = (ROOT / document).read_text()
        local = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
        paths = re.findall(r"`((?:Sources|Tests|packaging|pam\.d)(?:/[\w.@+-]+)+)`", text)
        folder = (ROOT / document).parent
        missing += [(document, name) for name in local if name and not (folder / name).exists()]
        missing += [(document, name) for name in paths if not (ROOT / name).exists()]
    assert missing == []


def test_links_into_a_document_lead_to_a_heading() -> None:
    for document in DOCUMENTS:
        folder = (ROOT / document).parent
        for target, anchor in re.findall(r"\]\(([\w./-]*\.md)?#([\w-]+)\)", (ROOT / document).read_text()):
            text = (folder / target if target else ROOT / document).read_text()
            headings = [re.sub(r"[^\w -]", "", line).lower() for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
            assert anchor in [heading.replace(" ", "-") for heading in headings], (document, anchor)


def commands_of_aws() -> list[list[str]]:
    """The documents' calls of the AWS CLI in blocks of code, each in words: service, operation, options."""
    texts = [(ROOT / name).read_text() for name in DOCUMENTS if name.startswith("docs/")]
    blocks = [block for text in texts for block in re.findall(r"(?m)^ *```sh\n(.*?)```", text, re.DOTALL)]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    calls = [re.search(r"\baws (?:cognito-i\w+|iam) [^)]*", line) for line in lines]
    return [shlex.split(call[0])[1:] for call in calls if call is not None]


def test_commands_for_aws_are_those_of_its_service_models() -> None:
    calls = commands_of_aws()
    assert {call[0] for call in calls} == {"cognito-idp", "cognito-identity", "iam"}
    for service, operation, *words in calls:
        model = botocore.session.get_session().get_service_model(service)
        operations = {botocore.xform_name(name, "-"): name for name in model.operation_names}
        shape = model.operation_model(operations[operation]).input_shape
        members = {botocore.xform_name(name, "-"): (name, member) for name, member in shape.members.items()}
        given = set()
        for index, word in enumerate(words):
            if not word.startswith("--") or word in ("--query", "--output"):
                continue
            # A boolean is switched on by its name, and off with "no-" before it.
            name, member = members[word[2:] if word[2:] in members else word[2:].removeprefix("no-")]
            given.add(name)
            value = next(iter(words[index + 1 : index + 2]), "")
            assert value.startswith("--") == (member.type_name == "boolean"), word
            if member.type_name == "string" and member.enum:
                assert value in member.enum
            if member.type_name == "list":
                values = list(itertools.takewhile(lambda word: not word.startswith("--"), words[index + 1 :]))
                if member.member.type_name == "string" and member.member.enum:
                    assert set(values) <= set(member.member.enum)
                elif member.member.type_name == "structure":
                    keys = {part.split("=")[0] for value in values for part in value.split(",")}
                    assert keys <= set(member.member.members)
            if member.type_name == "structure":
                assert {part.split("=")[0] for part in value.split(",")} <= set(member.members)
        assert set(shape.required_members) <= given, operation


def test_configuration_in_the_documents_has_options_that_exist() -> None:
    options = set(re.findall(r"^#?(\w+) = ", (ROOT / "packaging/pam_cognito.conf").read_text(), re.MULTILINE))
    blocks = re.findall(r"```ini\n(.*?)```", (ROOT / "docs/quickstart.md").read_text(), re.DOTALL)
    names = [line.lstrip("#").split(" = ")[0] for block in blocks for line in block.splitlines()]
    assert len(names) == 6
    assert set(names) <= options


def test_quick_start_is_whole_and_short() -> None:
    """A new administrator needs no other page before the first login."""
    text = (ROOT / "docs/quickstart.md").read_text()
    steps = text[: text.index("## Check")]
    blocks = re.findall(r"^```sh\n(.*?)^```", steps, re.MULTILINE | re.DOTALL)
    commands = [line for block in blocks for line in block.replace("\\\n", " ").splitlines() if line.strip()]
    assert 20 < len(commands) <= 40
    assert len(steps.split()) <= 2500
    repository = (ROOT / "docs/howto/install.md").read_text().split("## From a repository")[1]
    assert set(re.findall(r"^```sh\n(.*?)^```", repository.split("\n## ")[0], re.MULTILINE | re.DOTALL)) <= {*blocks}


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "docs/howto").glob("*.md")))
def test_how_to_ends_with_check_and_undo(page: str) -> None:
    sections = re.split(r"^## ", (ROOT / "docs/howto" / page).read_text(), flags=re.MULTILINE)
    assert [section.split("\n")[0] for section in sections[-2:]] == ["Check", "Undo"]
    assert re.search(r"^```\w*\n(?:[#$] )?\w", sections[-2], re.MULTILINE)


#: What a new user looks for in the user guide.
TASKS = ["Who am I?", "AWS credentials", "Sign out my other devices", "I lost a laptop", "tmux or screen has no tokens"]


@pytest.mark.parametrize("task", TASKS)
def test_user_guide_answers_in_short(task: str) -> None:
    text = (ROOT / "docs/user-guide.md").read_text()
    sections = dict(part.split("\n", 1) for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:])
    assert 30 < len(sections[task].split()) <= 150
    assert (
        "`cognito-session" in sections[task] or "cognito-session" in re.findall(r"```.*?```", sections[task], re.S)[0]
    )


def test_make_targets_exist() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"(?:`|^)make ([\w-]+)", (ROOT / document).read_text(), re.MULTILINE):
            # -n: only says what would be done.
            run = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
            assert run.returncode == 0, run.stderr


def section(page: str, name: str) -> str:
    text = (ROOT / "packaging/man" / page).read_text().replace("\\ ", " ").replace("\\&", "")
    return re.split(r"(?m)^\.Sh ", text.split(f"\n.Sh {name}\n", 1)[1], maxsplit=1)[0]


def test_manual_page_of_the_module_has_every_return_value() -> None:
    values = re.findall(r"case \w+ = (\d+)", (ROOT / "Sources/Sessions/Hooks/ReturnValue.swift").read_text())
    header = Path("/usr/include/security/_pam_types.h").read_text()
    returned = header.split("_PAM_RETURN_VALUES")[0]
    names = {number: name for name, number in re.findall(r"#define (PAM_\w+)\s+(\d+)\b", returned)}
    assert len(values) > 10
    described = re.findall(r"^\.It Dv (PAM_\w+)$", section("pam_cognito.8", "RETURN VALUES"), re.MULTILINE)
    assert sorted(described) == sorted(names[value] for value in values)


def test_manual_page_of_the_module_has_the_stacks_that_are_shipped() -> None:
    examples = section("pam_cognito.8", "EXAMPLES")
    for name in ("auth", "account", "session", "password"):
        lines = (ROOT / f"pam.d/cognito-{name}").read_text().splitlines()
        stack = [" ".join(line.split()) for line in lines if line and not line.startswith("#")]
        shown = re.search(rf"/etc/pam\.d/cognito-{name} :\n\.Bd -literal\n(.*?)\n\.Ed", examples, re.DOTALL)
        assert shown is not None
        assert shown[1].splitlines() == stack


def test_quotes_in_manual_pages_are_around_one_word_each() -> None:
    """mandoc puts "Ql a , b" between one pair of quotes, and the quotes of "Ql a , Ql b" into each other."""
    pages = {page.name: page.read_text() for page in sorted((ROOT / "packaging/man").glob("*.[1-8]"))}
    assert len(pages) > 5
    quoted = r"(?m)^\..*\bQl\b.* (?:,|No|Ns) \S.*"
    found = [(name, line) for name, text in pages.items() for line in re.findall(quoted, text)]
    assert found == []


def test_reference_is_what_the_manual_pages_and_the_tables_say() -> None:
    run = subprocess.run([ROOT / "packaging/reference", "--check"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_diagrams_are_those_that_are_drawn() -> None:
    run = subprocess.run([ROOT / "packaging/diagrams", "--check"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    # A script of another site would draw such a block.
    assert [name for name in DOCUMENTS if "```mermaid" in (ROOT / name).read_text()] == []


def test_troubleshooting_explains_reasons_that_exist() -> None:
    table = (ROOT / "docs/troubleshooting.md").read_text().split("## Reasons in the log")[1]
    named = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    explained = re.findall(r"^### `(\w+)`$", (ROOT / "docs/reference/reasons.md").read_text(), re.MULTILINE)
    assert len(named) > 15
    assert [name for name in named if name not in explained] == []


def test_pages_are_in_the_table_of_contents() -> None:
    """Of the website, and of the documents themselves."""
    pages = [path.relative_to(ROOT) for path in sorted((ROOT / "docs").rglob("*.md"))]
    site = (ROOT / "mkdocs.yml").read_text()
    index = (ROOT / "docs/index.md").read_text()
    assert [str(page) for page in pages if not re.search(rf": {re.escape(str(page))}$", site, re.MULTILINE)] == []
    names = [str(page.relative_to("docs")) for page in pages if page.name != "index.md"]
    assert [name for name in names if not re.search(rf"\]\({re.escape(name)}[)#]", index)] == []


def test_manual_pages_have_every_command() -> None:
    """What `--help` of the agent knows, its page knows, too."""
    help_text = (ROOT / "Sources/Messages/ProgramWording.swift").read_text()
    commands = re.findall(r"^ +  ([a-z][\w-]+)  +\w", help_text, re.MULTILINE)
    page = (ROOT / "packaging/man/cognito-agent.8").read_text()
    assert len(commands) >= 5
    assert [name for name in commands if not re.search(rf"\n\.It Cm {name}(?: Ar \w+)?\n", page)] == []


def test_manual_page_has_every_event_of_the_log() -> None:
    names = (ROOT / "Sources/Sessions/AuditEventName.swift").read_text()
    events = [word or name for name, word in re.findall(r'^    case (\w+)(?: = "([^"]+)")?$', names, re.MULTILINE)]
    items = re.findall(r"^\.It Li (.*)$", section("cognito-agent.8", "LOG"), re.MULTILINE)
    assert len(events) > 50
    assert set(events) <= {word for item in items for word in item.split(" , ")}


def test_how_many_sessions_fit_is_what_the_doctor_counts_with() -> None:
    source = (ROOT / "Sources/Doctor/Checks/Keyrings.swift").read_text()
    found = re.search(r"bytesPerSession = ([\d_]+)", source)
    assert found is not None
    # The kernel's default of kernel.keys.root_maxbytes.
    fits = f"{round(25_000_000 / int(found[1].replace('_', '')), -3):,.0f}"
    for document in ("packaging/man/pam_cognito.8", "docs/faq.md", "docs/howto/fleet.md"):
        assert re.findall(
            r"about ([\d,]+) (?:sessions|in all)|room for about ([\d,]+)", (ROOT / document).read_text()
        ) in (
            [(fits, "")],
            [("", fits)],
        ), document


def test_commands_in_the_documents_exist() -> None:
    """Subcommands and options of the tool and the agent, in code, are in their manual pages."""
    known = {}
    for name in ("session", "agent"):
        pages = sorted((ROOT / "packaging/man").glob(f"cognito-{name}[.-]*"))
        text = "".join(page.read_text() for page in pages)
        options = {f"--{option}" for option in re.findall(r"\bFl -([\w-]+)", text)}
        known[name] = set(re.findall(r"\bCm ([\w-]+)", text)) | options
    unknown = []
    count = 0
    for document in (name for name in DOCUMENTS if name not in ("NEWS.md", "docs/PROTOCOL.md")):
        text = (ROOT / document).read_text()
        for code in re.findall(r"```\w*\n(.*?)```|`([^`\n]+)`", text, re.DOTALL):
            for name, words in re.findall(
                r"(?<![=/\w-])cognito-(session|agent)((?: --?[\w-]+| [a-z-]+)+)", "".join(code)
            ):
                # What follows "--" is another program's. A word after the first may be a value.
                given = list(itertools.takewhile(lambda word: word != "--", words.split()))
                wanted = [word for word in given if word is given[0] or word.startswith("--")]
                unknown += [(document, name, word) for word in wanted if word not in known[name]]
                count += 1
    assert count > 100
    assert unknown == []


#: A document, what it says, and the constants of the source, each divided by a unit.
NUMBERS = [
    (
        "packaging/man/cognito-agent.8",
        r"at most (\d+) connections at the same time, and (\d+) additional connections from root",
        "Agent/Requests/ConnectionQuota.swift",
        [("ofAll", 1), ("ofRoot", 1)],
    ),
    (
        "packaging/man/cognito-agent.8",
        r"request can be at most (\d+) bytes",
        "Agent/cognito-agent/PacketPeer.swift",
        [("largest", 1)],
    ),
    (
        "packaging/man/cognito-agent.8",
        r"not arrive within (\d+) seconds, .* A request can take up to (\d+) minutes",
        "Agent/cognito-agent/Listener.swift",
        [("silence", 1000), ("service", 60_000)],
    ),
    (
        "packaging/man/cognito-agent.8",
        r"Each hook may run for up to (\d+) seconds",
        "Agent/HostedSessions/SignOutHooks.swift",
        [("limit", 1000)],
    ),
    ("packaging/man/cognito-agent.8", r"(\d+) users per request", "Protocol/Exchange.swift", [("mostOnPage", 1)]),
    ("docs/howto/accounts.md", r"reads (\d+) users per request", "Protocol/Exchange.swift", [("mostOnPage", 1)]),
    (
        "packaging/man/cognito-agent.8",
        r"A cleanup run sends up to (\d+) requests immediately",
        "Agent/Reaping/ReaperRound.swift",
        [("burst", 1)],
    ),
    (
        "packaging/man/cognito-agent.8",
        r"command exits after (\d+) seconds without a client",
        "Agent/cognito-agent/Listener.swift",
        [("idleness", 1000)],
    ),
    (
        "packaging/man/pam_cognito.conf.5",
        r"In the first (\d+) seconds after a sign-in, the tokens",
        "Sessions/TokenLock.swift",
        [("unlockGrace", 1000)],
    ),
    (
        "packaging/man/pam_cognito.conf.5",
        r"If the key set file is older than (\d+) days",
        "Sessions/KeySetFile.swift",
        [("longestAge", 1)],
    ),
    (
        "docs/howto/network.md",
        r"the key set file is older than (\d+) days",
        "Sessions/KeySetFile.swift",
        [("longestAge", 1)],
    ),
    (
        "packaging/man/pam_cognito.8",
        r"Each session uses (\d+) keys of root.* use about (\d+) kB",
        "Doctor/Checks/Keyrings.swift",
        [("keysPerSession", 1), ("bytesPerSession", 1000)],
    ),
    (
        "docs/howto/fleet.md",
        r"at most (\d+) requests in ten minutes for each remote host or user id, and at most (\d+) in total",
        "Sessions/Hooks/OpenBegins.swift",
        [("mostOfOne", 1), ("mostOfAll", 1)],
    ),
    (
        "docs/PROTOCOL.md",
        r"one request, which must arrive within (\d+) seconds",
        "Agent/cognito-agent/Listener.swift",
        [("silence", 1000)],
    ),
    (
        "docs/PROTOCOL.md",
        r"within (\d+) minutes\. All answers to the worker's prompts must arrive within (\d+) minutes",
        "Agent/Requests/PeerTransaction.swift",
        [("answerLimit", 60_000), ("wholeLimit", 60_000)],
    ),
    ("docs/PROTOCOL.md", r"timeout of (\d+) seconds", "Keyring/Inbox.swift", [("lifetime", 1)]),
    (
        "docs/PROTOCOL.md",
        r"does not start a step within (\d+) seconds",
        "Worker/Steps/WorkerProcess.swift",
        [("firstMessageTimeLimit", 1000)],
    ),
    (
        "docs/PROTOCOL.md",
        r"waits up to (\d+) seconds for the `registered` message",
        "Worker/Steps/SignInStep.swift",
        [("registrationTimeLimit", 1000)],
    ),
    (
        "packaging/man/pam_cognito.8",
        r"at most (\d+) sessions on one",
        "Sessions/LiveSessions.swift",
        [("mostSessions", 1)],
    ),
    ("docs/howto/fleet.md", r"at most (\d+) sessions", "Sessions/LiveSessions.swift", [("mostSessions", 1)]),
    (
        "packaging/man/pam_cognito.8",
        r"In each process, a user can have at most (\d+) .* On one machine, a user can have at most (\d+)",
        "Sessions/LiveSessions.swift",
        [("mostWaiting", 1), ("mostUnclaimed", 1)],
    ),
    (
        "packaging/man/pam_cognito.8",
        r"at most (\d+) open prompts at the same time, .* together can have at most (\d+) open prompts",
        "Sessions/Hooks/Linux/MachinePrograms.swift",
        [("mostOfOne", 1), ("mostOfAll", 1)],
    ),
    (
        "SECURITY.md",
        r"each user id at most (\d+) open prompts, and all user ids except root at most (\d+) in total",
        "Sessions/Hooks/Linux/MachinePrograms.swift",
        [("mostOfOne", 1), ("mostOfAll", 1)],
    ),
    (
        "packaging/man/pam_cognito.8",
        r"waits up to (\d+) seconds for an attempt to become free",
        "Sessions/Hooks/AttemptCount.swift",
        [("roomPatience", 1000)],
    ),
    (
        "packaging/man/pam_cognito.conf.5",
        r"can have at most (\d+) pending sign-ins\. The whole machine can have at most (\d+) pending sign-ins",
        "Sessions/Hooks/OpenBegins.swift",
        [("mostOfOne", 1), ("mostOfAll", 1)],
    ),
    (
        "SECURITY.md",
        r"at most (\d+) InitiateAuth requests that are not followed .* at most (\d+) for the whole machine",
        "Sessions/Hooks/OpenBegins.swift",
        [("mostOfOne", 1), ("mostOfAll", 1)],
    ),
]


@pytest.mark.parametrize(("document", "said", "source", "constants"), NUMBERS)
def test_numbers_are_those_of_the_source(
    document: str, said: str, source: str, constants: list[tuple[str, int]]
) -> None:
    found = re.findall(said, " ".join((ROOT / document).read_text().split()))
    code = (ROOT / "Sources" / source).read_text()
    values = [re.findall(rf"\b(?:let|var) {name}(?:: \w+)? [={{] ([\d_]+)", code) for name, _ in constants]
    assert [len(value) for value in values] == [1] * len(constants)
    expected = tuple(str(int(value[0]) // unit) for value, (_, unit) in zip(values, constants, strict=True))
    assert found == [expected if len(expected) > 1 else expected[0]]
