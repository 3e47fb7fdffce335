"""The Cognito emulator inside a test machine, where the machine's loopback interface is the only network."""

import compileall
import functools
import os
import sys
from pathlib import Path

from .machine import GENEROUS, REPOSITORY, Closing, Machine, MachineError, MachineProcess

DIRECTORY_NAME = "emulator"


@functools.cache
def _compile_emulator() -> None:
    """Machines can read the checkout, and not write to it: each emulator would compile its modules anew."""
    if not sys.dont_write_bytecode:
        compileall.compile_dir(REPOSITORY / "Tests" / "Emulator", quiet=2)


class EmulatedCognito(Closing):
    """Runs `python3 -m Emulator` in the machine; in a directory that is seen from outside too, by `client`."""

    def __init__(self, machine: Machine):
        from Emulator.client import EmulatorClient
        from Emulator.signing_keys import make_stock

        make_stock()
        _compile_emulator()
        self.machine = machine
        self.directory = machine.shared / DIRECTORY_NAME
        self.directory.mkdir(mode=0o755)
        output = self.directory / "output.log"
        self.process = machine.start(
            [sys.executable, "-m", "Emulator", "--directory", str(self.directory)],
            cwd=REPOSITORY / "Tests",
            env={"PYTHONDONTWRITEBYTECODE": "1"},
            stdout=output,
            stderr=output,
        )
        try:
            machine.wait_until(self._is_ready, "the emulator's readiness", GENEROUS)
            self.client = EmulatorClient(self.directory)
        except BaseException:
            self.process.end()
            raise

    def reach_from(self, other: Machine) -> MachineProcess:
        """Lets another machine reach it, at the same address: carries that one's connections until the process ends."""
        listening = other.listen(self.client.port)
        try:
            forwarder = Path(__file__).with_name("forwarder.py")
            return self.machine.start([sys.executable, str(forwarder), str(self.client.port)], stdin=listening)
        finally:
            os.close(listening)

    def _is_ready(self) -> bool:
        if self.process.ended:
            said = (self.directory / "output.log").read_text(errors="replace")
            raise MachineError(f"the emulator ended with {self.process.wait()}: {said[-2000:]}")
        return (self.directory / "ready.json").exists()

    def close(self) -> None:
        self.process.terminate()
