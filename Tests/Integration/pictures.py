"""The pictures of the README, from a real sign-in: `cd Tests && ../.build/venv/bin/python -m Integration.pictures`."""

import html
import re
import sys
from pathlib import Path

from .agent_process import AgentProcess
from .demo import PASSWORD, USER, Demonstration
from .emulated_cognito import EmulatedCognito
from .hosts import Sshd
from .machine import Machine

FOLDER = Path(__file__).resolve().parents[2] / "docs"
COLUMNS = 106
#: The colors of the terminal, by the codes that are used (SGR).
STYLES = {
    "1": "font-weight:bold",
    "1;31": "font-weight:bold;fill:#ff7b72",
    "31": "fill:#ff7b72",
    "32": "fill:#7ee787",
    "33": "fill:#e3b341",
}
CELL, LINE, MARGIN = 8.43, 19, 16


def svg(title: str, lines: list[str]) -> str:
    """A terminal with these lines, in which colors are as a program wrote them."""
    width, height = round(COLUMNS * CELL + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    drawn = []
    for number, line in enumerate(lines, 1):
        spans, style = "", ""
        for part in re.split(r"(\x1b\[[\d;]*m)", line):
            if part.startswith("\x1b"):
                style = STYLES.get(part[2:-1], "")
            elif part:
                text = html.escape(part, quote=False)
                spans += f'<tspan style="{style}">{text}</tspan>' if style else text
        if spans:
            drawn.append(f'<text x="{MARGIN}" y="{MARGIN + number * LINE - 5}">{spans}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f"<title>{html.escape(title)}</title>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n'
        '<g fill="#e6edf3" font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" '
        'xml:space="preserve">\n' + "\n".join(drawn) + "\n</g>\n</svg>\n"
    )


def as_wide_as_a_terminal(lines: list[str]) -> list[str]:
    """Each line broken where a terminal breaks it, in the colors that it had."""
    broken = []
    for line in lines:
        shown, style, room = "", "", COLUMNS
        for part in re.findall(r"\x1b\[[\d;]*m|.", line):
            if part.startswith("\x1b"):
                style = part
            elif room == 0:
                broken.append(shown)
                shown, room = style, COLUMNS
            shown += part
            room -= not part.startswith("\x1b")
        broken.append(shown)
    return broken


def lines_of(output: str) -> list[str]:
    """The lines as they stay: not what was taken back."""
    return re.sub(r"[^\n]*\r\x1b\[K", "", output).replace("\r", "").strip("\n").split("\n")


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    with Machine("pictures") as machine, EmulatedCognito(machine) as emulated:
        demonstration = Demonstration(machine, emulated, stop_inside=False)
        demonstration.prepare()
        prompt = f"{USER}@demo:~$ "
        with Sshd(machine) as sshd, sshd.open(USER, PASSWORD, method="keyboard-interactive") as session:
            shown = lines_of(session.seen.split("stty -echo")[0].rsplit("\n", 1)[0])
            signed_in = [
                line.replace("127.0.0.1", "demo") for line in shown if line.strip() and "Last login" not in line
            ]
            signed_in = [f"$ ssh {USER}@demo", *signed_in]
            session.command(f"stty cols {COLUMNS}; export TERM=xterm LANG=C.UTF-8")
            status = lines_of(session.command("cognito-session").output)
            (FOLDER / "login.svg").write_text(svg("Signing in", [*signed_in, f"{prompt}exit"]))
            (FOLDER / "status.svg").write_text(svg("cognito-session", [f"{prompt}cognito-session", *status]))
            session.logout()
        # The doctor looks where sshd's own files are.
        machine.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/etc/ssh/host_key"], check=True)
        machine.make_directory("/run/sshd")
        settings = "UsePAM yes\nHostKey /etc/ssh/host_key\nKbdInteractiveAuthentication no\n"
        machine.write("/etc/ssh/sshd_config", settings, 0o600)
        command = f"stty cols {COLUMNS}; TERM=xterm LANG=C.UTF-8 cognito-session doctor"
        with AgentProcess(machine):
            terminal = machine.spawn_pty(["sh", "-c", command])
            terminal.wait()
        shown = as_wide_as_a_terminal(["# cognito-session doctor", *lines_of(terminal.seen)])
        (FOLDER / "doctor.svg").write_text(svg("cognito-session doctor", shown))
    return 0


if __name__ == "__main__":
    sys.exit(main())
