"""How many elements a second are taken over from an earlier run, beside how many a second are run.

Usage: python bench/reuse.py [COMMANDS [FUNCTIONS]] [--mesh]

A node of its own runs an array of commands (``true``), and one of functions by name that do nothing, first fresh, then
again with reuse; each figure is of the node's own words on when the run was handed in and when it ended. A run without
reuse stands beside them: what it costs to keep keys is the difference between the two.

With --mesh two nodes of one cluster: the first runs everything, then the second alone takes it over from the first. In
"anew" the second is asked to reuse what nobody has done, so that every lease asks the first in vain.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from roost.client.control import Control, node_of
from roost.runtime.home import Home
from roost.runtime.trust.key_file import KeyStore

COMMANDS: Final = 5_000
FUNCTIONS: Final = 20_000
ROUNDS: Final = 3
_CLI: Final = (sys.executable, "-c", "import sys; from roost.app.cli.main import main; sys.exit(main())")


def submission(kind: str, count: int, reuse: str, folder: Path, word: str = "") -> dict[str, Any]:
    """Describe a run; with another ``word`` it is work that nobody has done yet."""
    environment = {"PATH": os.environ["PATH"], "WORD": word}
    work: dict[str, Any] = {"command": {"argv": ["true", "{i}"], "env": environment}}
    if kind == "function":
        call = {"call": "nothing:nothing", "path": [str(folder)], "arguments": [{"index": True}, word]}
        work = {"function": call}
    task = {"name": "work", "array": f"1-{count}", "reuse": reuse != "off", **work}
    return {"name": kind, "kind": "flow", "cwd": str(folder), "fresh": reuse == "fresh", "tasks": [task]}


def seconds(control: Control, asked: dict[str, Any], *, is_new: bool = False) -> float:
    """Hand it in, wait for its end, and return how long it took."""
    run = control.post("/v1/runs", asked)["run"]
    while True:
        told = control.get(f"/v1/runs/{run}")
        if told["finished_at"] is not None:
            break
        time.sleep(0.05)
    assert told["counts"]["done"] == told["counts"]["total"], told["counts"]
    may_find = asked["tasks"][0]["reuse"] and not asked["fresh"] and not is_new
    assert told["taken_over"] == (told["counts"]["total"] if may_find else 0), told
    return float(told["finished_at"] - told["submitted_at"])


def measure(control: Control, kind: str, count: int, folder: Path) -> None:
    for _ in range(ROUNDS):
        rates = {
            reuse: count / seconds(control, submission(kind, count, reuse, folder)) for reuse in ("off", "fresh", "on")
        }
        told = ", ".join(f"{reuse} {rate:,.0f}/s" for reuse, rate in rates.items())
        print(f"{kind:10}{count:>8,}  {told}  reused {rates['on'] / rates['off']:.1f} times as fast as run", flush=True)


def measure_mesh(nodes: list[Control], kind: str, count: int, folder: Path) -> None:
    """Let the first node do it, and the second take it over from there."""
    for number in range(ROUNDS):
        word = f"round {number}"
        rates: dict[str, float] = {}
        for name, worker, reuse, about in (
            ("off", 0, "off", word),
            ("fresh", 0, "fresh", word),
            ("anew", 1, "on", f"{word} anew"),
            ("on", 1, "on", word),
        ):
            drain_all_but(worker, nodes)
            asked = submission(kind, count, reuse, folder, about)
            rates[name] = count / seconds(nodes[worker], asked, is_new=name == "anew")
        told = ", ".join(f"{name} {rate:,.0f}/s" for name, rate in rates.items())
        print(f"{kind:10}{count:>8,}  {told}  taken over {rates['on'] / rates['off']:.1f} times as fast", flush=True)


def drain_all_but(worker: int, nodes: list[Control]) -> None:
    for number, node in enumerate(nodes):
        node.post("/v1/drain", {"on": number != worker})


@contextmanager
def nodes_here(folder: Path, count: int) -> Iterator[list[Control]]:
    """Start nodes of one cluster, and end them."""
    with ExitStack() as ending:
        keyring, controls = None, []
        for number in range(count):
            home = Home(folder / f"home{number}")
            home.create()
            keyring = KeyStore(home).ensure("bench") if keyring is None else KeyStore(home).adopt(keyring)
            environment = os.environ | {"ROOST_HOME": str(home.path)}
            subprocess.run([*_CLI, "up"], env=environment, check=True)
            ending.callback(subprocess.run, [*_CLI, "down"], env=environment, check=True)
            controls.append(ending.enter_context(node_of(home)))
        while any(control.get("/v1/status")["nodes"] != count for control in controls):
            time.sleep(0.05)
        yield controls


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:] if word != "--mesh"]
    commands, functions = (*numbers, *(COMMANDS, FUNCTIONS)[len(numbers) :])
    print(f"load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "nothing.py").write_text("def nothing(index, word):\n    return index\n")
        is_mesh = "--mesh" in sys.argv
        with nodes_here(folder, 2 if is_mesh else 1) as nodes:
            for kind, count in (("command", commands), ("function", functions)):
                if is_mesh:
                    measure_mesh(nodes, kind, count, folder)
                else:
                    measure(nodes[0], kind, count, folder)


if __name__ == "__main__":
    main()
