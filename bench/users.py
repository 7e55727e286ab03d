"""What a long queue costs a node whose users take turns.

Usage: python bench/users.py [TASKS [USERS ...]]

A node that is alone, in one process without a disk, has so many tasks of one element that wait, which are shared out
evenly among so many users. It prints what it takes to look at the first ten of them, at all that are looked at in one
pass, and to handle that an element has ended and the next begins, in microseconds: the median of many.
"""

import sys
import time
from collections.abc import Callable
from functools import partial

from roost.core.actions import Persist, Start
from roost.core.events import ElementsDone, Event, Persisted, Started, Submitted
from roost.core.node import Node
from roost.core.restored import Restored
from roost.model.clock import NEVER, Stamp
from roost.model.ids import CauseId, NodeId, run_id, task_id
from roost.model.ranges import ONE
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.task import Command, Needs, RunKind, RunSpec, TaskSpec

NAME = NodeId("bench")
TASKS = 100_000
USERS = (1, 10)
LOOKS, ENDS = 500, 300
FIRST = 10
ELEMENT_S = 0.5
BEGIN_S = 1_000_000.0


class Line:
    """A node with tasks that wait."""

    def __init__(self, tasks: int, users: int) -> None:
        self.node = Node(NAME, Capacity.of(4.0, 2**33, "3.11"), Restored(boot=1, last_stamp=NEVER))
        self._now = BEGIN_S
        self._running: list[Start] = []
        self._feed(Started())
        for user in range(users):
            run = run_id(user + 1, user)
            stamp = Stamp(int(BEGIN_S * 1000) + user, 0, NAME)
            spec = RunSpec(run, "bench", RunKind.FLOW, f"user{user}", "bench", stamp)
            names = (task_id(run, f"t{at}") for at in range(tasks // users))
            specs = tuple(TaskSpec(name, run, Command(("true",)), ONE, stamp, (), Needs.of(1.0)) for name in names)
            self._feed(Submitted(CauseId(f"submit-{user}"), spec, specs))

    def _feed(self, event: Event) -> None:
        waiting = [event]
        while waiting:
            for action in self.node.handle(waiting.pop(0), self._now):
                if isinstance(action, Persist):
                    waiting.append(Persisted(action.ticket))
                elif isinstance(action, Start):
                    self._running.append(action)

    def look(self, count: int) -> None:
        for at, _ in enumerate(self.node.queue.scheduler.waiting(), start=1):
            if at == count:
                break

    def end_one(self) -> None:
        start = self._running.pop(0)
        self._now += ELEMENT_S
        self._feed(ElementsDone(start.lease, (pack(start.ranges.first, [b""]),), ELEMENT_S))


def median_us(act: Callable[[], None], times: int) -> float:
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        act()
        taken.append(time.perf_counter() - begin)
    return sorted(taken)[times // 2] * 1e6


def main() -> None:
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    for users in map(int, sys.argv[2:] or USERS):
        line = Line(tasks, users)
        first = median_us(partial(line.look, FIRST), LOOKS)
        all_of_them = median_us(partial(line.look, tasks), LOOKS)
        ends = median_us(line.end_one, ENDS)
        print(f"{users} users, {tasks:,} tasks: first ten {first:.1f}, a pass {all_of_them:.1f}, an end {ends:.1f}")


if __name__ == "__main__":
    main()
