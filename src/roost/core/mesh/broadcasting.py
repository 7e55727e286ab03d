"""Broadcasting: what changes here is told to all.

Rules
- Everything that moved in one event leaves in one message to everybody. What people may rely on leaves when it is on
  disk; new leases leave at once, since losing one costs an attempt and no promise.
- So does a submission whose data travels with it, since its submitter is answered later, when it is on two disks: if
  this one loses it in a power cut, it comes back from the others whole. One whose data stays here leaves from disk.
- Lost messages are not repeated: digests tell that something is missing.
"""

import msgspec

from roost.core.actions import Send
from roost.core.facts import FailureNoted
from roost.core.peers import Peers
from roost.core.turn import Turn
from roost.model.clock import NEVER
from roost.model.elements import Elements
from roost.model.ids import RunId, TaskId
from roost.model.limits import INLINE_DATA_BYTES_MAX
from roost.model.record import RunRecord
from roost.model.task import Command, Failure, blobs_of
from roost.model.token import Token
from roost.model.tombstones import Tombstone
from roost.wire.messages import Facts, Forgotten


class Broadcasting:
    def __init__(self, turn: Turn, peers: Peers) -> None:
        self._turn = turn
        self._peers = peers
        self._runs: dict[RunId, RunRecord] = {}
        #: What was submitted, and can leave before it is on disk, or not.
        self._hurried: list[Facts] = []
        self._heavy: list[Facts] = []
        self._states: dict[TaskId, list[Elements]] = {}
        self._leased: dict[TaskId, list[Elements]] = {}
        self._failures: list[tuple[TaskId, int, Token, Failure]] = []
        self._forgotten: list[Tombstone] = []

    def run_changed(self, record: RunRecord) -> None:
        self._runs[record.spec.id] = record

    def moved(self, task: TaskId, delta: Elements) -> None:
        if delta:
            self._states.setdefault(task, []).append(delta)

    def failed(self, noted: FailureNoted) -> None:
        self._failures.append((noted.task, noted.index, noted.token, noted.failure))

    def leased(self, task: TaskId, delta: Elements) -> None:
        self._leased.setdefault(task, []).append(delta)

    def forgot(self, tombstone: Tombstone) -> None:
        self._forgotten.append(tombstone)

    def submitted(self, facts: Facts) -> bool:
        """Tell all of a submission; return whether that waits for the disk.

        Small inputs travel with the tasks, so that whoever wins them can start at once.
        """
        size = sum(len(segment.payload) for _, segment in facts.items)
        size += sum(len(content) for _, content in facts.blobs)
        if size > INLINE_DATA_BYTES_MAX:
            self._heavy.append(Facts(facts.runs, facts.tasks, handed=facts.handed))
            return True
        brought = dict(facts.blobs)
        # Commands need none, and there may be a hundred thousand.
        needing = [spec for spec in facts.tasks if not isinstance(spec.work, Command)]
        is_whole = all(blob in brought for spec in needing for blob in blobs_of(spec))
        (self._hurried if is_whole else self._heavy).append(facts)
        return not is_whole

    def speak(self) -> None:
        """Tell all what has changed since the last time; alone, forget it: whoever comes later asks for everything."""
        if not self._peers.others:
            self._forget()
        elif self._runs or self._hurried or self._heavy or self._states or self._leased or self._forgotten:
            self._tell()

    def _tell(self) -> None:
        hurried, heavy = ([self._with_leases(one) for one in some] for some in (self._hurried, self._heavy))
        for facts in hurried:
            self._turn.act(Send(None, facts, promises=False))
        if self._leased:
            self._turn.act(Send(None, Facts(states=_joined(self._leased)), promises=False))
        for facts in heavy:
            self._turn.act(Send(None, facts))
        if self._runs or self._states:
            runs, failures = tuple(self._runs.values()), tuple(self._failures)
            at = self._turn.moment() if self._states else NEVER
            self._turn.act(Send(None, Facts(runs, states=_joined(self._states), failures=failures, at=at)))
        if self._forgotten:
            self._turn.act(Send(None, Forgotten(tuple(self._forgotten))))
        self._forget()

    def _with_leases(self, facts: Facts) -> Facts:
        """Return a submission with all that was decided about it at once.

        What others hear of for the first time must not be overtaken by word of its leases.
        """
        leased = {spec.id: self._leased.pop(spec.id) for spec in facts.tasks if spec.id in self._leased}
        return msgspec.structs.replace(facts, states=_joined(leased))

    def _forget(self) -> None:
        self._forgotten = []
        if self._runs or self._hurried or self._heavy or self._states or self._leased:
            self._runs, self._hurried, self._heavy = {}, [], []
            self._states, self._leased, self._failures = {}, {}, []


def _joined(states: dict[TaskId, list[Elements]]) -> tuple[tuple[TaskId, Elements], ...]:
    return tuple(
        (task, parts[0] if len(parts) == 1 else Elements.join(entry for part in parts for entry in part.items()))
        for task, parts in states.items()
    )
