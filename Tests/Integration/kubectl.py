"""The kubectl programs of this machine, and the ways in which docs/howto/kubernetes-git-docker.md sets one up."""

import functools
import json
import re
import shutil
import subprocess
from pathlib import Path

from .machine import REPOSITORY

KUBERNETES = "client.authentication.k8s.io"


@functools.cache
def version(program: Path) -> int | None:
    """The minor version of Kubernetes 1; None: it does not say."""
    done = subprocess.run([program, "version", "--client", "-o", "json"], capture_output=True, text=True)
    found = re.search(r'"minor": "(\d+)', done.stdout)
    return int(found[1]) if found else None


def programs() -> list[Path]:
    """The one in PATH, and those that are installed beside it: Google's package has one for each version."""
    first = shutil.which("kubectl")
    if first is None:
        return []
    beside = sorted(Path(first).resolve().parent.glob("kubectl.1.*"))
    return [Path(first), *beside]


def _blocks(language: str) -> list[str]:
    text = (REPOSITORY / "docs/howto/kubernetes-git-docker.md").read_text()
    part = text[text.index("## kubectl") : text.index("\n## git\n")]
    return re.findall(rf"```{language}\n(.*?)```", part, re.DOTALL)


def documented() -> dict[str, tuple[int, str]]:
    """Each way: from which minor version on it is said to work, and what a shell is to run for it."""
    one_line, with_mode = _blocks("sh")
    (by_hand,) = _blocks("yaml")
    write = f"mkdir -p ~/.kube && cat >~/.kube/config <<'END'\n{by_hand}END"
    assert f"{KUBERNETES}/v1beta1 " in one_line and f"{KUBERNETES}/v1 " in with_mode
    return {"one line": (27, one_line.strip()), "interactive mode": (30, with_mode.strip()), "by hand": (20, write)}


def answer(output: str) -> dict:
    """The JSON object in what kubectl printed."""
    return json.loads(output[output.index("{") : output.rindex("}") + 1])
