"""The stage for contest scenarios: nodes that want work, a queue of single tasks, a network with one delay.

A scenario is a text with the situation above a line ``----`` and what must come out below it. Times are milliseconds.

    queue T1 T2                  the tasks, all ready, in their order
    window 10                    how long a bidder waits for other bids
    delivery 2                   how long a message takes
    late device2 until 40        whatever it says, and whatever it is told, arrives only then
    at 0 device1 wants work      it is free: it bids for the next task, by its rank
    at 30 device1 has come to 0.6
    at 50 device1 has finished T1

Each node is the contest and the host contest of the core, and around them only what they leave to the node.
"""

import heapq
import re
from collections.abc import Callable
from functools import partial

from roost.core.mesh.contest.contest import Contest
from roost.core.mesh.contest.duplicate_resolution import Holder, HolderStep, next_step, place_in_chain
from roost.model.clock import Stamp
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import Priority
from roost.model.token import Token
from roost.policy.bids import Offer, choose_places
from roost.wire.messages import Bid, RunningLease
from tests.tokens import attempt

ONE = RangeSet.span(0, 1)
SETTING = re.compile(r"(queue|window|delivery) +(.+)")
LATE = re.compile(r"late (\w+) until (\d+)")
WANTS = re.compile(r"at (\d+) +(\w+) wants work")
HAS_COME = re.compile(r"at (\d+) +(\w+) has come to ([0-9.]+)")
FINISHED = re.compile(r"at (\d+) +(\w+) has finished (\w+)")


def play(situation: str) -> str:
    """Play the upper part of a scenario; return what came out, as the lower part has it."""
    stage = Stage()
    for line in situation.splitlines():
        if line.strip() and not line.startswith("#"):
            stage.read(line.strip())
    stage.run()
    return "\n".join(stage.told)


class Stage:
    def __init__(self) -> None:
        self.queue: list[TaskId] = []
        self.window_s = self.delivery_s = 0.0
        #: Until when a node neither hears nor is heard.
        self.late: dict[NodeId, float] = {}
        self.nodes: dict[NodeId, ScenarioNode] = {}
        self.told: list[str] = []
        self.now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._sequence = 0

    def read(self, line: str) -> None:
        if found := SETTING.fullmatch(line):
            self._set(found[1], found[2])
        elif found := LATE.fullmatch(line):
            self.late[NodeId(found[1])] = int(found[2]) / 1000
        elif found := WANTS.fullmatch(line):
            self.at(int(found[1]) / 1000, self._node(found[2]).try_next)
        elif found := HAS_COME.fullmatch(line):
            node, fraction = self._node(found[2]), float(found[3])
            self.at(int(found[1]) / 1000, partial(node.has_come_to, fraction))
        elif found := FINISHED.fullmatch(line):
            node, task = self._node(found[2]), TaskId(found[3])
            self.at(int(found[1]) / 1000, partial(node.has_finished, task))
        else:
            raise ValueError(f"a scenario cannot say '{line}'")

    def run(self) -> None:
        while self._events:
            self.now, _, happens = heapq.heappop(self._events)
            happens()
            for node in self.nodes.values():
                node.contest.check()

    def at(self, when: float, happens: Callable[[], None]) -> None:
        self._sequence += 1
        heapq.heappush(self._events, (when, self._sequence, happens))

    def tell(self, who: NodeId, what: str) -> None:
        self.told.append(f"at {round(self.now * 1000):<3} {who} {what}")

    def broadcast(self, sender: NodeId, message: Bid | RunningLease) -> None:
        for node in self.nodes.values():
            if node.name != sender:
                until = max(self.late.get(node.name, 0.0), self.late.get(sender, 0.0))
                self.at(max(self.now + self.delivery_s, until), partial(node.hears, sender, message))

    def _set(self, name: str, value: str) -> None:
        if name == "queue":
            self.queue = [TaskId(task) for task in value.split()]
        elif name == "window":
            self.window_s = int(value) / 1000
        else:
            self.delivery_s = int(value) / 1000

    def _node(self, name: str) -> "ScenarioNode":
        return self.nodes.setdefault(NodeId(name), ScenarioNode(NodeId(name), self))


class ScenarioNode:
    """A node with one lane."""

    def __init__(self, name: NodeId, stage: Stage) -> None:
        self.name = name
        self.contest = Contest(name)
        self._stage = stage
        self._rank = 0
        self._clock = 0
        #: What it runs, at most one task.
        self._held: Holder | None = None
        self._task = TaskId("")
        #: Who holds what, as it has heard.
        self._hosts: dict[TaskId, dict[NodeId, Holder]] = {}
        #: What it has run itself, or runs.
        self._had: set[TaskId] = set()
        self._step = HolderStep.GO_ON

    # What happens to it.

    def try_next(self) -> None:
        """LAN algorithm 3.2, dispatch: bid for the next task, or for one further on by its rank."""
        free = [Offer(task, ONE, 1) for task in self._stage.queue if self._is_free(task)]
        for task, ranges in choose_places(free, self._rank):
            self._bid(task, ranges)

    def has_come_to(self, fraction: float) -> None:
        assert self._held is not None
        self._hold(self._task, self._held.token, fraction, self._held.raised)

    def has_finished(self, task: TaskId) -> None:
        assert task == self._task
        self._held = None

    def hears(self, sender: NodeId, message: Bid | RunningLease) -> None:
        if isinstance(message, Bid):
            self.contest.heard(message, self._stage.now)
            return
        self.contest.taken(message.task, message.ranges)
        holders = self._hosts.setdefault(message.task, {})
        bid = self.contest.bid_of(sender, message.task, 0)
        holders[sender] = Holder(sender, message.token, bid=bid, fraction=message.fraction)
        # First everything that arrives at this moment is heard.
        self._stage.at(self._stage.now, self._settle)

    # What it does.

    def _bid(self, task: TaskId, ranges: RangeSet) -> None:
        stage = self._stage
        self._clock += 1
        stamp = Stamp(round(stage.now * 1000), self._clock, self.name)
        bid = self.contest.bid(task, ranges, Priority.LOW, 0.0, stamp, now=stage.now, window_s=stage.window_s)
        stage.tell(self.name, f"bids for {task}")
        stage.broadcast(self.name, bid)
        stage.at(stage.now + stage.window_s, self._close)

    def _close(self) -> None:
        for outcome in self.contest.tick(self._stage.now):
            self._rank = outcome.rank
            if outcome.won:
                self._stage.tell(self.name, f"wins {outcome.bid.task}")
                self._hold(outcome.bid.task, attempt(1), 0.0, 0)
            else:
                self._stage.tell(self.name, f"loses {outcome.bid.task}, rank {outcome.rank}")
                self.try_next()

    def _hold(self, task: TaskId, token: Token, fraction: float, raised: int) -> None:
        bid = self.contest.bid_of(self.name, task, 0)
        self._task, self._held = task, Holder(self.name, token, bid=bid, fraction=fraction, raised=raised)
        self._had.add(task)
        self._stage.broadcast(self.name, RunningLease(task, token, ONE, fraction))

    def _settle(self) -> None:
        """Somebody else may run what this node runs: contest of the execution hosts."""
        rivals = list(self._hosts.get(self._task, {}).values())
        if self._held is None or not rivals:
            return
        before, self._step = self._step, next_step(self._held, rivals)
        if self._step is HolderStep.TAKE_NEW_LEASE:
            self._take_over(self._task, rivals)
        elif self._step is HolderStep.STOP:
            self._stop()
        elif self._step is HolderStep.GO_ON_UNTIL_REPLACED is not before:
            self._stage.tell(self.name, f"goes on with {self._task} until it is replaced")

    def _take_over(self, task: TaskId, hosts: list[Holder]) -> None:
        token = max(host.token for host in hosts).following()
        names = " and ".join(host.node for host in hosts)
        self._stage.tell(self.name, f"takes over {task} from {names}, token {token}")
        self._hold(task, token, 0.0 if self._held is None else self._held.fraction, 1)

    def _stop(self) -> None:
        stopped, self._held = self._held, None
        assert stopped is not None
        self._stage.tell(self.name, f"stops {self._task}")
        if self.name in self._stage.late and stopped.bid is not None:
            self._try_along_the_chain(stopped.bid)
        else:
            self.try_next()

    def _try_along_the_chain(self, late: Bid) -> None:
        chain = self._stage.queue[self._stage.queue.index(late.task) :]
        hosts = [next(iter(self._hosts.get(task, {}).values()), None) for task in chain]
        place = place_in_chain(late, hosts)
        for task, host in list(zip(chain, hosts, strict=True))[:place]:
            assert host is not None
            self._stage.tell(self.name, f"leaves {task} to {host.node}")
        if place is not None:
            host = hosts[place]
            if host is None:
                self._bid(chain[place], ONE)
            else:
                self._take_over(chain[place], [host])

    def _is_free(self, task: TaskId) -> bool:
        return task not in self._hosts and task not in self._had and not self.contest.better_covering(task, ONE)
