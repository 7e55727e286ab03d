"""A dictionary that several nodes share: the smallest store that there can be (dictionary_medium.py).

Rules
- A task is a row: its spec, what is known of its elements, its data, and who has claimed which of its elements under
  which token. A run is a row, too. Every change gives a row a larger version, by which nodes see what they have not
  read.
- A claim is a conditional write: it is granted for elements that are pending in the row and that nobody else who lives
  has claimed, under a token above all that the row has seen. The token stays there when the claim is given back.
- A result is accepted by a conditional write, too: if the row has none of that edition or a later one.
- Who has not written its beat for DEAD_S is dead; whoever writes the next one gives back what it had.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from roost.core.queue.leases import released_state
from roost.core.queue.replica import TaskEntry
from roost.core.queue.tokens import Tokens
from roost.core.tickets import MadeResult, ResultOffer
from roost.model.clock import NEVER, Stamp
from roost.model.elements import Elements
from roost.model.ids import BlobHash, NodeId, RunId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord
from roost.model.segments import Segment
from roost.model.states import Done, Leased, State
from roost.model.task import Failure, TaskSpec
from roost.model.token import NO_TOKEN, Token
from roost.model.tombstones import Tombstone
from roost.wire.messages import Facts

#: How long a node may be silent before it is dead.
DEAD_S = 3.0


class Doubt(NamedTuple):
    """A claim is not answered at once: whether it is written nevertheless, and how long nobody can tell."""

    written: bool
    for_s: float


class Holder(NamedTuple):
    """Who has claimed an element, with which of its claims; nobody, if the claim is over. The token stays."""

    token: Token
    node: NodeId | None = None
    claim: int = 0
    life: int = 0


class Row:
    def __init__(self, spec: TaskSpec, version: int) -> None:
        self.version = version
        self.entry = TaskEntry.fresh(spec)
        self.holders: dict[int, Holder] = {}
        self.items: list[tuple[TaskId, Segment]] = []
        self.results: list[MadeResult] = []
        self.failures: list[tuple[TaskId, int, Token, Failure]] = []

    def held(self, node: NodeId, *, before: int | None = None, claim: int | None = None) -> RangeSet:
        """Return what a node has claimed: in lives before this one, or with this claim, or at all."""
        return RangeSet.of(
            index
            for index, holder in self.holders.items()
            if holder.node == node and (before is None or holder.life < before) and claim in (None, holder.claim)
        )

    def let_go(self, ranges: RangeSet, up_to: Token | None = None) -> None:
        """End claims; only those under no larger token than ``up_to``, if it is given."""
        for index in ranges & RangeSet.of(self.holders):
            if up_to is None or self.holders[index].token <= up_to:
                self.holders[index] = Holder(self.holders[index].token)


class Dictionary:
    """What all nodes share."""

    def __init__(self) -> None:
        self.version = 0
        self.runs: dict[RunId, tuple[int, RunRecord]] = {}
        self.rows: dict[TaskId, Row] = {}
        self._blobs: dict[BlobHash, tuple[int, bytes]] = {}
        self._tombstones: dict[RunId, tuple[int, Tombstone]] = {}
        self._ends: dict[RunId, Stamp] = {}
        #: Who lives: in which life, and when it last said so.
        self._beats: dict[NodeId, tuple[int, float]] = {}
        #: Nodes that do not reach it.
        self.cut_off: set[NodeId] = set()
        #: Says which claims are in doubt.
        self.doubt: Callable[[TaskId, RangeSet], Doubt | None] = lambda task, ranges: None
        #: All claims that were ever asked for.
        self.asked: list[tuple[NodeId, TaskId, RangeSet]] = []

    # Records.

    def write(self, facts: Facts) -> None:
        for record in facts.runs:
            known = self.runs.get(record.spec.id)
            merged = record if known is None else known[1].merge(record)
            if record.spec.id not in self._tombstones and (known is None or merged != known[1]):
                self.runs[record.spec.id] = (self._next(), merged)
        for spec in facts.tasks:
            if spec.run in self.runs and spec.id not in self.rows:
                self.rows[spec.id] = Row(spec, self._next())
        for blob, content in facts.blobs:
            self._blobs.setdefault(blob, (self._next(), content))
        for row, data in self._data_of(facts):
            data(row)
            row.version = self._next()
        for task, delta in facts.states:
            if task in self.rows:
                self._ends[run_of(task)] = max(self._ends.get(run_of(task), NEVER), facts.at)
                self._merge(self.rows[task], delta)

    def _data_of(self, facts: Facts) -> Iterator[tuple[Row, Callable[[Row], None]]]:
        for item in facts.items:
            if item[0] in self.rows:
                yield self.rows[item[0]], lambda row, item=item: row.items.append(item)
        for made in facts.results:
            if made[0] in self.rows and made not in self.rows[made[0]].results:
                yield self.rows[made[0]], lambda row, made=made: row.results.append(made)
        for noted in facts.failures:
            if noted[0] in self.rows:
                yield self.rows[noted[0]], lambda row, noted=noted: row.failures.append(noted)

    def _merge(self, row: Row, delta: Elements) -> None:
        for state, ranges in row.entry.merge(delta):
            row.version = self._next()
            if not isinstance(state, Leased):
                row.let_go(ranges, state.token)

    def forget(self, tombstone: Tombstone) -> None:
        run = tombstone.run
        self._tombstones[run] = (self._next(), tombstone)
        self.runs.pop(run, None)
        for task in [task for task in self.rows if run_of(task) == run]:
            del self.rows[task]

    def read(self, after: int) -> tuple[list[Facts], tuple[Tombstone, ...]]:
        """Return what was written since a version, run by run, in the order in which they were handed in."""
        blobs = tuple((blob, content) for blob, (version, content) in self._blobs.items() if version > after)
        found = [Facts(blobs=blobs)] if blobs else []
        for run, (version, record) in self.runs.items():
            rows = {task: row for task, row in self.rows.items() if row.version > after and run_of(task) == run}
            if rows or version > after:
                found.append(
                    Facts(
                        (record,),
                        tuple(row.entry.spec for row in rows.values()),
                        tuple((task, row.entry.elements) for task, row in rows.items()),
                        tuple(noted for row in rows.values() for noted in row.failures),
                        tuple(item for row in rows.values() for item in row.items),
                        results=tuple(made for row in rows.values() for made in row.results),
                        at=self._ends.get(run, NEVER),
                    )
                )
        return found, tuple(stone for version, stone in self._tombstones.values() if version > after)

    def _next(self) -> int:
        self.version += 1
        return self.version

    # Claims and results.

    def claim(self, task: TaskId, wanted: RangeSet, node: NodeId, claim: int) -> None:
        """Give a node those of the wanted elements that are free, all of one edition and under one token."""
        row, (life, _) = self.rows[task], self._beats[node]
        free = RangeSet.of(index for index in wanted & row.entry.pending if self._is_free(row.holders.get(index)))
        if not free:
            return
        free = row.entry.in_edition(free, row.entry.edition_of(free.first))
        seen = max((row.holders[index].token for index in free if index in row.holders), default=NO_TOKEN)
        token = max(Tokens(life).for_lease(row.entry, free), seen.following())
        row.holders |= {index: Holder(token, node, claim, life) for index in free}

    def _is_free(self, holder: Holder | None) -> bool:
        return holder is None or holder.node not in self._beats

    def granted(self, task: TaskId, node: NodeId, claim: int) -> tuple[RangeSet, Token]:
        """Read a claim back."""
        row = self.rows.get(task)
        held = EMPTY if row is None else row.held(node, claim=claim)
        return held, row.holders[held.first].token if row is not None and held else NO_TOKEN

    def give_back(self, task: TaskId, ranges: RangeSet, node: NodeId) -> None:
        if task in self.rows:
            self.rows[task].let_go(ranges & self.rows[task].held(node))

    def accept(self, offer: ResultOffer, at: Stamp) -> Elements:
        """Take the results of elements that have none of their edition; return those states."""
        row = self.rows.get(offer.task)
        accepted = (
            Elements()
            if row is None
            else Elements.join(
                (state, ranges - _decided(row.entry, state, ranges)) for state, ranges in offer.delta.items()
            )
        )
        self.write(Facts(states=((offer.task, accepted),), results=offer.results, at=at))
        return accepted

    # Who lives.

    def beat(self, node: NodeId, life: int, now: float) -> None:
        """A node lives; whoever else does not any more is buried."""
        known, _ = self._beats.get(node, (0, 0.0))
        self._beats[node] = (life, now)
        if known < life:
            self._bury(node, before=life)
        for other in [other for other, (_, at) in self._beats.items() if now - at > DEAD_S]:
            self.leave(other)

    def leave(self, node: NodeId) -> None:
        self._beats.pop(node, None)
        self._bury(node)

    def _bury(self, node: NodeId, before: int | None = None) -> None:
        """Give back what a node had, in lives before this one or at all."""
        for row in self.rows.values():
            held = row.held(node, before=before)
            leased = [
                (released_state(state), part if before is None else part & held)
                for state, part in row.entry.elements.items()
                if isinstance(state, Leased) and state.node == node
            ]
            row.let_go(held)
            self._merge(row, Elements({state: part for state, part in leased if part}))


def _decided(entry: TaskEntry, offered: State, ranges: RangeSet) -> RangeSet:
    """Return those of these elements that have another result, or are in a later edition."""
    decided = EMPTY
    for known, part in entry.elements.entries_within(ranges):
        is_done = isinstance(known, Done) and known.edition == offered.edition
        if known != offered and (is_done or known.edition > offered.edition):
            decided |= part
    return decided
