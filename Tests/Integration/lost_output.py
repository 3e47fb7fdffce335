"""Programs whose standard output takes nothing."""

from .compiled import compiled
from .machine import Machine

#: What becomes of what they write, and how the C library calls that.
SINKS = {"full": (28, "No space left on device"), "closed": (9, "Bad file descriptor"), "ignored": (32, "Broken pipe")}
#: A pipe without a reader, which ends most programs.
UNREAD = "unread"


def install(machine: Machine) -> str:
    """The program that becomes the command behind the name of a sink."""
    path = "/usr/local/bin/into"
    machine.write(path, compiled("lost_output", "-static"), 0o755)
    return path
