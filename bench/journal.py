"""How fast the journal is on this disk: facts a second in tickets of several sizes, and the time of one ticket alone.

Usage: python bench/journal.py [FOLDER]

The folder decides which disk is measured. "busy" repeats a measurement while another thread of the process computes, as
the node's event loop does under load: the writer then has to win the interpreter lock again after every step.
"""

import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from roost.core.facts import Fact, ResultsStored, StatesMerged, StoryTold, TaskAdded
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.happenings import DoneOn
from roost.model.ids import CauseId, NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.states import Done, Leased
from roost.model.task import Command, TaskSpec
from roost.model.token import Token
from roost.runtime.journal.journal import Journal

NODE = NodeId("bench")
TOKEN = Token(life=1, attempt=1)
OUTSTANDING_MAX = 2_000
FACTS_MAX = 100_000
TICKETS_MAX = 20_000


class Harness:
    """A journal with a clock on every ticket."""

    def __init__(self, folder: Path) -> None:
        self.journal = Journal.open(folder / "journal.db")
        self._changed = threading.Condition()
        self.last = 0
        self.journal.begin_boot()
        self.journal.start(self)

    def on_written(self, ticket: int) -> None:
        with self._changed:
            self.last = ticket
            self._changed.notify()

    def on_failed(self, tickets: tuple[int, ...], reason: str) -> None:
        raise SystemExit(f"tickets {tickets} failed: {reason}")

    def on_flushed(self, ticket: int) -> None:
        self.on_written(ticket)

    def on_lost(self, reason: str) -> None:
        raise SystemExit(reason)

    def wait_for(self, ticket: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self.last >= ticket)


def array_facts(number: int, size: int) -> tuple[Fact, ...]:
    """Facts of one large array: elements end, with results and lines of its story."""
    task = TaskId("1-bedofu/array")
    facts: list[Fact] = []
    for at in range(number * size, (number + 1) * size):
        match at % 4:
            case 0:
                facts.append(StatesMerged(task, Elements({Leased(0, TOKEN, NODE, 1, 0): RangeSet.span(at, at + 4)})))
            case 1:
                facts.append(ResultsStored(task, TOKEN, NODE, pack(at - 1, [b"x" * 40] * 4)))
            case 2:
                facts.append(StatesMerged(task, Elements({Done(TOKEN, NODE): RangeSet.span(at - 2, at + 2)})))
            case _:
                stamp = Stamp(1_700_000_000_000 + at, 0, NODE)
                facts.append(StoryTold(task, stamp, RangeSet.span(at - 3, at + 1), DoneOn(NODE), CauseId("lease-1")))
    return tuple(facts)


def session_facts(number: int, size: int) -> tuple[Fact, ...]:
    """Facts of many tasks of one element each, as a Python session makes them."""
    facts: list[Fact] = []
    for at in range(number * size, (number + 1) * size):
        task = TaskId(f"2-bedofu/call-{at // 4}")
        one = RangeSet.span(0, 1)
        match at % 4:
            case 0:
                stamp = Stamp(1_700_000_000_000 + at, 0, NODE)
                facts.append(TaskAdded(TaskSpec(task, RunId("2-bedofu"), Command(("true",)), one, stamp)))
            case 1:
                facts.append(StatesMerged(task, Elements({Leased(0, TOKEN, NODE, 1, 0): one})))
            case 2:
                facts.append(ResultsStored(task, TOKEN, NODE, pack(0, [b"x" * 40])))
            case _:
                facts.append(StatesMerged(task, Elements({Done(TOKEN, NODE): one})))
    return tuple(facts)


def throughput(folder: Path, make: Callable[[int, int], tuple[Fact, ...]], size: int) -> float:
    harness = Harness(folder)
    tickets = [make(number, size) for number in range(min(TICKETS_MAX, FACTS_MAX // size))]
    begin = time.perf_counter()
    for ticket, facts in enumerate(tickets, 1):
        harness.journal.append(ticket, facts)
        harness.wait_for(ticket - OUTSTANDING_MAX)
    harness.wait_for(len(tickets))
    rate = len(tickets) * size / (time.perf_counter() - begin)
    harness.journal.close()
    return rate


def latencies(folder: Path, count: int) -> list[float]:
    harness = Harness(folder)
    taken = []
    for ticket in range(1, count + 1):
        facts = session_facts(ticket, 4)
        begin = time.perf_counter()
        harness.journal.append(ticket, facts)
        harness.wait_for(ticket)
        taken.append(time.perf_counter() - begin)
    harness.journal.close()
    return taken


def bare_appends(folder: Path, count: int) -> list[float]:
    """The floor: what a plain append with a flush of the disk takes here and now."""
    taken = []
    with (folder / "plain").open("wb", buffering=0) as file:
        for _ in range(count):
            begin = time.perf_counter()
            file.write(b"x" * 500)
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - begin)
    return taken


@contextmanager
def busy_thread() -> Iterator[None]:
    stop = threading.Event()

    def compute() -> None:
        while not stop.is_set():
            sum(range(1_000))

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def main() -> None:
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=where) as base:
        counter = iter(range(1_000))

        def folder() -> Path:
            path = Path(base) / str(next(counter))
            path.mkdir()
            return path

        for name, make in (("one array", array_facts), ("session", session_facts)):
            for size in (1, 10, 100):
                print(f"{name:10} tickets of {size:3} facts: {throughput(folder(), make, size):9,.0f} facts/s")
        with busy_thread():
            print(f"session    tickets of  10 facts: {throughput(folder(), session_facts, 10):9,.0f} facts/s, busy")
        report_latency("bare append and flush", bare_appends(folder(), 1_000))
        report_latency("one ticket of 4 facts", latencies(folder(), 1_000))
        with busy_thread():
            report_latency("one ticket, busy", latencies(folder(), 50))


def report_latency(name: str, taken: list[float]) -> None:
    taken.sort()
    median, worst, tail = statistics.median(taken), taken[-1], taken[int(len(taken) * 0.99)]
    print(f"{name}: median {median * 1e3:.2f} ms, 99 % {tail * 1e3:.2f} ms, worst {worst * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
