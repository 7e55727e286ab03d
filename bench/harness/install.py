"""An environment of its own for the other tools, so that they never touch the project's."""

import subprocess
import sys
import venv
from pathlib import Path

from harness.peers import PACKAGES


def environment(project: Path) -> Path:
    """Return where the environment of the benchmarks lives."""
    return project / ".venv-bench"


def install(project: Path) -> Path:
    """Make the environment if need be, install Roost and the other tools into it, and return its interpreter.

    Each tool is installed by itself: one that has no wheel for this machine costs only its own row.
    """
    folder = environment(project)
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"Making {folder}", flush=True)
        venv.create(folder, with_pip=True)
    _pip(python, "--upgrade", "pip")
    _pip(python, "--editable", str(project))
    for package in PACKAGES:
        if not _pip(python, package):
            print(f"{package} could not be installed; its row will be missing.", flush=True)
    return python


def interpreter(project: Path) -> Path:
    """Return the environment's interpreter, or without an environment the one that runs this."""
    python = environment(project) / "bin" / "python"
    return python if python.exists() else Path(sys.executable)


def _pip(python: Path, *arguments: str) -> bool:
    print(f"pip install {' '.join(arguments)}", flush=True)
    return subprocess.run([python, "-m", "pip", "install", "--quiet", *arguments], check=False).returncode == 0
