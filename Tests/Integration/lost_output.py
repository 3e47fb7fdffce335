"""Programs whose standard output takes nothing."""

from .machine import Machine

#: What becomes of what they write, and how the C library calls that.
SINKS = {"full": (28, "No space left on device"), "closed": (9, "Bad file descriptor"), "ignored": (32, "Broken pipe")}
#: A pipe without a reader, which ends most programs.
UNREAD = "unread"

_INTO = """#!/usr/bin/python3 -IS
import os, signal, sys
sink, *command = sys.argv[1:]
signal.signal(signal.SIGPIPE, signal.SIG_IGN if sink == "ignored" else signal.SIG_DFL)
if sink == "closed":
    os.close(1)
elif sink == "full":
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
else:
    reading, writing = os.pipe()
    os.dup2(writing, 1)
    os.close(reading)
    os.close(writing)
os.execvp(command[0], command)
"""


def install(machine: Machine) -> str:
    """The program that becomes the command behind the name of a sink."""
    path = "/usr/local/bin/into"
    machine.write(path, _INTO, 0o755)
    return path
