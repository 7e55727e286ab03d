"""Attempts: what this node runs beside the node that has leased it, because its policy wants that repeated.

Rules
- An element has one lease of record (leases.py). Further attempts at it need no contest and are in no record, so that
  nothing expires, is contested, given back or counted as failed with them. Heartbeats tell of them, so that not
  everybody repeats the same.
- A node attempts what another one holds that lives, if its task may be repeated and goes on. It does so once for each
  lease of record, however that ends: its result may be on its way to be accepted, and what has failed here fails again.
- An attempt takes one element into a lane of its own, after all that is ready was leased. Nothing waits behind others
  in a lane that is only run to be surer, or sooner.
- Its result is offered as any other is, and what is accepted first counts. When an element has ended, or was sent back,
  all attempts at it end: their executors are told to stop, and nothing is written.
- If the holder fails or dies, the element is ready again by the usual rules, for others; here the attempt goes on.
- An attempt that fails, or is given back, changes nothing: it uses up no retry. The story tells that it failed.
- Where results have to agree (core/agreement/agreeing.py) a node attempts an element until it has found something, be
  it that it fails: what is given back is attempted again.
- After a restart nothing is left of attempts.
"""

from collections.abc import Iterator, Sequence

from roost.core.actions import StopMode
from roost.core.peers import Peers
from roost.core.queue.findings import Findings
from roost.core.queue.leases import Leases
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import Phase, Replica, TaskEntry, phase_of
from roost.core.queue.scheduler import Scheduler
from roost.core.queue.stopping import Stopping
from roost.core.queue.tokens import Tokens
from roost.core.tickets import Note
from roost.core.turn import Turn
from roost.model.happenings import RepeatedBy
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Leased, State
from roost.policy.choose import Repeat

#: Where an element may be while somebody attempts it.
_GOING_ON = (Phase.PENDING, Phase.LEASED)


class Attempts:
    def __init__(
        self,
        turn: Turn,
        *,
        peers: Peers,
        replica: Replica,
        leases: Leases,
        findings: Findings,
        tokens: Tokens,
        scheduler: Scheduler,
        readiness: Readiness,
        stopping: Stopping,
    ) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._leases = leases
        self._findings = findings
        self._tokens = tokens
        self._scheduler = scheduler
        self._readiness = readiness
        self._stopping = stopping
        #: What was attempted since it was leased last.
        self._tried: dict[TaskId, RangeSet] = {}

    @property
    def count(self) -> int:
        """How many elements this node attempts now."""
        return sum(len(lease.outstanding) for lease in self._leases.attempts.values())

    def held_elsewhere(self, entry: TaskEntry, about: RangeSet | None = None) -> Iterator[tuple[NodeId, RangeSet]]:
        """Yield what other nodes that live have leased of a task that goes on, and this node has not tried, too.

        With ``about``, only leases that have some of these elements, each whole.
        """
        if not self._readiness.goes_on(entry.spec):
            return
        here = self._tried.get(entry.spec.id, EMPTY) | self._findings.own(entry.spec.id)
        for lease in self._leases.in_hand():
            if lease.spec.id == entry.spec.id:
                here |= lease.outstanding
        elements = entry.elements
        leased = elements.items() if about is None else elements.whole_entries(about)
        for state, ranges in leased:
            if isinstance(state, Leased) and self._peers.is_other(state.node) and (held := ranges - here):
                yield state.node, self._readiness.has_room_for(entry.spec.id, held)

    def possible(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return those of these elements that this node may attempt now."""
        entry = self._replica.tasks.get(task)
        found = EMPTY
        if entry is not None and entry.spec.may_repeat:
            for _, held in self.held_elsewhere(entry, ranges):
                found |= held & ranges
        return found

    def begin(self, choices: Sequence[Repeat]) -> None:
        """Attempt what the policy wants repeated, as far as lanes are free."""
        for choice in choices:
            entry = self._replica.tasks.get(choice.task)
            for index in self.possible(choice.task, choice.ranges):
                if entry is None or not self._begin(entry, index, choice.why):
                    break

    def _begin(self, entry: TaskEntry, index: int, why: str) -> bool:
        lane = self._scheduler.open_lane(entry.spec)
        if lane is None:
            return False
        task, one = entry.spec.id, RangeSet.span(index, index + 1)
        token = self._tokens.for_attempt(entry, one)
        lease = self._leases.attempt(entry, one, token, lane.name, self._turn.now)
        lane.leases[lease.name] = lease
        self._tried[task] = self._tried.get(task, EMPTY) | one
        what = RepeatedBy(self._turn.name, lane.name, token, why)
        self._turn.persist(Note((task,)), self._turn.story(task, one, what, f"lease {lease.name}"))
        self._turn.act(lease.start())
        return True

    def moved(self, entry: TaskEntry, moved: list[tuple[State, RangeSet]]) -> None:
        """Elements of a task moved, whoever says so: attempts at what has ended, or was sent back, end."""
        if entry.spec.id in self._tried:
            self._may_try_again(entry.spec.id, moved)
        for lease in list(self._leases.attempts.values()):
            for state, ranges in moved if lease.spec.id == entry.spec.id else ():
                part = (lease.outstanding & ranges) - lease.stopping
                is_over = phase_of(state, entry.spec.retries) not in _GOING_ON or state.edition > lease.edition
                if part and is_over:
                    self._stopping.stop(lease, part, StopMode.KILL)

    def _may_try_again(self, task: TaskId, moved: list[tuple[State, RangeSet]]) -> None:
        for _, ranges in moved:
            self.given_back(task, ranges)

    def given_back(self, task: TaskId, ranges: RangeSet) -> None:
        """These elements may be attempted again."""
        if left := self._tried.pop(task, EMPTY) - ranges:
            self._tried[task] = left

    def forget(self, task: TaskId) -> None:
        """A task leaves memory."""
        self._tried.pop(task, None)
