"""The promises of the executor port, one function each. Every executor must keep all of them.

A test module of an executor runs them with ``@pytest.mark.parametrize("rule", RULES)``, an executor and a ``Works``,
which says how elements behave. As a program, ``python -m tests.conformance.executor KIND FOLDER`` is a node that
runs elements that hang, and can be killed.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from roost.core.actions import StopMode
from roost.core.events import Progressed
from roost.executors.order import Order
from roost.executors.port import Executor
from roost.model.ranges import RangeSet
from tests.executors.lab import Answers, is_alive, process_state, read_pid

MakeExecutor = Callable[[Callable[[object], None]], Executor]


class Works(Protocol):
    """Makes orders whose elements behave as told.

    ``ok`` ends well. ``fail`` ends badly. ``die`` kills its own process. ``note`` appends its index to ``order``.
    ``wait`` writes its pid to ``INDEX.pid`` and that of a child of its own to ``INDEX.child``, then waits for ``go``.
    """

    folder: Path

    def make(self, *behaviours: str, start: int = 0, lane: int = 1, limit_s: float | None = None) -> Order: ...


class Bench:
    """What a rule has to work with."""

    def __init__(self, executor: Executor, works: Works, answers: Answers) -> None:
        self.executor = executor
        self.works = works
        self.answers = answers

    def start(self, *behaviours: str, start: int = 0, lane: int = 1, limit_s: float | None = None) -> Order:
        order = self.works.make(*behaviours, start=start, lane=lane, limit_s=limit_s)
        self.executor.start(order)
        return order

    async def begun(self, index: int) -> tuple[int, int]:
        """Wait until a waiting element runs; return its pid and that of its child."""
        own, child = (self.works.folder / f"{index}.{name}" for name in ("pid", "child"))
        await self.answers.until(lambda: bool(read_pid(own) and read_pid(child)))
        return read_pid(own), read_pid(child)

    def go(self) -> None:
        (self.works.folder / "go").touch()

    def kinds(self, order: Order) -> dict[int, str]:
        """Return how each element was answered."""
        answers = self.answers
        return {
            index: "done"
            if (order.lease, index) in answers.values
            else "failed"
            if (order.lease, index) in answers.failures
            else "returned"
            for index in order.ranges
        }


def frozen(pids: tuple[int, int]) -> bool:
    """Whether an element and its child stand still.

    A shell that is just starting a program waits for that one, which is frozen; its own state does not show it then.
    """
    return process_state(pids[1]) == "T" and process_state(pids[0]) in ("T", "D")


Rule = Callable[[Bench], Awaitable[None]]
RULES: list[Rule] = []


def rule(function: Rule) -> Rule:
    RULES.append(function)
    return function


@rule
async def every_element_is_answered_once(bench: Bench) -> None:
    first = bench.start("ok", "fail", "ok", "ok", lane=1)
    second = bench.start("ok", "ok", "fail", start=10, lane=2)
    third = bench.start("ok", start=20, lane=1)
    await bench.answers.of(first, second, third)
    assert bench.kinds(first) == {0: "done", 1: "failed", 2: "done", 3: "done"}
    assert bench.kinds(second) == {10: "done", 11: "done", 12: "failed"}
    assert bench.kinds(third) == {20: "done"}


@rule
async def leases_of_a_lane_and_their_elements_run_in_order(bench: Bench) -> None:
    orders = [bench.start("note", "note", "note", start=start) for start in (50, 0, 20)]
    await bench.answers.of(*orders)
    noted = (bench.works.folder / "order").read_text().split()
    assert noted == ["50", "51", "52", "0", "1", "2", "20", "21", "22"]


@rule
async def lanes_run_beside_each_other(bench: Bench) -> None:
    first, second = bench.start("wait", lane=1), bench.start("wait", start=1, lane=2)
    await bench.begun(0)
    await bench.begun(1)
    bench.go()
    await bench.answers.of(first, second)


@rule
async def an_element_that_dies_costs_itself_only(bench: Bench) -> None:
    order = bench.start("ok", "ok", "die", "ok", "ok")
    await bench.answers.of(order)
    kinds = bench.kinds(order)
    assert kinds[2] == "failed"
    assert "SIGKILL" in bench.answers.failure(order, 2).reason
    assert "failed" not in {kinds[index] for index in (0, 1, 3, 4)}


@rule
async def a_lane_works_on_after_a_death(bench: Bench) -> None:
    order = bench.start("die")
    await bench.answers.of(order)
    again = bench.start("ok", "ok")
    await bench.answers.of(again)
    assert bench.kinds(again) == {0: "done", 1: "done"}


@rule
async def what_has_not_begun_can_be_taken_back(bench: Bench) -> None:
    order = bench.start("wait", "ok", "ok", "ok")
    await bench.begun(0)
    bench.executor.stop(order.lease, RangeSet.parse("0,2-3"), StopMode.UNSTARTED)
    await bench.answers.until(lambda: len(bench.answers.returned) == 2)
    bench.go()
    await bench.answers.of(order)
    assert bench.kinds(order) == {0: "done", 1: "done", 2: "returned", 3: "returned"}


@rule
async def a_whole_lease_that_waits_can_be_taken_back(bench: Bench) -> None:
    running, waiting = bench.start("wait"), bench.start("ok", "ok", start=5)
    await bench.begun(0)
    bench.executor.stop(waiting.lease, waiting.ranges, StopMode.KILL)
    await bench.answers.of(waiting)
    assert bench.kinds(waiting) == {5: "returned", 6: "returned"}
    bench.go()
    await bench.answers.of(running)
    assert bench.kinds(running) == {0: "done"}


@rule
async def what_is_killed_is_dead_with_its_children_before_it_is_returned(bench: Bench) -> None:
    order = bench.start("wait", "ok", "ok")
    pids = await bench.begun(0)
    bench.executor.stop(order.lease, order.ranges, StopMode.KILL)
    await bench.answers.until(lambda: (order.lease, 0) in bench.answers.returned)
    assert not [pid for pid in pids if is_alive(pid)]
    await bench.answers.of(order)
    assert set(bench.kinds(order).values()) == {"returned"}


@rule
async def killing_one_lane_leaves_the_other_alone(bench: Bench) -> None:
    victim, other = bench.start("wait", lane=1), bench.start("wait", start=1, lane=2)
    await bench.begun(0)
    pid, _ = await bench.begun(1)
    bench.executor.stop(victim.lease, victim.ranges, StopMode.KILL)
    await bench.answers.of(victim)
    assert is_alive(pid)
    bench.go()
    await bench.answers.of(other)
    assert bench.kinds(other) == {1: "done"}


@rule
async def an_element_that_takes_too_long_fails(bench: Bench) -> None:
    order = bench.start("ok", "wait", "ok", limit_s=0.4)
    pids = await bench.begun(1)
    await bench.answers.of(order)
    failure = bench.answers.failure(order, 1)
    assert failure.reason == "took longer than 0.4 s"
    assert failure.duration_s is not None
    assert failure.duration_s >= 0.4
    assert not [pid for pid in pids if is_alive(pid)]
    assert bench.kinds(order)[2] in ("done", "returned")


@rule
async def a_paused_element_stands_still_and_goes_on(bench: Bench) -> None:
    order, other = bench.start("wait"), bench.start("ok", start=5, lane=2)
    pids = await bench.begun(0)
    bench.executor.pause(order.lease)
    await bench.answers.until(lambda: frozen(pids))
    await bench.answers.of(other)
    later = bench.start("ok", start=9)
    bench.go()
    bench.executor.resume(order.lease)
    await bench.answers.of(order, later)
    assert bench.kinds(order) == {0: "done"}


@rule
async def time_spent_frozen_does_not_count(bench: Bench) -> None:
    order = bench.start("wait", limit_s=0.6)
    pids = await bench.begun(0)
    bench.executor.pause(order.lease)
    await bench.answers.until(lambda: frozen(pids))
    frozen_until = time.monotonic() + 0.7
    await bench.answers.until(lambda: time.monotonic() > frozen_until)
    bench.go()
    bench.executor.resume(order.lease)
    await bench.answers.of(order)
    assert bench.kinds(order) == {0: "done"}


@rule
async def a_frozen_element_can_be_killed(bench: Bench) -> None:
    order = bench.start("wait", "ok")
    pids = await bench.begun(0)
    bench.executor.pause(order.lease)
    await bench.answers.until(lambda: frozen(pids))
    bench.executor.stop(order.lease, order.ranges, StopMode.KILL)
    await bench.answers.of(order)
    assert not [pid for pid in pids if is_alive(pid)]
    assert set(bench.kinds(order).values()) == {"returned"}


@rule
async def a_frozen_lease_gives_back_what_has_not_begun(bench: Bench) -> None:
    order = bench.start("wait", "ok", "ok")
    pids = await bench.begun(0)
    bench.executor.pause(order.lease)
    await bench.answers.until(lambda: frozen(pids))
    bench.executor.stop(order.lease, order.ranges, StopMode.UNSTARTED)
    await bench.answers.until(lambda: len(bench.answers.returned) == 2)
    await bench.answers.until(lambda: frozen(pids))
    bench.executor.resume(order.lease)
    bench.go()
    await bench.answers.of(order)
    assert bench.kinds(order) == {0: "done", 1: "returned", 2: "returned"}


@rule
async def stops_that_come_too_late_do_no_harm(bench: Bench) -> None:
    order = bench.start("ok", "ok")
    await bench.answers.of(order)
    bench.executor.stop(order.lease, order.ranges, StopMode.KILL)
    bench.executor.pause(order.lease)
    bench.executor.resume(order.lease)
    again = bench.start("ok", start=3)
    await bench.answers.of(order, again)


@rule
async def progress_arrives_while_an_element_runs(bench: Bench) -> None:
    order = bench.start("progress")
    await bench.answers.until(lambda: bool(bench.answers.progress))
    bench.go()
    await bench.answers.of(order)
    assert bench.answers.progress[0] == Progressed(order.lease, 0, 0.4, "fold 2 of 5")


@rule
async def closing_ends_everything_and_reports_nothing(bench: Bench) -> None:
    bench.start("wait", "ok")
    pids = await bench.begun(0)
    before = list(bench.answers.all)
    await bench.executor.close()
    assert not [pid for pid in pids if is_alive(pid)]
    assert bench.answers.all == before


@rule
async def when_the_node_dies_everything_it_runs_dies(bench: Bench) -> None:
    kind = type(bench.executor).__name__
    command = [sys.executable, "-m", "tests.conformance.executor", kind, str(bench.works.folder / "node")]
    root = Path(__file__).parents[2]
    node = await asyncio.create_subprocess_exec(*command, cwd=root, stdout=asyncio.subprocess.PIPE)
    assert node.stdout is not None
    pids = [int(pid) for pid in (await node.stdout.readline()).split()]
    assert len(pids) == 4
    assert all(is_alive(pid) for pid in pids)
    node.kill()
    await node.wait()
    await bench.answers.until(lambda: not [pid for pid in pids if is_alive(pid)])


async def _be_a_node(kind: str, folder: Path) -> None:
    """Run two elements that hang, say their pids and those of their children, and wait for death."""
    from tests.executors.benches import bench_of  # noqa: PLC0415 -- it imports this module

    async with bench_of(kind, folder) as bench:
        for lane in (0, 1):
            bench.start("wait", start=lane, lane=lane)
        pids = [*await bench.begun(0), *await bench.begun(1)]
        sys.stdout.write(" ".join(map(str, pids)) + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_be_a_node(sys.argv[1], Path(sys.argv[2])))
