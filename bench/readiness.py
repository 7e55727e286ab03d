"""How long it takes from the bytes of a workflow file to tasks that a node knows, of which the first are ready.

Usage: python bench/readiness.py [TASKS [LANGUAGE ...]]

The whole way in one process, part by part: read and check the file, write the request, read and check the request as
the node does, check the tasks together, write them to the journal (in a folder of its own), take them into memory and
make ready what waits for nothing. ``graph`` is what of it is for parsing, checking and making ready, without the way of
the request and the disk. A small workflow goes first, so that loading the program does not count. Workflows are those
of languages.py. Each language has a process of its own; seconds are of the processor, because they stay the same while
others use the machine. The floor is what libraries in C take for the same data with nothing of ours: parse the file,
write and read the request, pack each task and insert it into a table. What a task takes in the node's memory is counted
in one more process, for a fifth of the tasks, because counting is slow.
"""

import gc
import multiprocessing
import sqlite3
import sys
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
from languages import LANGUAGES, TASKS

from roost.api.interning import said_once
from roost.api.requests import Submission
from roost.app.intake.reading import read_body
from roost.app.intake.submission import to_event
from roost.core.actions import Persist
from roost.core.events import Persisted, Started
from roost.core.node import Node
from roost.core.restored import Restored
from roost.languages.read import read_workflow
from roost.languages.trace.simulation import Simulation
from roost.model.clock import Stamp
from roost.model.ids import CauseId, NodeId, run_id
from roost.model.resources import Capacity
from roost.runtime.collector import look_less_often
from roost.runtime.journal.journal import Journal

NAME = NodeId("bench")
#: Two processors, and memory that no task asks for.
CAPACITY = Capacity.of(2.0, 2**33, "3.11")
PARTS = ("read", "send", "take", "event", "check", "journal", "ready")
#: Those of them that have to do with the graph, and not with the way to the node or its disk.
OF_THE_GRAPH = ("read", "event", "check", "ready")
MEMORY_SHARE = 5
#: Tasks of the workflow that goes first.
SMALL = 10


class Door:
    """As much of a node's service as a submission asks for."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def facts(self) -> Any:
        return SimpleNamespace(capacity=CAPACITY)

    def new_run_id(self) -> str:
        return run_id(1, 1)

    def stamp(self) -> Stamp:
        return self._node.stamp_at(2.0)

    def new_cause(self, word: str) -> CauseId:
        return CauseId(word)


class Written:
    """Hears when the journal has written."""

    def __init__(self) -> None:
        self._heard = threading.Event()

    def on_written(self, _ticket: int) -> None:
        self._heard.set()

    def on_failed(self, _tickets: tuple[int, ...], reason: str) -> None:
        raise RuntimeError(reason)

    def on_flushed(self, _ticket: int) -> None:
        """Nothing here waits for that."""

    def on_lost(self, reason: str) -> None:
        raise RuntimeError(reason)

    def wait_for(self, journal: Journal, persist: Persist) -> None:
        journal.append(persist.ticket, persist.facts)
        self._heard.wait()


class Way:
    """The way of one workflow; ``seconds`` are the processor's, by part."""

    def __init__(self, language: str, path: Path) -> None:
        self._simulation = Simulation() if LANGUAGES[language][3] else None
        self._path = path
        self.seconds: dict[str, float] = {}

    def part(self, name: str, work: Callable[..., Any], *arguments: Any) -> Any:
        began = time.process_time()
        made = work(*arguments)
        self.seconds[name] = time.process_time() - began
        return made

    def go(self) -> None:
        look_less_often()
        submission = self.part("read", self._read)
        data = self.part("send", _sent, submission)
        del submission
        node, journal, written = self._start()
        self.hand_in(data, node, journal, written)
        journal.close()

    def hand_in(self, data: bytes, node: Node, journal: Journal, written: Written) -> None:
        asked = self.part("take", read_body, data, Submission)
        event = self.part("event", to_event, asked, Door(node))
        actions = self.part("check", node.handle, event, 2.0)
        persist = next(action for action in actions if isinstance(action, Persist))
        # What a node lets go of, this lets go of, too.
        del asked, event, actions
        self.part("journal", written.wait_for, journal, persist)
        ticket = persist.ticket
        del persist
        self.part("ready", node.handle, Persisted(ticket), 3.0)

    def _read(self) -> dict[str, Any]:
        return read_workflow(self._path, {}, self._simulation).submission

    def _start(self) -> tuple[Node, Journal, Written]:
        node = Node(NAME, CAPACITY, Restored(1, Stamp(0, 0, NAME)))
        node.handle(Started(), 1.0)
        journal = Journal.open(self._path.with_suffix(".db"))
        journal.identity(NAME)
        journal.begin_boot()
        written = Written()
        journal.start(written)
        return node, journal, written

    def held(self) -> int:
        """Return the bytes that the node holds for the workflow once it is ready."""
        data = _sent(self._read())
        node, journal, written = self._start()
        gc.collect()
        tracemalloc.start()
        self.hand_in(data, node, journal, written)
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        journal.close()
        return held


def _sent(submission: dict[str, Any]) -> bytes:
    return msgspec.json.encode(said_once(submission))


def _times(language: str, small: Path, path: Path) -> dict[str, float]:
    Way(language, small).go()
    way = Way(language, path)
    way.go()
    return way.seconds


def _floor(language: str, path: Path) -> float:
    """Return the seconds that parsers, packers and SQLite take for the same data by themselves."""
    _, _, parse, simulated = LANGUAGES[language]
    data = path.read_bytes()
    submission = said_once(read_workflow(path, {}, Simulation() if simulated else None).submission)
    gc.disable()
    began = time.process_time()
    parse(data)
    asked = msgspec.json.decode(msgspec.json.encode(submission), type=Submission)
    rows = [(task.name, msgspec.msgpack.encode(task)) for task in asked.tasks]
    with closing(sqlite3.connect(path.with_suffix(".floor"))) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE tasks (seq INTEGER PRIMARY KEY, task TEXT UNIQUE, spec BLOB)")
        connection.executemany("INSERT INTO tasks (task, spec) VALUES (?, ?)", rows)
    return time.process_time() - began


def _held(language: str, path: Path) -> int:
    return Way(language, path).held()


def _apart(work: Callable[..., Any], *arguments: Any) -> Any:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    print(f"{count:,} tasks; seconds of the processor")
    print(f"{'':14}{''.join(f'{part:>9}' for part in PARTS)}{'all':>9}{'graph':>9}{'floor':>9}{'a task':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for language in sys.argv[2:] or LANGUAGES:
            suffix, write, _, _ = LANGUAGES[language]
            sizes = (SMALL, count, count // MEMORY_SHARE)
            paths = {size: Path(folder) / f"{language}{size}{suffix}" for size in sizes}
            for size, path in paths.items():
                path.write_text(write(size), encoding="utf-8")
            seconds = _apart(_times, language, paths[SMALL], paths[count])
            floor = _apart(_floor, language, paths[count])
            held = _apart(_held, language, paths[count // MEMORY_SHARE]) / (count // MEMORY_SHARE)
            each = "".join(f"{seconds[part]:>7.2f} s" for part in PARTS)
            sums = f"{sum(seconds.values()):>7.2f} s{sum(seconds[part] for part in OF_THE_GRAPH):>7.2f} s"
            print(f"{language:14}{each}{sums}{floor:>7.2f} s{held:>9,.0f} B", flush=True)


if __name__ == "__main__":
    main()
