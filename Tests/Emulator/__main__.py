"""Starts the emulator: python3 -m Emulator --directory DIR."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1


def main() -> int:
    arguments = _parse()
    if arguments.die_with_parent:
        _die_with_parent()
    directory: Path = arguments.directory.resolve()
    directory.mkdir(mode=0o755, parents=True, exist_ok=True)
    (directory / "ready.json").unlink(missing_ok=True)
    return asyncio.run(_run(directory, arguments.port, arguments.region))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Emulator", description="A Cognito emulator for tests, on 127.0.0.1 only.")
    parser.add_argument("--directory", type=Path, required=True, help="where ready.json, ca.pem and control.sock go")
    parser.add_argument("--port", type=int, default=0, help="TCP port (default: any free one)")
    parser.add_argument("--region", default="eu-west-1", help="region of pools that name none (default: %(default)s)")
    parser.add_argument("--die-with-parent", action="store_true", help="end when the starting process ends")
    return parser.parse_args()


async def _run(directory: Path, port: int, region: str) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    # Broken TLS handshakes and cut connections are what tests are made of; they are in the connection log.
    loop.set_exception_handler(lambda _loop, _context: None)

    from .control import ControlServer
    from .front import ADDRESS
    from .service import CognitoEmulator

    emulator = CognitoEmulator(directory, region)
    emulator.open(port)
    control = ControlServer(emulator)
    await control.open(directory / "control.sock")
    _write_atomically(
        directory / "ready.json",
        {
            "endpoint": f"https://{ADDRESS}:{emulator.front.port}",
            "address": ADDRESS,
            "port": emulator.front.port,
            "managed_login_domain": emulator.managed_login_domain,
            "region": region,
            "ca": str(emulator.tls.ca_path),
            "authority": str(emulator.tls.authority_path),
            "pin": emulator.tls.pin,
            "control": str(directory / "control.sock"),
            "pid": os.getpid(),
        },
    )
    await stop.wait()
    (directory / "ready.json").unlink(missing_ok=True)
    control.close()
    sys.stdout.flush()
    # Nothing is worth keeping, and ministack's threads must not hold the process up.
    os._exit(0)


def _write_atomically(path: Path, content: dict) -> None:
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps(content, indent=2) + "\n")
    temporary.chmod(0o644)
    temporary.replace(path)


def _die_with_parent() -> None:
    """Ask the kernel for SIGTERM when the parent (more exactly: the thread that started us) ends."""
    import ctypes

    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit("the starting process is gone already")


if __name__ == "__main__":
    sys.exit(main())
