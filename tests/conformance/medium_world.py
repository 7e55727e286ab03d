"""A small world of whole nodes on one kind of medium: simulated disks and time, no sockets, and faults on request.

Whatever is started is looked at: its token is larger than any that the element had, on whichever node, and no other
node that can be heard holds it. A witness stands before every medium: nothing is leased that it did not call claimed.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any, NamedTuple

from roost.core.actions import Action, Start
from roost.core.medium.alone import Alone
from roost.core.medium.port import Above, Below, MakeMedium, Medium
from roost.core.mesh.mesh import Surroundings
from roost.core.node import Node
from roost.model.ids import NodeId, RunId, TaskId, name_of, task_id
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done, State
from roost.model.token import NO_TOKEN, Token
from tests.conformance.dictionary import Dictionary, Doubt
from tests.conformance.dictionary_medium import DictionaryMedium
from tests.core.company import MEETING_S, Company, Member
from tests.core.harness import RUN

NAMES = ("ash", "elm", "oak")
#: Seconds within which a node takes what it may have, whatever the medium.
TAKEN_S = 5.0
#: Seconds within which a dead node's elements are with somebody else.
TAKEN_OVER_S = 15.0


class Kind:
    """A medium that the suite is tried on, with what can be done to it."""

    name = ""
    #: With how many nodes.
    counts: tuple[int, ...] = ()
    #: Whether its claims can be in doubt.
    doubts = False
    #: Whether a node that starts has to meet the others first, and takes itself for alone until then.
    starts_alone = False

    def medium(self, name: str) -> MakeMedium:
        raise NotImplementedError

    def cut(self, world: "World", *names: str) -> None:
        """Let these nodes agree with nobody else."""
        raise NotImplementedError

    def heal(self, world: "World") -> None:
        raise NotImplementedError


class OfAlone(Kind):
    name = "alone"
    counts = (1,)

    def medium(self, name: str) -> MakeMedium:
        return Alone


class OfMesh(Kind):
    name = "mesh"
    counts = (1, 3)
    starts_alone = True

    def medium(self, name: str) -> MakeMedium:
        return Surroundings(name)

    def cut(self, world: "World", *names: str) -> None:
        Company.cut(world, *names)

    def heal(self, world: "World") -> None:
        Company.heal(world)


class OfDictionary(Kind):
    name = "dictionary"
    counts = (1, 3)
    doubts = True

    def __init__(self) -> None:
        self.shared = Dictionary()

    def medium(self, name: str) -> MakeMedium:
        return partial(DictionaryMedium, shared=self.shared)

    def cut(self, world: "World", *names: str) -> None:
        self.shared.cut_off |= set(map(NodeId, names))

    def heal(self, world: "World") -> None:
        self.shared.cut_off.clear()


class Witness:
    """Stands before a medium: what is leased was called claimed in the same turn, and was not taken since."""

    def __init__(self, medium: Medium) -> None:
        self._medium = medium
        self._claimed: dict[TaskId, RangeSet] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._medium, name)

    def look(self) -> None:
        self._claimed = {}
        self._medium.look()

    def claimed(self, task: TaskId) -> RangeSet:
        return self._note(task, self._medium.claimed(task))

    def claimed_ahead(self, task: TaskId) -> RangeSet:
        return self._note(task, self._medium.claimed_ahead(task))

    def _note(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        assert not ranges & self._medium.unanswered(task), f"{task}: {ranges} is claimed and not answered"
        self._claimed[task] = self._claimed.get(task, EMPTY) | ranges
        return ranges

    def token(self, task: TaskId, ranges: RangeSet) -> Token:
        claimed = self._claimed.get(task, EMPTY)
        assert ranges.issubset(claimed), f"{task}: {ranges} is leased, and only {claimed} was claimed"
        self._claimed[task] = claimed - ranges
        return self._medium.token(task, ranges)


def _witnessed(make: MakeMedium, below: Below, above: Above) -> Any:
    return Witness(make(below, above))


class Begun(NamedTuple):
    node: str
    task: str
    ranges: RangeSet
    token: Token


class Stand(Member):
    """A node of such a world."""

    _company: "World"

    def make_node(self) -> Node:
        medium = partial(_witnessed, self._company.kind.medium(self.name))
        chance = Random(f"{self.name}/{self.disk.boot}")
        return Node(self.disk.node, self._capacity, self.disk.restore(), medium, chance=chance)

    def _perform(self, action: Action) -> None:
        if isinstance(action, Start):
            self._company.begins(self, action)
        super()._perform(action)

    def holding(self, name: str, run: RunId = RUN) -> RangeSet:
        """Return what its executors have of a task and were not told to stop."""
        held = EMPTY
        for lease in self.node.queue.leases.active.values():
            if lease.spec.id == task_id(run, name):
                held |= lease.outstanding - lease.stopping
        return held


class World(Company):
    members: dict[str, Stand]

    def __init__(self, kind: Kind, count: int = 1, *, cpus: float = 1.0) -> None:
        self.kind = kind
        self.begun: list[Begun] = []
        #: Hears of everything that is started.
        self.on_start: Callable[[Stand, Start], None] = lambda stand, start: None
        self._tokens: dict[tuple[TaskId, int], Token] = {}
        #: Nodes that others may not have heard of late, and until when.
        self._apart: dict[str, float] = {}
        super().__init__(*NAMES[:count], cpus=cpus, meet=False)
        self.wait(MEETING_S)
        for member in self.members.values():
            member.seen()

    def __getitem__(self, name: str) -> Stand:
        return self.members[name]

    @property
    def first(self) -> Stand:
        return self.members["ash"]

    def stands(self) -> list[Stand]:
        return [stand for stand in self.members.values() if stand.alive]

    def add(self, name: str, *, cpus: float = 1.0) -> Stand:
        stand = self.members[name] = Stand(self, name, cpus=cpus, strategy=self.strategy)
        return stand

    def begins(self, stand: Stand, start: Start) -> None:
        name = name_of(start.spec.id)
        for index in start.ranges:
            last = self._tokens.get((start.spec.id, index), NO_TOKEN)
            assert start.token > last, f"{name}[{index}] starts under {start.token}, and had {last}"
            self._tokens[start.spec.id, index] = start.token
        for other in self.stands():
            if other is not stand and self.now >= max(self._apart.get(one.name, 0.0) for one in (stand, other)):
                twice = other.holding(name, start.spec.run) & start.ranges
                assert not twice, f"{name}[{twice}] starts on {stand.name}, and {other.name} has it"
        self.on_start(stand, start)
        self.begun.append(Begun(stand.name, name, start.ranges, start.token))

    # Faults.

    def cut(self, *names: str) -> None:
        self._apart |= dict.fromkeys(names, math.inf)
        self.kind.cut(self, *names)

    def heal(self) -> None:
        self._apart = dict.fromkeys(self._apart, self.now + MEETING_S)
        self.kind.heal(self)

    def boot(self, name: str) -> None:
        self._apart[name] = self.now + MEETING_S
        super().boot(name)

    def doubt(self, says: Callable[[TaskId, RangeSet], Doubt | None] = lambda task, ranges: None) -> None:
        """Let claims be in doubt from now on, those of which this says so."""
        assert isinstance(self.kind, OfDictionary)
        self.kind.shared.doubt = says

    def asked(self, name: str) -> list[tuple[str, RangeSet]]:
        """Return all claims on a task that were ever made: by whom, and for what."""
        assert isinstance(self.kind, OfDictionary)
        return [(node, ranges) for node, task, ranges in self.kind.shared.asked if name_of(task) == name]

    # Looking.

    def holders(self, name: str) -> dict[str, str]:
        """Return who runs what of a task."""
        return {stand.name: str(held) for stand in self.stands() if (held := stand.holding(name))}

    def holder(self, name: str, index: int = 0) -> Stand:
        """Wait until somebody runs an element, and return who does."""
        self.until(lambda: any(index in stand.holding(name) for stand in self.stands()), f"nobody runs {name}[{index}]")
        return next(stand for stand in self.stands() if index in stand.holding(name))

    def until(self, happened: Callable[[], bool], otherwise: str, within_s: float = TAKEN_OVER_S) -> None:
        end = self.now + within_s
        while not happened():
            assert self.now < end, otherwise
            self.wait(0.1)

    def finish(self, run: RunId = RUN, *, each_s: float = 0.01) -> None:
        """Let everything that runs be done, until the run has ended on all nodes that live."""

        def ended() -> bool:
            for stand in self.stands():
                stand.finish_all(each_s=each_s)
            return all(run in stand.disk.ends for stand in self.stands())

        self.until(ended, f"run {run} does not end", within_s=60.0)

    def accepted(self, name: str, run: RunId = RUN) -> dict[str, dict[int, State | None]]:
        """Return what each node has on disk as the state of each element."""
        return {
            stand.name: {index: stand.state_on_disk(name, index, run) for index in record.spec.elements}
            for stand in self.stands()
            if (record := stand.disk.tasks.get(task_id(run, name))) is not None
        }

    def agreed(self, name: str, run: RunId = RUN) -> dict[int, State | None]:
        """Return the states that all nodes have on disk."""
        states = self.accepted(name, run)
        first = states[self.stands()[0].name]
        assert len(states) == len(self.stands()), f"only {list(states)} know {name}"
        assert all(other == first for other in states.values()), states
        return first

    def done(self, name: str, run: RunId = RUN) -> list[int]:
        return [index for index, state in self.agreed(name, run).items() if isinstance(state, Done)]

    def starts_of(self, name: str) -> Iterator[tuple[int, str, Token]]:
        """Yield each element of a task that was started, by whom and under which token."""
        for begun in self.begun:
            if begun.task == name:
                yield from ((index, begun.node, begun.token) for index in begun.ranges)
