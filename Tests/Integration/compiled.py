"""What the tests have in C, compiled once by each runner."""

import functools
import subprocess
import tempfile
from pathlib import Path


@functools.cache
def compiled(name: str, *options: str) -> bytes:
    """The program whose source is `name`.c in this folder."""
    source = Path(__file__).with_name(f"{name}.c")
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / name
        command = ["clang", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(binary), str(source), *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{source.name} does not compile:\n{done.stderr}")
        return binary.read_bytes()


def library(name: str, folder: Path) -> str:
    """The library with that source, to be loaded before others, in a folder that programs can read."""
    path = folder / f"{name}.so"
    path.write_bytes(compiled(name, "-shared", "-fPIC"))
    return str(path)
