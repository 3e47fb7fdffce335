"""keyctl(2) for the tests, by system call, so that looking at a keyring does not start a program.

Possession matters to the kernel: what a process may see depends on its own rings. Everything here speaks for the
calling thread, so the machine's pid 1 calls it in another thread or a child, and keeps no ring of its own.
"""

import ctypes
import errno
import os
import re
from collections.abc import Container

PROCESS_KEYRING = -2
SESSION_KEYRING = -3
USER_KEYRING = -4

_SYS_ADD_KEY = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
_SYS_KEYCTL = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
_GET_KEYRING_ID, _JOIN_SESSION_KEYRING, _SET_PERMISSIONS, _DESCRIBE, _CLEAR, _LINK = 0, 1, 5, 6, 7, 8
_UNLINK, _READ = 9, 11
_UNUSED_UID = 4_000_000_001
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}

_SERIAL = re.compile(rb"[0-9a-f]{8} ")

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _call(number: int, *arguments) -> int:
    result = _libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def keyring_id(ring: int) -> int:
    return _call(_SYS_KEYCTL, _GET_KEYRING_ID, ring, 0)


def join_new_session_keyring() -> int:
    return _call(_SYS_KEYCTL, _JOIN_SESSION_KEYRING, None)


def add_key(kind: bytes, description: bytes, payload: bytes, ring: int) -> int:
    return _call(_SYS_ADD_KEY, kind, description, payload, len(payload), ring)


def link(key: int, ring: int) -> None:
    _call(_SYS_KEYCTL, _LINK, key, ring)


def unlink(key: int, ring: int) -> None:
    _call(_SYS_KEYCTL, _UNLINK, key, ring)


def set_permissions(key: int, mask: int) -> None:
    _call(_SYS_KEYCTL, _SET_PERMISSIONS, key, mask)


def clear(ring: int) -> None:
    _call(_SYS_KEYCTL, _CLEAR, ring)


def _sized(operation: int, key: int) -> bytes:
    size = 4096
    while True:
        buffer = ctypes.create_string_buffer(size)
        length = _call(_SYS_KEYCTL, operation, key, buffer, size)
        if length <= size:
            return buffer.raw[:length]
        size = length


def describe(key: int) -> tuple[str, int, int, int, str]:
    """Type, owner, group, permissions and description of a key."""
    kind, uid, gid, permissions, description = _sized(_DESCRIBE, key).rstrip(b"\0").split(b";", 4)
    text = description.decode("utf-8", "surrogateescape")
    return kind.decode(), int(uid), int(gid), int(permissions, 16), text


def read(key: int) -> bytes:
    return _sized(_READ, key)


def keyring_members(ring: int) -> list[int]:
    return _members(read(ring))


def _members(content: bytes) -> list[int]:
    return [int.from_bytes(content[i : i + 4], "little", signed=True) for i in range(0, len(content), 4)]


def proc_keys(wanted: Container[int] | None = None) -> list[dict]:
    """/proc/keys as the calling process sees it, or only those serials of it: it lists the keys of all machines.

    It is not confined to the user namespace: with an identity map a machine's root also sees the outer root's keys.
    """
    entries = []
    with open("/proc/keys", "rb") as listing:
        for line in listing:
            if wanted is not None and not (_SERIAL.match(line) and int(line[:8], 16) in wanted):
                continue
            fields = line.decode("utf-8", "surrogateescape").split(None, 7)
            if len(fields) < 8:
                # The rest of another machine's key that has a line end in its name.
                continue
            serial, flags, uses, expiry, permissions, uid, gid, rest = fields
            kind, _, description = rest.rstrip("\n").partition(" ")
            entries.append(
                {
                    "serial": int(serial, 16),
                    "flags": flags,
                    "uses": int(uses),
                    "timeout": _expiry_seconds(expiry),
                    "permissions": f"{int(permissions, 16):08x}",
                    "uid": int(uid),
                    "gid": int(gid),
                    "type": kind,
                    "summary": description.strip(),
                }
            )
    return entries


def _expiry_seconds(text: str) -> int | None:
    """None for a permanent key, 0 for an expired one; the kernel shows whole units only, rounded down."""
    if text == "perm":
        return None
    if text == "expd":
        return 0
    return int(text[:-1]) * _SECONDS[text[-1]]


def tree(ring: int, payloads: bool = False, timeouts: bool = True) -> list[dict]:
    """The keys under a ring, depth first. The thread ends up possessing the ring: for one that ends then.

    What a stranger to the ring could do with a key is in its permissions; a test wants to see it all.
    """
    join_new_session_keyring()
    link(ring, SESSION_KEYRING)
    found: list[dict] = []
    seen: set[int] = set()

    def visit(ring: bytes, path: str, depth: int) -> None:
        for serial in _members(ring):
            if serial in seen:
                continue
            seen.add(serial)
            entry: dict = {"serial": serial, "depth": depth, "path": path, "timeout": None}
            try:
                kind, uid, gid, permissions, description = describe(serial)
            except OSError as problem:
                found.append(entry | {"error": errno.errorcode.get(problem.errno, str(problem.errno))})
                continue
            entry |= {"type": kind, "uid": uid, "gid": gid, "permissions": f"{permissions:08x}"}
            entry["description"] = description
            found.append(entry)
            try:
                payload = read(serial)
            except OSError as problem:
                entry["error"] = errno.errorcode.get(problem.errno, str(problem.errno))
                continue
            entry["size"] = len(payload)
            if kind == "keyring":
                # Not read once more: it may be gone by then.
                visit(payload, f"{path}/{description}", depth + 1)
            elif payloads:
                entry["payload"] = payload.decode("latin-1")

    visit(read(ring), "", 1)
    if timeouts and found:
        known = {entry["serial"]: entry["timeout"] for entry in proc_keys(seen)}
        for entry in found:
            entry["timeout"] = known.get(entry["serial"])
    return found


def inherited_session_keyring() -> dict | None:
    """The session keyring this process was born with, or None; leaves the process changed, for a forked child only.

    Looking at a missing session keyring installs the user's default ring (`_uid_ses.N`). As a user id nobody has, that
    default is told apart from a ring that was there.
    """
    os.setgroups([])
    os.setresuid(_UNUSED_UID, _UNUSED_UID, _UNUSED_UID)
    serial = keyring_id(SESSION_KEYRING)
    kind, uid, gid, permissions, description = describe(serial)
    if description == f"_uid_ses.{_UNUSED_UID}":
        return None
    return {
        "serial": serial,
        "type": kind,
        "uid": uid,
        "gid": gid,
        "permissions": f"{permissions:08x}",
        "description": description,
    }
