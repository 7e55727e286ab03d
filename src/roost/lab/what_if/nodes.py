"""A node of a world, and what its lanes run."""

import math
from collections import deque
from collections.abc import Iterable

from roost.lab.what_if.board import Entry
from roost.lab.what_if.lives import Lived
from roost.lab.what_if.machines import Machine
from roost.lab.what_if.views import Learnt, Own
from roost.model.ids import NodeId
from roost.model.limits import ONLINE_STRETCHES_MAX
from roost.model.online import OnlineLog, Stretch
from roost.policy.company import Ability
from roost.policy.reliability import reliability_of

#: Less of a processor than this is a rounding error.
_CPUS_LEAST = 1e-9


class Lease:
    """Elements of a task that a lane of a node runs one after the other; the first of them runs, or soon will."""

    __slots__ = ("began_s", "entry", "indices", "node")

    def __init__(self, entry: Entry, indices: Iterable[int], node: "Node") -> None:
        self.entry = entry
        self.indices = deque(indices)
        self.node = node
        #: When the first of them began to run; not yet, if that is without end.
        self.began_s = math.inf


class Node:
    def __init__(self, at: int, machine: Machine, lived: Lived) -> None:
        #: Its place among all.
        self.at = at
        self.name = NodeId(machine.name)
        self.speed = machine.speed
        self.online = lived.past
        self.is_up = lived.since_s is not None
        self.since_s = lived.since_s or 0.0
        #: When it comes and goes from now on.
        self.changes = lived.changes
        self.whole = self.free = machine.capacity
        self.leases: list[Lease] = []
        self.learnt = Learnt(machine.speed)
        self.finished = self.aborted = self.abstained = 0
        #: How often it has passed over tasks, by their places.
        self.overtaken: dict[int, int] = {}
        self.abstains_until: float | None = None
        #: When it had nothing to do, of which state of the world that was true.
        self.idle_at = -1
        self.busy_s = 0.0
        #: What it tells others of itself, as far as it knew it when it came.
        self.ability = self._ability()

    @property
    def has_room(self) -> bool:
        return self.is_up and self.free.cpus > _CPUS_LEAST

    @property
    def own(self) -> Own:
        return Own(
            self.name, self.online, self.since_s, self.speed, self.finished, self.aborted, self.abstained,
            self.overtaken, self.learnt, self.free, self.whole,
        )  # fmt: skip

    def _ability(self) -> Ability | None:
        known = reliability_of(self.online, self.since_s, self.since_s)
        return Ability(known.lifetime, self.speed) if known.is_known else None

    def comes(self, now: float) -> None:
        self.is_up, self.since_s, self.idle_at = True, now, -1
        self.abstained, self.abstains_until = 0, None
        self.ability = self._ability()

    def goes(self, now: float) -> list[Lease]:
        """It dies; return what it ran, which is lost. What it has passed over it forgets, as real nodes do."""
        lost, self.leases = self.leases, []
        self.is_up, self.free = False, self.whole
        self.overtaken = {}
        self.finished, self.aborted = 0, len(lost)
        stretches = (*self.online.stretches, Stretch(self.since_s, now))
        self.online = OnlineLog(stretches[-ONLINE_STRETCHES_MAX:])
        return lost

    def open(self, lease: Lease) -> None:
        self.leases.append(lease)
        self.free = self.free.minus(lease.entry.task.needs)

    def close(self, lease: Lease) -> None:
        self.leases.remove(lease)
        self.free = self.free.plus(lease.entry.task.needs)
        self.idle_at = -1
