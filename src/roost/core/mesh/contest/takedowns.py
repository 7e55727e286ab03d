"""Takedowns: elements that kill the nodes on which they run, and when one of them has failed for that.

Nobody is told who killed a node. People, power cuts and other programs kill nodes, too, and one that is only cut off
looks dead. So a death is laid to an element only if its node had just begun with it, and to one that may fail by it
only if no other explains the death as well.

Rules
- What its node had at hand for more than YOUNG_S has nothing to do with the death, and neither has the next: it is
  innocent from then on, in this round. So long work on machines that are switched off every evening never fails.
- What had just begun, as the last heartbeat or a lease since then says, may be what killed it. The attempt carries the
  names of such nodes, and the next one goes on with them (``downed`` in model/states.py); no retry is used up. What
  waited in a lane, or was frozen, is not meant.
- An element with all such names but one is a suspect. Suspects are tried one by one (queue/readiness.py). If the next
  node had just begun with one of them, that is the one, and nothing else. TAKEDOWNS_MAX names, and it has failed.
- The death of a node that had begun nothing of late shows that nodes die for other reasons: for CALM_S nothing counts.
- A node that comes back in the same life was only cut off, and its name counts no more. What leaves or drains has not
  died. Whoever was never heard is judged by those who heard it.
- A person's retry begins a new round, in which no names are known. An attempt that fails by itself forgets them, too:
  it has ended, and its node lives.

All who heard the heartbeats of the dead node judge alike, and tell the others. Where they differ, because each heard
another heartbeat last, the merge keeps the longer list of names, and innocence before all.
"""

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from msgspec.structs import replace

from roost.core.queue.replica import Replica
from roost.core.turn import Turn
from roost.model.downed import YOUNG_S, Downed, is_suspect, why_failed
from roost.model.elements import Elements
from roost.model.ids import NodeId, TaskId
from roost.model.limits import GONE_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Failed, Released, downed_in
from roost.model.task import Failure
from roost.wire.messages import Heartbeat, RunningLease

#: For how long the death of a node that had begun nothing of late keeps others from counting. Longer: fewer innocents
#: fail while machines are switched off. Shorter: what kills nodes is found out among machines that die by themselves.
CALM_S: Final = 120.0

#: The states that end the leases of a node, by task.
Ended: TypeAlias = dict[TaskId, Elements]
#: What of a task a node held and did not name in its last heartbeat, although its lease was known by then.
Unnamed: TypeAlias = Callable[[NodeId, TaskId], RangeSet]


class Takedowns:
    def __init__(self, turn: Turn, replica: Replica) -> None:
        self._turn = turn
        self._replica = replica
        #: The last heartbeat of each node.
        self._beats: dict[NodeId, Heartbeat] = {}
        #: Nodes that died with nothing that had just begun, and when.
        self._unexplained: dict[NodeId, float] = {}
        #: Nodes that were held dead and have come back; who did so last is at the end.
        self._back: dict[NodeId, None] = {}

    def heard(self, beat: Heartbeat) -> None:
        self._beats[beat.node] = beat

    def left(self, node: NodeId) -> None:
        """It has gone in order."""
        self._beats.pop(node, None)

    def died(self, node: NodeId, ended: Ended, unnamed: Unnamed) -> Ended:
        """Return the states that end the leases of a dead node, with what its death says of their elements."""
        beat = self._beats.pop(node, None)
        if beat is None or beat.draining:
            return ended
        self._back.pop(node, None)
        young, old = self._young(beat, ended, unnamed), self._old(beat, ended)
        if not young and not self._is_explained(beat):
            self._unexplained[node] = self._turn.now
        blamed = {} if self._is_stormy() else self._blamed(ended, young)
        return {
            task: delta.merge(_marked(delta, blamed.get(task, EMPTY), lambda state: self._with(state, node))).merge(
                _marked(delta, old.get(task, EMPTY), _innocent)
            )
            for task, delta in ended.items()
        }

    def returned(self, node: NodeId) -> None:
        """It was not dead."""
        self._unexplained.pop(node, None)
        # Where the cut was, nobody knows: the others may have held this node dead.
        for back in (node, self._turn.name):
            self._back.pop(back, None)
            self._back[back] = None
        while len(self._back) > GONE_MAX:
            del self._back[next(iter(self._back))]

    def _is_explained(self, beat: Heartbeat) -> bool:
        """Whether others have laid the death to something already, or something had just begun that has moved on."""
        named = (self._replica.tasks[task].elements.items() for task in self._replica.marked)
        laid = any(beat.node in (downed_in(state) or ()) for states in named for state, _ in states)
        return laid or any(map(_is_young, beat.leases))

    def _is_stormy(self) -> bool:
        since = self._turn.now - CALM_S
        self._unexplained = {node: at for node, at in self._unexplained.items() if at > since}
        return bool(self._unexplained)

    def _young(self, beat: Heartbeat, ended: Ended, unnamed: Unnamed) -> dict[TaskId, RangeSet]:
        """Return what had just begun: each lease that was at hand for a short time, or is newer than the heartbeat."""
        young, named = {}, by_task(beat.leases)
        fresh = by_task(filter(_is_young, beat.leases))
        for task, delta in ended.items():
            held = delta.known()
            new = held - named.get(task, EMPTY) - unnamed(beat.node, task)
            if found := held & fresh.get(task, EMPTY) | new:
                young[task] = found
        return young

    def _old(self, beat: Heartbeat, ended: Ended) -> dict[TaskId, RangeSet]:
        """Return the elements that had run for long: of a lease, the one that was at hand."""
        long = (lease for lease in beat.leases if lease.running_s is not None and lease.running_s > YOUNG_S)
        return {lease.task: lease.ranges.take(1) for lease in long if lease.task in ended}

    def _blamed(self, ended: Ended, young: dict[TaskId, RangeSet]) -> dict[TaskId, RangeSet]:
        """Return the only suspect, or if there is none all that may be what killed a node."""
        suspects: dict[TaskId, RangeSet] = {}
        for task, ranges in young.items():
            for state, part in ended[task].entries_within(ranges):
                if is_suspect(self._known(downed_in(state))):
                    suspects[task] = suspects.get(task, EMPTY) | part
        if not suspects:
            return young
        return suspects if sum(map(len, suspects.values())) == 1 else {}

    def _known(self, downed: Downed) -> Downed:
        """Return those of the nodes that have not come back."""
        return downed and tuple(node for node in downed if node not in self._back)

    def _with(self, state: Released, node: NodeId) -> Downed:
        known = self._known(state.downed)
        return None if known is None else tuple(sorted({*known, node}))


def _is_young(lease: RunningLease) -> bool:
    """Whether its element at hand had just begun."""
    return lease.running_s is not None and lease.running_s <= YOUNG_S


def _innocent(_: Released) -> Downed:
    return None


def _marked(delta: Elements, ranges: RangeSet, downed: Callable[[Released], Downed]) -> Elements:
    """Return these elements of a delta with the names that they carry from now on."""
    found = delta.entries_within(ranges) if ranges else []
    return Elements(
        {replace(state, downed=downed(state)): part for state, part in found if isinstance(state, Released)}
    )


def by_task(named: Iterable[RunningLease]) -> dict[TaskId, RangeSet]:
    """Return what leases hold of each task."""
    held: dict[TaskId, RangeSet] = {}
    for lease in named:
        held[lease.task] = held.get(lease.task, EMPTY) | lease.ranges
    return held


def failed_state(state: Released, retries: int) -> Failed:
    """Return the state of an element that has taken down as many nodes as it may."""
    failures = max(retries + 1, state.failures)
    return Failed(state.round, state.token, state.node, failures, state.edition, state.downed)


def failure_of(state: Failed) -> Failure:
    """Return why it has failed."""
    return Failure(why_failed(state.downed), permanent=True)
