"""Many ssh logins at once: `crowd_clients.py SSH_CONFIG NAME...`, the password, with a code or without, in SSHPASS.

Prints for each its exit status and the seconds from the first one's start to its end.
"""

import json
import os
import subprocess
import sys
import time


def main() -> None:
    configuration, *names = sys.argv[1:]
    begun = time.monotonic()
    # Kept: one that is forgotten would be waited for by subprocess itself.
    clients = []
    for name in names:
        ssh = ["ssh", "-F", configuration, "-o", "PreferredAuthentications=keyboard-interactive", "-l", name]
        command = ["sshpass", "-e", "-P", "assword", *ssh, "127.0.0.1", "true"]
        clients.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
    ended = []
    for _ in clients:
        _, status = os.wait()
        ended.append((os.waitstatus_to_exitcode(status), time.monotonic() - begun))
    print(json.dumps(ended))


if __name__ == "__main__":
    main()
