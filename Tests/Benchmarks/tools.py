"""The C programs that measure, compiled and put into a machine."""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from Integration.machine import Machine, MachineError

_LIBRARIES = {"launch": [], "bare_client": ["-lcurl"]}


def only(machine: Machine, service: str, module: str) -> None:
    """A PAM service that has this module and no other."""
    machine.pam(service, "".join(f"{kind} required {module}\n" for kind in ("auth", "account", "session")))


class Tools:
    def __init__(self, machine: Machine):
        self.machine = machine
        self.paths = {name: f"/usr/local/libexec/{name}" for name in _LIBRARIES}
        with tempfile.TemporaryDirectory() as folder:
            for name, libraries in _LIBRARIES.items():
                source, binary = Path(__file__).with_name(f"{name}.c"), Path(folder) / name
                flags = ["-O1", "-Wall", "-Wextra", "-Werror"]
                subprocess.run(["cc", *flags, "-o", str(binary), str(source), *libraries], check=True)
                machine.write(self.paths[name], binary.read_bytes(), 0o755)

    def load_times(self, file: str, count: int) -> list[float]:
        """Milliseconds of dlopen, each in a fresh process, after one that is not counted."""
        runs = [self.machine.run([self.paths["launch"], "load", file], check=True) for _ in range(count + 1)]
        return [int(run.stdout) / 1e6 for run in runs[1:]]

    def start_command(self, program: Sequence[str], count: int) -> list[str]:
        """What `start_times` reads the output of; the first start is not counted."""
        return [self.paths["launch"], "start", str(count + 1), *program]

    @staticmethod
    def start_times(output: str, status: int) -> list[float]:
        """Milliseconds from posix_spawn to the program's end."""
        lines = [line.split() for line in output.splitlines()][1:]
        if not lines or any(int(line[1]) != status for line in lines):
            raise MachineError(f"the program ended otherwise than with {status}: {output}")
        return [int(line[0]) / 1e6 for line in lines]
