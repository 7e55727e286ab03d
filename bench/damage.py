"""What a damaged disk does to answers: one bit of a stopped node's journal or files is flipped, and it is asked again.

Usage: python bench/damage.py [--trials 100] [--seed 1] [--keep FOLDER]

Each trial copies the home of a node that has done some runs, flips one bit in it, starts a node there and asks for
everything. Every answer must be the right one, or an error that names the damage; a node that does not start must say
so in one sentence. The exit code is 1 if a wrong answer looked right.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roost.client.control import Control, node_of, run_path
from roost.client.paging import failures_of, results_of
from roost.client.start import find_node
from roost.model.errors import RoostError
from roost.runtime.home import Home

PATIENCE_S = 60.0
_DAEMON = [sys.executable, "-P", "-m", "roost.app.daemon"]
_PROGRAM = [sys.executable, "-c", "import sys; from roost.app.cli.main import main; sys.exit(main())"]

#: What is done before the disk is damaged: commands with inputs, files, failures, and functions.
_SUBMISSIONS = (
    ("submit", "--wait", "--array", "1-40", "--", "sh", "-c", "echo result-of-{i}"),
    ("submit", "--wait", "--", "sh", "-c", "seq 1500"),
    ("submit", "--wait", "--output", "f=o.txt", "--", "sh", "-c", "seq 600 > o.txt"),
    ("submit", "--wait", "--array", "1-3", "--", "sh", "-c", "echo no-{i} >&2; exit 3"),
)
_SCRIPT = """
import roost
with roost.connect() as pool:
    print(len("".join(pool.map(lambda at: "x" * at + str(at), range(60)))))
"""


class Laboratory:
    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        self.work = folder / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        own = {name: value for name, value in os.environ.items() if not name.startswith("ROOST_")}
        self.environment = own | {"ROOST_HOME": str(self.home.path), "ROOST_CPUS": "2", "ROOST_MESH": "off"}
        self._node: subprocess.Popen[bytes] | None = None

    def start(self) -> str | None:
        """Start a node; return None, or what it said when it did not start."""
        log = self.work / "daemon.log"
        with log.open("wb") as file:
            self._node = subprocess.Popen(
                _DAEMON,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                env=self.environment,
                start_new_session=True,
            )
        give_up = time.monotonic() + PATIENCE_S
        while find_node(self.home) is None:
            if self._node.poll() is not None:
                return log.read_text(errors="replace")
            if time.monotonic() > give_up:
                return "it hangs"
            time.sleep(0.02)
        return None

    def stop(self) -> None:
        if self._node is not None:
            if self._node.poll() is None:
                self._node.send_signal(signal.SIGTERM)
                try:
                    self._node.wait(PATIENCE_S)
                except subprocess.TimeoutExpired:
                    os.killpg(self._node.pid, signal.SIGKILL)
                    self._node.wait()
            self._node = None

    def roost(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*_PROGRAM, *words],
            cwd=self.work,
            env=self.environment,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )


def prepare(folder: Path) -> None:
    """Let a node do some runs, and stop it."""
    lab = Laboratory(folder)
    said = lab.start()
    assert said is None, said
    try:
        for words in _SUBMISSIONS:
            lab.roost(*words)
        (lab.work / "script.py").write_text(_SCRIPT)
        script = [sys.executable, "script.py"]
        subprocess.run(script, cwd=lab.work, env=lab.environment, check=True, capture_output=True, timeout=PATIENCE_S)
    finally:
        lab.stop()


def answers(lab: Laboratory, runs: Sequence[str] = ()) -> dict[str, Any]:
    """Ask the node for everything, of these runs or of all; an error counts by its words."""
    found: dict[str, Any] = {}
    with node_of(lab.home) as control:
        listed = _asked(control, "/v1/runs")
        is_whole = isinstance(listed, dict) and not listed.get("damaged")
        found["runs"] = _steady(listed) if is_whole else f"error: {listed}"
        for run in runs or [run["run"] for run in listed["runs"]]:
            found[f"{run} itself"] = _steady(_asked(control, run_path(run)))
            for part in ("results", "failures"):
                answer = _paged(control, run, part)
                found[f"{run} {part}"] = _steady(answer)
                for result in answer if isinstance(answer, list) else []:
                    for name in result.get("files") or ():
                        query = {"task": result["task"].rpartition("/")[2], "element": result["index"], "name": name}
                        found[f"{run} file {name}"] = _read(control, run_path(run, "files"), **query)
    return found


def runs_in(found: dict[str, Any]) -> list[str]:
    return [run["run"] for run in found["runs"]["runs"]]


def _asked(control: Control, path: str, **query: object) -> Any:
    try:
        return control.get(path, **query)
    except RoostError as error:
        return f"error: {error}"


def _paged(control: Control, run: str, part: str) -> Any:
    """Ask for one page after the other, as the commands do."""
    asked = {"results": results_of, "failures": failures_of}[part]
    try:
        return list(asked(control, run, None, None))
    except RoostError as error:
        return f"error: {error}"


def _read(control: Control, path: str, **query: object) -> Any:
    try:
        return control.read(path, **query).body
    except RoostError as error:
        return f"error: {error}"


def _steady(answer: Any) -> Any:
    """Leave out when a run ended: that is worked out anew, some milliseconds off, if just that is lost."""
    if isinstance(answer, dict):
        return {key: _steady(value) for key, value in answer.items() if key != "finished_at"}
    return [_steady(value) for value in answer] if isinstance(answer, list) else answer


def flip(folder: Path, rng: random.Random) -> str:
    """Flip a bit somewhere in what the node keeps: mostly in its journal, and there where something is written."""
    files = sorted(path for path in (folder / "home" / "blobs").iterdir() if path.is_file())
    path = rng.choice(files) if files and rng.random() < 0.15 else folder / "home" / "journal.db"
    path.chmod(0o600)
    content = bytearray(path.read_bytes())
    while True:
        at = rng.randrange(len(content))
        if content[at]:
            break
    content[at] ^= 1 << rng.randrange(8)
    path.write_bytes(content)
    return f"{path.name} at {at}"


def verdict(right: dict[str, Any], told: dict[str, Any]) -> str:
    if told == right:
        return "right"
    for key, value in right.items():
        run, _, what = key.partition(" ")
        # Without its result nobody knows which file it is.
        answer = told.get(key, told.get(f"{run} results") if what.startswith("file") else None)
        if answer != value and not _names_damage(answer, value):
            return f"WRONG: {key}: {str(answer)[:120]} instead of {str(value)[:120]}"
    return "an error names the damage"


def _names_damage(answer: Any, right: Any) -> bool:
    """Whether an answer is an error that names the damage, or does so for each element that it does not tell right."""
    if isinstance(answer, list) and isinstance(right, list) and len(answer) == len(right):
        return all(one == other or "damage" in str(one) for one, other in zip(answer, right, strict=True))
    return isinstance(answer, str) and answer.startswith("error: ") and "damage" in answer


def trial(pristine: Path, folder: Path, right: dict[str, Any], seed: int) -> tuple[str, str]:
    shutil.copytree(pristine, folder, symlinks=True)
    place = flip(folder, random.Random(seed))
    lab = Laboratory(folder)
    said = lab.start()
    try:
        if said is not None:
            named = "damage" in said and "Traceback" not in said
            return place, "refused to start in a sentence" if named else f"CRASHED: {said[-300:]}"
        return place, verdict(right, answers(lab, runs_in(right)))
    finally:
        lab.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        pristine = Path(place) / "pristine"
        prepare(pristine)
        whole = Path(place) / "whole"
        shutil.copytree(pristine, whole)
        lab = Laboratory(whole)
        said = lab.start()
        assert said is None, said
        right = answers(lab)
        lab.stop()
        for seed in range(asked.seed, asked.seed + asked.trials):
            folder = Path(place) / "trial"
            where, outcome = trial(pristine, folder, right, seed)
            shutil.rmtree(folder)
            counts[outcome.partition(":")[0]] += 1
            if outcome[:2].isupper():
                print(f"seed {seed}, {where}: {outcome}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if any(what.isupper() for what in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
