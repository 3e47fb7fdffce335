"""Asks the model of the registry (Tests/model/registry.pml) whether it can do what real programs were seen to do."""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

MODEL = Path(__file__).parents[1] / "model" / "registry.pml"
#: As the model numbers them.
EVENTS = {"lives": 1, "dies": 2, "begins": 3, "leaves": 4, "goes": 5}


def is_possible(trace: Sequence[tuple[str, int]], troubles: int = 0) -> bool:
    """Whether the model has a way to these events of sessions, numbered as their persons gave their answers.

    Tokens that end together are named in the order of their sessions. Cognito does not carry out `troubles` requests,
    or the answers are lost.
    """
    sessions = max(session for _, session in trace) + 1
    expected = "+".join(f"(at=={place})*{EVENTS[what] * 16 + session}" for place, (what, session) in enumerate(trace))
    macros = {"N": sessions, "TROUBLES": troubles, "TRACED": 1, "LENGTH": len(trace), "EXPECTED": f"({expected})"}
    lines = [f"#define {name} {value}" for name, value in macros.items()] + [f'#include "{MODEL}"']
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "traced.pml").write_text("\n".join(lines) + "\n")

        def run(*command: str) -> str:
            return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout

        run("spin", "-a", "traced.pml")
        run("cc", "-O0", "-w", "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=2048", "-DMEMLIM=2000", "-o", "pan", "pan.c")
        said = subprocess.run(
            ["./pan", "-E", "-m200000", "-w20"], cwd=folder, check=False, capture_output=True, text=True
        ).stdout
    assert "max search depth too small" not in said and "out of memory" not in said, said
    errors = int(said.split("errors: ")[1].split()[0])
    # A promise that is broken on the way would be a fault of the model.
    assert errors == 0 or f"assertion violated (at!={len(trace)})" in said, said
    return errors > 0
