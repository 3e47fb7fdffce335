"""What a sign-in may not leave behind: secrets in files, logs, arguments and environments; keys; processes."""

import base64
import contextlib
import fnmatch
import itertools
import json
import os
import stat
import time
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ahocorasick_rs import BytesAhoCorasick

from .machine import Key, Machine, MachineError

_SHORTEST = 6
# Of a form of a secret so much of its end is looked for at first: tokens begin alike.
_TELLING = 24
_CHUNK = 8 << 20
_LARGE = 1 << 20


@dataclass(frozen=True)
class Finding:
    """A place where a secret was found; the secret itself is not repeated in the test's output."""

    place: str
    secret: str


def _forms(secret: bytes) -> set[bytes]:
    """The secret, and what it looks like in a URL, in JSON and in base64."""
    text = secret.decode("utf-8", "surrogateescape")
    escaped = json.dumps(text)[1:-1].encode("utf-8", "surrogateescape")
    quoted = urllib.parse.quote_from_bytes(secret, safe="").encode()
    return {secret, quoted, escaped, base64.b64encode(secret).rstrip(b"=")}


def _label(kind: str, secret: bytes) -> str:
    return f"{kind} {secret[:3].decode('utf-8', 'replace')}... ({len(secret)} bytes)"


def _data_segments(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """Where a sparse file has content: lastlog is mostly holes."""
    offset = 0
    while offset < size:
        try:
            start = os.lseek(descriptor, offset, os.SEEK_DATA)
        except OSError:
            return
        offset = os.lseek(descriptor, start, os.SEEK_HOLE)
        yield start, offset


class _Forms:
    """All forms of some secrets, to be looked for in one pass over a content."""

    def __init__(self, secrets: Iterable[tuple[str, set[bytes]]]):
        self._forms = [(label, form) for label, forms in secrets for form in forms]
        self._automaton = BytesAhoCorasick([form[-_TELLING:] for _, form in self._forms])

    def found_in(self, content: bytes) -> set[str]:
        """The labels of the secrets that are in it."""
        ends = self._automaton.find_matches_as_indexes(content, overlapping=True)
        candidates = {self._forms[number] for number, _, _ in ends}
        return {label for label, form in candidates if form in content}


class SecretSearch:
    """Searches all that a machine wrote and all its processes' arguments and environments, in one pass.

    Files that have not changed since the last search are searched only for secrets that have become known since, and
    large ones not even for those: a file cannot hold what came into being after it. Large files that are older than
    the search (installed programs) are not searched at all.
    """

    def __init__(self, machine: Machine, excluded: Iterable[str] = ()):
        """`excluded` are patterns of places, as findings name them, that may hold secrets: a secret file, say."""
        self.machine = machine
        self.excluded = list(excluded)
        self._begun = time.time()
        self._known: dict[bytes, tuple[str, set[bytes]]] = {}
        # What is looked for, in the order in which it became known, with how many secrets each part has.
        self._parts: list[tuple[int, _Forms]] = []
        self._searched: dict[tuple[int, int], tuple[tuple, int]] = {}
        #: How many of the emulator's secrets have been taken from it.
        self.taken = 0

    def allow(self, *patterns: str) -> None:
        """Adds places where secrets belong, e.g. `/etc/security/pam_cognito.secret`."""
        self.excluded += patterns

    def find(self, secrets: Iterable[str | bytes | Mapping[str, str]]) -> list[Finding]:
        """Secrets are plain values or, as the emulator lists them, `{kind, value}`.

        Values shorter than six bytes, and codes of digits alone, are left out: they occur by chance.
        """
        for secret in secrets:
            kind, plain = (secret["kind"], secret["value"]) if isinstance(secret, Mapping) else ("secret", secret)
            value = os.fsencode(plain)
            if len(value) >= _SHORTEST and not (value.isdigit() and len(value) < 9) and value not in self._known:
                self._known[value] = (_label(kind, value), _forms(value))
        self._prepare()
        return [*self._in_processes(), *self._in_files()]

    def _is_excluded(self, place: str) -> bool:
        return any(fnmatch.fnmatchcase(place, pattern) for pattern in self.excluded)

    def _prepare(self) -> None:
        """Makes a part of what is new, together with the last ones while those have no more than it."""
        start = sum(count for count, _ in self._parts)
        if start == len(self._known):
            return
        while self._parts and self._parts[-1][0] <= len(self._known) - start:
            start -= self._parts.pop()[0]
        secrets = list(itertools.islice(self._known.values(), start, None))
        self._parts.append((len(secrets), _Forms(secrets)))

    def _matches(self, content: bytes, since: int = 0) -> set[str]:
        """The labels of secrets in it: of all that became known after the first `since`, and perhaps of others."""
        found: set[str] = set()
        end = 0
        for count, forms in self._parts:
            end += count
            if end > since:
                found |= forms.found_in(content)
        return found

    def _in_processes(self) -> Iterator[Finding]:
        for name in os.listdir(self.machine.proc):
            if not name.isdigit():
                continue
            for part in ("cmdline", "environ"):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    content = (self.machine.proc / name / part).read_bytes()
                    place = f"process {name} {part}"
                    if not self._is_excluded(place):
                        yield from (Finding(f"{place}: {content[:60]!r}", label) for label in self._matches(content))

    def _in_files(self) -> Iterator[Finding]:
        longest = max((len(form) for _, forms in self._known.values() for form in forms), default=0)
        for place, entry, folder in self.machine.written_files():
            if self._is_excluded(place):
                continue
            try:
                status = entry.stat(follow_symlinks=False)
                if not stat.S_ISREG(status.st_mode):
                    continue
                identity = (status.st_size, status.st_ctime_ns, status.st_mtime_ns)
                before, since = self._searched.get((status.st_dev, status.st_ino), (None, 0))
                if before != identity:
                    since = 0
                elif since == len(self._known) or status.st_size > _LARGE:
                    continue
                if status.st_size > _LARGE and status.st_mtime < self._begun:
                    continue
                descriptor = os.open(entry.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            except FileNotFoundError:
                continue
            try:
                found = set()
                for start, end in _data_segments(descriptor, status.st_size):
                    for offset in range(start, end, _CHUNK):
                        found.update(self._matches(os.pread(descriptor, _CHUNK + longest, offset), since))
            finally:
                os.close(descriptor)
            if found:
                yield from (Finding(place, label) for label in sorted(found))
            else:
                self._searched[status.st_dev, status.st_ino] = (identity, len(self._known))


def secret_keys(machine: Machine) -> list[Key]:
    """Root's keys that hold something; empty rings are furniture, and a key just destroyed is a link to nothing.

    Failed sign-ins, and those that nobody has answered, are to be remembered for a while, and hold no secret. Names
    are made numbers of by a key that stays until the machine stops.
    """

    def holds(key: Key) -> bool:
        is_count = any(ring in key.path for ring in ("/pam-cognito:attempts", "/pam-cognito:begins"))
        is_count = is_count or key.description == "pam-cognito:secret"
        return key.type != "keyring" and key.error != "ENOKEY" and not is_count

    return [key for key in machine.keys(timeouts=False) if holds(key)]


@contextlib.contextmanager
def keys_unchanged(machine: Machine, patience: float = 5.0) -> Iterator[None]:
    """Root's key tree holds the same keys afterwards as before, at the latest after a moment for what runs detached."""

    def held() -> list[tuple]:
        return [(key.serial, key.path, key.permissions, key.size) for key in secret_keys(machine)]

    before = held()
    yield
    with contextlib.suppress(MachineError):
        machine.wait_until(lambda: held() == before, "the keys as before", patience)
    after = secret_keys(machine)
    assert [(key.serial, key.path, key.permissions, key.size) for key in after] == before, f"keys are left: {after}"


def end_new_processes(machine: Machine, before: set[int], patience: float = 5.0) -> list[str]:
    """Lets processes that were not there before come to their end, then ends them; returns the names of those.

    `cognito-agent watch` stays for a minute in case that somebody signs in: it is done when no session is left.
    """
    deadline = time.monotonic() + patience
    pause = 0.005
    while new := [process for process in machine.processes() if process.pid not in before]:
        is_done = all(process.arguments[1:] == (b"watch",) for process in new) and not secret_keys(machine)
        if is_done or time.monotonic() > deadline:
            machine.end_processes(keep=before)
            return [process.name for process in new]
        time.sleep(pause)
        pause = min(pause * 1.2, 0.05)
    return []
