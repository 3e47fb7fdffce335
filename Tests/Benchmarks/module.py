"""The module as a file: how large it is, what it needs, how long it takes to load."""

import re
import subprocess

from Integration.machine import REPOSITORY

from .figures import Subject
from .tools import Tools

MODULE = REPOSITORY / ".build/product/pam_cognito.so"


def measure(tools: Tools, count: int = 41) -> Subject:
    subject = Subject("Loading a library (dlopen, RTLD_NOW, each in a fresh process)")
    unix = tools.machine.run(["sh", "-c", "ls /usr/lib/*/security/pam_unix.so"], check=True).stdout.strip()
    for name, file in (("pam_cognito.so", str(MODULE)), ("pam_unix.so", unix), ("libcurl.so.4", "libcurl.so.4")):
        subject.add(name, tools.load_times(file, count))
    dynamic = subprocess.run(["readelf", "-d", str(MODULE)], check=True, capture_output=True, text=True).stdout
    needed = ", ".join(re.findall(r"NEEDED.*\[(.+?)\]", dynamic))
    subject.note(f"pam_cognito.so is {MODULE.stat().st_size:,} bytes and needs {needed}.")
    return subject
