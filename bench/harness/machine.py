"""What the figures were taken on: without it they mean nothing a month later."""

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path


def description(python: Path) -> dict[str, object]:
    """Return the facts that are printed above the tables and kept with the results."""
    return {
        "taken_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _cpu_model(),
        "cpus": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": _python_version(python),
        "load": load(),
    }


def load() -> float:
    """Return the load average of the last minute: a busy machine spoils figures."""
    return round(os.getloadavg()[0], 2)


def versions(python: Path, packages: list[str]) -> dict[str, str]:
    """Return the installed version of each package that is there."""
    script = (
        "import importlib.metadata as m, json, sys\n"
        "found = {d.name.lower(): d.version for d in m.distributions() if d.name}\n"
        "print(json.dumps({p: found[p] for p in sys.argv[1:] if p in found}))"
    )
    out = subprocess.run([python, "-c", script, *packages], capture_output=True, text=True, check=True).stdout
    return dict(json.loads(out))


def _cpu_model() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _python_version(python: Path) -> str:
    return subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.strip()
