"""The behaviours of tests.conformance.executor: as a command, as a function and as a script."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from roost.executors.command import CommandExecutor
from roost.executors.function import FunctionExecutor
from roost.executors.order import Order
from roost.executors.port import Executor
from roost.executors.worker import progress
from roost.executors.worker_pool import WorkerPool
from roost.model.task import Command
from tests.conformance.executor import Bench, Works
from tests.executors.lab import Answers, Orders, arguments, function_of, json_items, make_places, script_of

ROOT = Path(__file__).parents[2]

SCRIPT = """
folder=$2
write() { echo "$2" > "$folder/$1.new"; mv "$folder/$1.new" "$folder/$1"; }
await() { until [ -e "$folder/go" ]; do sleep 0.02; done; }
case $1 in
ok) ;;
fail) exit 3 ;;
die) kill -KILL $$ ;;
note) echo $ROOST_INDEX >> "$folder/order" ;;
wait) sleep 600 & write $ROOST_INDEX.child $!; write $ROOST_INDEX.pid $$; await ;;
progress) echo "::progress 40 fold 2 of 5"; await ;;
esac
"""


class CommandWorks:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._orders = Orders()

    def make(self, *behaviours: str, start: int = 0, lane: int = 1, limit_s: float | None = None) -> Order:
        command = Command(("sh", "-c", SCRIPT, "sh", "{item}", str(self.folder)))
        items = json_items(*behaviours)
        return self._orders.make(command, len(behaviours), start=start, lane=lane, items=items, limit_s=limit_s)


def behave(behaviour: str, index: int, folder: Path) -> str:
    match behaviour:
        case "fail":
            raise ValueError("bad")
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "note":
            with (folder / "order").open("a") as order:
                order.write(f"{index}\n")
        case "wait":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            _write(folder / f"{index}.child", child.pid)
            _write(folder / f"{index}.pid", os.getpid())
            _await(folder)
            child.kill()
            child.wait()
        case "progress":
            progress.report(0.4, "fold 2 of 5")
            _await(folder)
        case "await":
            _await(folder)
    return behaviour


def _write(path: Path, pid: int) -> None:
    path.with_suffix(".new").write_text(f"{pid}\n")
    path.with_suffix(".new").rename(path)


def _await(folder: Path) -> None:
    while not (folder / "go").exists():
        time.sleep(0.02)


class FunctionWorks:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._orders = Orders()
        self._work, self._blobs = function_of(behave)

    def make(self, *behaviours: str, start: int = 0, lane: int = 1, limit_s: float | None = None) -> Order:
        items = [arguments(behaviour, index, self.folder) for index, behaviour in enumerate(behaviours, start)]
        return self._orders.make(
            self._work, len(behaviours), start=start, lane=lane, items=items, blobs=self._blobs, limit_s=limit_s
        )


class BehavingScripts(WorkerPool):
    """A ScriptExecutor whose scripts can do more than scripts can; see tests.executors.behaving_scripts."""

    module = "tests.executors.behaving_scripts"


class ScriptWorks:
    def __init__(self, folder: Path) -> None:
        from tests.executors.behaving_scripts import CODE  # noqa: PLC0415 -- it imports this module

        self.folder = folder
        self._orders = Orders()
        self._work, self._blobs = script_of(CODE, {"item": True}, {"index": True}, str(folder))

    def make(self, *behaviours: str, start: int = 0, lane: int = 1, limit_s: float | None = None) -> Order:
        items = json_items(*behaviours)
        return self._orders.make(
            self._work, len(behaviours), start=start, lane=lane, items=items, blobs=self._blobs, limit_s=limit_s
        )


@asynccontextmanager
async def bench_of(kind: str, folder: Path) -> AsyncIterator[Bench]:
    places = make_places(folder / "home")
    answers = Answers()
    executor: Executor
    works: Works
    match kind:
        case "CommandExecutor":
            executor, works = CommandExecutor(places, answers.report), CommandWorks(folder)
        case "FunctionExecutor":
            executor, works = FunctionExecutor(places, answers.report), FunctionWorks(folder)
        case _:
            executor, works = BehavingScripts(places, answers.report), ScriptWorks(folder)
    with pytest.MonkeyPatch.context() as patch:
        # Workers look for their program on Python's path, and one of these is a test's.
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
        try:
            yield Bench(executor, works, answers)
        finally:
            await executor.close()
