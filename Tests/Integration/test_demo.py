"""What the README tells everybody to run first, as it is run."""

import subprocess
import sys

from .machine import REPOSITORY


def test_every_step_holds() -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-m", "Integration.demo"],
        cwd=REPOSITORY / "Tests",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ GetUser is refused" in done.stdout, done.stdout
