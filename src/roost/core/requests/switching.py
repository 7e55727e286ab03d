"""Switching: runs are suspended, resumed and sealed.

Rules
- Suspending freezes what runs where it is and gives back what has not begun. What has ended is not suspended.
"""

from roost.core.actions import Accepted, Notify, Pause, Reply, RunChanged, StopMode
from roost.core.data.re_replication import ReReplication
from roost.core.facts import RunMerged
from roost.core.medium.port import Medium
from roost.core.queue.digests import Digests
from roost.core.queue.lanes import Lanes
from roost.core.queue.replica import Replica, RunEntry
from roost.core.queue.stopping import Stopping
from roost.core.requests.submitting import Submitting
from roost.core.tickets import Switching as Change
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.clock import after
from roost.model.errors import NotFound
from roost.model.ids import CauseId, RunId
from roost.model.record import RunRecord, Switch

#: What a person is told of a run that is suspended, or was, where that may be a surprise.
_IS_FREE = "run {0} is no longer suspended; nothing of it waits"
_IS_IDLE = "nothing of run {0} waits or runs now; what comes next waits for 'roost resume {0}'"


class Switching:
    def __init__(
        self,
        turn: Turn,
        *,
        tickets: Tickets,
        replica: Replica,
        lanes: Lanes,
        stopping: Stopping,
        digests: Digests,
        medium: Medium,
        re_replication: ReReplication,
        submitting: Submitting,
    ) -> None:
        self._turn = turn
        self._tickets = tickets
        self._replica = replica
        self._lanes = lanes
        self._stopping = stopping
        self._digests = digests
        self._medium = medium
        self._re_replication = re_replication
        self._submitting = submitting

    def ask(self, cause: CauseId, run: RunId, word: str) -> None:
        entry = self._replica.runs.get(run)
        if entry is None:
            raise NotFound(f"there is no run {run} that could be {word}")
        if word == "suspended" and self._has_ended(entry):
            self._turn.act(Reply(cause, Accepted()))
            return
        known = entry.record
        stamp = after(self._turn.stamp(), (known.sealed if word == "sealed" else known.suspended).changed)
        if word == "sealed":
            count = entry.task_count + self._submitting.on_their_way(run)
            record = RunRecord(known.spec, known.suspended, Switch(stamp, on=True), count)
            self._submitting.seal(record)
        else:
            record = RunRecord(known.spec, Switch(stamp, on=word == "suspended"), known.sealed, known.task_count)
        self._turn.persist(Change(cause, record, word), RunMerged(record))

    def _has_ended(self, entry: RunEntry) -> bool:
        """Whether nothing of a run is left to hold back, nor will be by what is on its way to the disk."""
        waits = self._tickets.awaits(entry.record.spec.id)
        return entry.is_complete and not entry.unended and not waits

    def apply(self, change: Change) -> None:
        run = change.record.spec.id
        was_suspended = self._replica.runs[run].suspended
        entry = self._replica.add_run(change.record)
        if change.word == "sealed":
            self._submitting.end_seal(run)
        self._medium.publish(RunMerged(entry.record))
        self._re_replication.decided(run)
        self._digests.run_changed(run)
        if change.word == "suspended":
            self._freeze(run)
        for task in entry.tasks:
            self._turn.touch(task)
        going_on = sum(
            len(self._replica.tasks[task].pending | self._replica.tasks[task].leased) for task in entry.unended
        )
        remarks: tuple[str, ...] = ()
        if not going_on and entry.suspended != was_suspended:
            remarks = ((_IS_IDLE if entry.suspended else _IS_FREE).format(run),)
        self._turn.act(Reply(change.cause, Accepted(remarks, going_on)))
        self._turn.act(Notify(RunChanged(run, change.word)))

    def refuse(self, change: Change) -> None:
        """The disk had no room for it."""
        self._submitting.end_seal(change.record.spec.id)

    def switched_elsewhere(self, before: RunRecord, after: RunRecord) -> None:
        """Another node suspended, resumed or sealed a run."""
        run = after.spec.id
        if after.suspended.on and not before.suspended.on:
            self._freeze(run)
        for task in self._replica.runs[run].tasks:
            self._turn.touch(task)
        self._turn.look_at(run)

    def _freeze(self, run: RunId) -> None:
        """Freeze the lanes that run elements of this run; what only waits in a lane is given back."""
        for lane in self._lanes.open_lanes.values():
            freeze = not lane.paused and lane.front.spec.run == run
            for lease in lane.leases.values():
                if freeze or lease.spec.run == run:
                    self._stopping.stop(lease, lease.outstanding, StopMode.UNSTARTED)
            if freeze:
                self._lanes.pause(lane)
                self._turn.act(Pause(lane.front.name))
