"""How many elements a second are taken over from an earlier run, beside how many a second are run.

Usage: python bench/reuse.py [COMMANDS [FUNCTIONS]]

A node of its own runs an array of commands (``true``), and one of functions by name that do nothing, first fresh, then
again with reuse; each figure is of the node's own words on when the run was handed in and when it ended. A run without
reuse stands beside them: what it costs to keep keys is the difference between the two.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from roost.app.control import Control, node_of
from roost.runtime.home import Home

COMMANDS: Final = 5_000
FUNCTIONS: Final = 20_000
ROUNDS: Final = 3
_CLI: Final = (sys.executable, "-c", "import sys; from roost.app.cli.main import main; sys.exit(main())")


def submission(kind: str, count: int, reuse: str, folder: Path) -> dict[str, Any]:
    work: dict[str, Any] = {"command": {"argv": ["true", "{i}"], "env": {"PATH": os.environ["PATH"]}}}
    if kind == "function":
        call = {"call": "nothing:nothing", "path": [str(folder)], "arguments": [{"index": True}]}
        work = {"function": call}
    task = {"name": "work", "array": f"1-{count}", **work}
    return {"name": kind, "kind": "flow", "cwd": str(folder), "reuse": reuse, "tasks": [task]}


def seconds(control: Control, asked: dict[str, Any]) -> float:
    """Hand it in, wait for its end, and return how long it took."""
    run = control.post("/v1/runs", asked)["run"]
    while True:
        told = control.get(f"/v1/runs/{run}")
        if told["finished_at"] is not None:
            break
        time.sleep(0.05)
    assert told["counts"]["done"] == told["counts"]["total"], told["counts"]
    expected = told["counts"]["total"] if asked["reuse"] == "on" else 0
    assert told["steps"][0]["reused"] == expected, told["steps"][0]
    return float(told["finished_at"] - told["submitted_at"])


def measure(control: Control, kind: str, count: int, folder: Path) -> None:
    for _ in range(ROUNDS):
        rates = {
            reuse: count / seconds(control, submission(kind, count, reuse, folder)) for reuse in ("off", "fresh", "on")
        }
        told = ", ".join(f"{reuse} {rate:,.0f}/s" for reuse, rate in rates.items())
        print(f"{kind:10}{count:>8,}  {told}  reused {rates['on'] / rates['off']:.1f} times as fast as run", flush=True)


def main() -> None:
    commands, functions = (*map(int, sys.argv[1:3]), *(COMMANDS, FUNCTIONS)[len(sys.argv[1:3]) :])
    print(f"load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "nothing.py").write_text("def nothing(index):\n    return index\n")
        home = folder / "home"
        environment = os.environ | {"ROOST_HOME": str(home)}
        subprocess.run([*_CLI, "up"], env=environment, check=True)
        try:
            with node_of(Home(home)) as control:
                measure(control, "command", commands, folder)
                measure(control, "function", functions, folder)
        finally:
            subprocess.run([*_CLI, "down"], env=environment, check=True)


if __name__ == "__main__":
    main()
