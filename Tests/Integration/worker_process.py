"""Plays the root side of cognito-worker: starts it without rights and speaks its messages, one packet each."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

VERSION = 1
LARGEST = 96 * 1024
NOBODY = 65534

KINDS = {
    "sign_in": 2,
    "renew": 4,
    "sign_out": 6,
    "answer": 8,
    "registered": 10,
    "change_password": 12,
    "forgot_password": 14,
    "check": 18,
    "probe": 20,
    "admin_sign_out": 22,
    "ask": 1,
    "keep": 3,
    "signed_in": 5,
    "renewed": 7,
    "signed_out": 9,
    "failed": 11,
    "password_changed": 13,
    "checked": 19,
    "probed": 21,
    "renew_request": 66,
    "sign_out_request": 68,
    "sign_in_request": 70,
    "taken": 72,
    "check_request": 80,
    "recover_request": 74,
    "unlock_request": 76,
    "hand_out": 82,
    "registry_request": 84,
    "refused": 65,
    "renewal": 69,
    "ending": 71,
    "show": 73,
    "in_inbox": 75,
    "complete": 77,
    "standing": 81,
    "registered_session": 85,
}
FIELDS = {
    "user_pool_id": 1,
    "client_id": 2,
    "client_secret": 3,
    "endpoint": 4,
    "ca_file": 5,
    "pinned_public_keys": 48,
    "proxy": 49,
    "user_name": 6,
    "login_name": 7,
    "identity_rule": 8,
    "flow": 9,
    "time_limit": 10,
    "connect_time_limit": 11,
    "key_set": 12,
    "bundle": 13,
    "session_bundle": 14,
    "revocation": 15,
    "preconnect": 16,
    "sign_out_mode": 17,
    "withhold_refresh_token": 18,
    "refresh_token_validity": 19,
    "prompt_style": 20,
    "text": 21,
    "answer": 22,
    "group": 23,
    "access_token_expiry": 24,
    "reason": 25,
    "log_text": 26,
    "outcome": 27,
    "preferred_factor": 28,
    "combined_code": 29,
    "client_address": 30,
    "service_name": 31,
    "device": 32,
    "remember_device": 33,
    "only_once": 34,
    "online": 40,
    "unexpired": 41,
    "authenticated_at": 42,
    "report": 43,
    "credentials": 46,
    "instance_metadata": 47,
    "tells_reach": 50,
    "reach": 51,
    "revoked": 58,
    "session_place": 59,
    "shortfall": 52,
    "key": 64,
    "minimum_life": 65,
    "renewal_outcome": 66,
    "refusal": 67,
    "signed_in_ago": 68,
    "renewed_ago": 69,
    "refresh_token_expiry": 70,
    "host_process": 71,
    "asked_at": 72,
    "token_kind": 76,
    "hand_out_use": 77,
    "registered_standing": 84,
    "attempts": 85,
    "next_attempt_in": 86,
    "terminal": 87,
}
LONG_NUMBERS = {
    "time_limit",
    "connect_time_limit",
    "refresh_token_validity",
    "access_token_expiry",
    "key",
    "minimum_life",
    "signed_in_ago",
    "renewed_ago",
    "refresh_token_expiry",
    "host_process",
    "asked_at",
    "attempts",
    "next_attempt_in",
}
CODES = {
    "identity_rule",
    "flow",
    "revocation",
    "preconnect",
    "withhold_refresh_token",
    "prompt_style",
    "reason",
    "outcome",
    "preferred_factor",
    "combined_code",
    "remember_device",
    "only_once",
    "renewal_outcome",
    "refusal",
    "online",
    "unexpired",
    "token_kind",
    "hand_out_use",
    "registered_standing",
    "tells_reach",
    "reach",
    "shortfall",
    "revoked",
}
REASONS = [
    "",
    "refused",
    "locked_out",
    "disabled",
    "not_confirmed",
    "password_change_needed",
    "challenge_not_supported",
    "refused_by_pool",
    "other_identity",
    "invalid_tokens",
    "unreachable",
    "throttled",
    "service_fault",
    "configuration",
    "internal_fault",
    "session_ended",
    "no_new_password",
    "access_token_expired",
    "renewal_lost",
]
OUTCOMES = ["", "revoked", "already_revoked", "expired", "not_supported"]
_KIND_NAMES = {number: name for name, number in KINDS.items()}
_FIELD_NAMES = {number: name for name, number in FIELDS.items()}


@dataclass
class Message:
    kind: str
    fields: dict[str, bytes | int] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)

    @property
    def reason(self) -> str:
        return REASONS[self.fields["reason"]]

    @property
    def outcome(self) -> str:
        return OUTCOMES[self.fields["outcome"]]

    def text(self, name: str) -> str:
        return self.fields[name].decode()


def encode(kind: str, fields: dict[str, object]) -> bytes:
    packet = bytes([VERSION, KINDS[kind]])
    for name, value in fields.items():
        if value is None:
            continue
        if name in LONG_NUMBERS:
            value = struct.pack(">q", value)
        elif name in CODES:
            value = bytes([value])
        elif isinstance(value, str):
            value = value.encode()
        packet += struct.pack(">BI", FIELDS[name], len(value)) + value
    return packet


def decode(packet: bytes) -> Message:
    assert packet[0] == VERSION
    message = Message(_KIND_NAMES[packet[1]])
    offset = 2
    while offset < len(packet):
        tag, length = struct.unpack_from(">BI", packet, offset)
        value: bytes | int = packet[offset + 5 : offset + 5 + length]
        offset += 5 + length
        name = _FIELD_NAMES[tag]
        if name == "group":
            message.groups.append(value.decode())
            continue
        if name in LONG_NUMBERS or name in CODES:
            value = int.from_bytes(value, "big")
        message.fields[name] = value
    return message


class WorkerProcess:
    """One worker, for one step."""

    def __init__(self, program: Path, environment: Mapping[str, str] | None = None):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # By descriptor: the folders above may be closed to a process without rights.
        executable = os.open(program, os.O_PATH)
        try:
            self.process = subprocess.Popen(
                ["cognito-worker"],
                executable=f"/proc/self/fd/{executable}",
                pass_fds=[executable],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd="/",
                env={"PATH": "/usr/bin:/bin", **(environment or {})},
                user=NOBODY,
                group=NOBODY,
                extra_groups=[],
            )
        finally:
            os.close(executable)
            theirs.close()
        self.socket = ours
        self.socket.settimeout(30)

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()

    def hang_up(self) -> None:
        self.socket.close()

    def send(self, kind: str, **fields: object) -> None:
        self.socket.send(encode(kind, fields))

    def receive(self) -> Message | None:
        """The next message; None at end of file."""
        packet = self.socket.recv(LARGEST)
        return decode(packet) if packet else None

    def messages(self) -> Iterator[Message]:
        while (message := self.receive()) is not None:
            yield message

    def end(self, timeout: float = 20) -> int:
        return self.process.wait(timeout)
