"""Runs one driver to its end, or ends it: a tool that hangs or leaves processes behind must not touch the next."""

import json
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import footprint

DRIVERS = Path(footprint.__file__).parent
LONGEST_REASON = 160


@dataclass(frozen=True)
class Outcome:
    """What one driver gave: its figures, or the reason why there are none."""

    figures: dict[str, object] | None
    reason: str = ""


def importable(python: Path, module: str) -> bool:
    """Tell whether that interpreter would find the module, without importing it."""
    script = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", script], capture_output=True, check=False).returncode == 0


def drive(python: Path, driver: str, measure: str, options: dict[str, object], limit_seconds: float) -> Outcome:
    """Run a driver in a process group of its own and return what it printed last."""
    with tempfile.TemporaryDirectory(prefix="roost-bench-", ignore_cleanup_errors=True) as scratch:
        arguments = [python, DRIVERS / driver, measure, json.dumps(options | {"scratch": scratch})]
        process = subprocess.Popen(
            arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=_environment(python),
            cwd=scratch,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=limit_seconds)
        except subprocess.TimeoutExpired:
            return Outcome(None, f"no answer within {limit_seconds:.0f} s")
        finally:
            _end(process)
    return _read(out, err)


def _environment(python: Path) -> dict[str, str]:
    """Give the tools their own programs on PATH, and their workers the modules of the drivers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ROOST_", "PYTHON", "RAY_"))}
    return kept | {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(DRIVERS)}


def _read(out: str, err: str) -> Outcome:
    line = next((line for line in reversed(out.splitlines()) if line.startswith("{")), None)
    if line is not None:
        return Outcome(json.loads(line))
    said = [line.strip() for line in err.splitlines() if line.strip()]
    return Outcome(None, (said[-1] if said else "it ended without a word")[:LONGEST_REASON])


def _end(process: subprocess.Popen[str]) -> None:
    """Kill the driver's group, then whatever it orphaned, which is ours since we adopt orphans."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pid in footprint.tree([os.getpid()])[1:]:
        _kill(pid)
    _reap_all()
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _reap_all() -> None:
    while footprint.children_of(os.getpid()):
        try:
            os.wait()
        except ChildProcessError:
            return
