"""Tombstones: of a run that has ended nothing is kept but a tombstone, here and on all other nodes.

Rules
- Only what has ended is forgotten, and nothing on which a run builds that stays. Whoever asks for something else is
  refused, and nothing is changed.
- A tombstone hides a run unless somebody has set it to work again whom those who forgot it had not heard of
  (model/tombstones.py). Such a run comes back whole from whoever has it; also what it builds on, for that was set to
  work with it. Results that only those had who forgot it are gone; what needs them says so. Whoever has it again says
  so in its record (``returned``), for others may count on what he had kept of it (data/re_replication.py).
- Whoever hears of a tombstone forgets the run, too, whatever he had missed of it. If something of it runs or is on its
  way to the disk, that ends first, and nothing of it starts any more.
- What is said of a forgotten run changes nothing. Digests cover tombstones as they do runs (queue/digests.py),
  so a node that was away learns of them when it comes back, and does not bring back what it still had.
- Tombstones are kept for TOMBSTONE_KEPT_S, and the latest TOMBSTONES_MAX at most. A node that was away for longer
  brings its runs back; they can be forgotten again.
"""

from roost.core.actions import Accepted, Notify, Refused, Reply, RunChanged
from roost.core.agreement.agreeing import Agreeing
from roost.core.completion import Completion
from roost.core.data.re_replication import ReReplication
from roost.core.events import ForgetAsked
from roost.core.facts import RunForgotten
from roost.core.medium.port import Medium
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.digests import Digests
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.queue.leases import Leases
from roost.core.queue.replica import Replica, RunEntry
from roost.core.queue.stopping import Stopping
from roost.core.quorum.quorum import Quorum
from roost.core.tickets import Forgetting as Change
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import RunId, run_of
from roost.model.limits import TOMBSTONE_KEPT_S
from roost.model.tombstones import Tombstone

#: How often tombstones are looked through for those that are too old.
TRIM_EVERY_S = 3600.0


class Tombstones:
    def __init__(
        self,
        turn: Turn,
        *,
        tickets: Tickets,
        replica: Replica,
        dataflow: Dataflow,
        leases: Leases,
        stopping: Stopping,
        digests: Digests,
        forgotten: ForgottenRuns,
        quorum: Quorum,
        agreeing: Agreeing,
        re_replication: ReReplication,
        medium: Medium,
        completion: Completion,
    ) -> None:
        self._turn = turn
        self._tickets = tickets
        self._replica = replica
        self._dataflow = dataflow
        self._leases = leases
        self._stopping = stopping
        self._digests = digests
        self._forgotten = forgotten
        self._quorum = quorum
        self._agreeing = agreeing
        self._re_replication = re_replication
        self._medium = medium
        self._completion = completion
        self._trim_at = 0.0

    # People.

    def ask(self, event: ForgetAsked) -> None:
        """Check a request and write it down; raise InvalidInput for what must stay."""
        runs = dict.fromkeys(event.runs)
        entries = [self._entry(run) for run in runs]
        for entry in entries:
            self._check(entry, runs)
        if any(self._is_owed(run) or self._medium.is_unanswered(run) for run in runs):
            later = "something is still being written about it; ask again in a moment"
            self._turn.act(Reply(event.cause, Refused(later, temporary=True)))
            return
        at = self._turn.stamp()
        tombstones = tuple(Tombstone(entry.record.spec.id, at, entry.record.touched) for entry in entries)
        self._write(event, tombstones)

    def _write(self, event: ForgetAsked | None, tombstones: tuple[Tombstone, ...]) -> None:
        for tombstone in tombstones:
            self._abandon(tombstone.run)
            self._forgotten.going[tombstone.run] = tombstone
            self._forgotten.heard.pop(tombstone.run, None)
        cause = None if event is None else event.cause
        self._turn.persist(Change(cause, tombstones), *map(RunForgotten, tombstones))

    def _entry(self, run: RunId) -> RunEntry:
        entry = self._replica.runs.get(run)
        if entry is None or self._forgotten.has_forgotten(run):
            raise NotFound(f"there is no run {run} that could be forgotten")
        return entry

    def _check(self, entry: RunEntry, together: dict[RunId, None]) -> None:
        run = entry.record.spec.id
        if entry.finished_at is None or entry.unended:
            raise InvalidInput(f"run {run} has not ended, so it is not forgotten; 'roost cancel {run}' ends it")
        for other in entry.record.needed_by:
            if other not in together and self._digests.knows(other):
                raise InvalidInput(f"run {other} builds on run {run}; forget it first, or both together")

    def apply(self, change: Change) -> None:
        """It is on disk: nothing of these runs is there any more."""
        self._completion.vanish(
            [tombstone.run for tombstone in change.tombstones if tombstone.run in self._replica.runs]
        )
        for tombstone in change.tombstones:
            run = tombstone.run
            # What was asked while it was on its way to the disk is out of date, too.
            self._abandon(run)
            del self._forgotten.going[run]
            self._forgotten.bury(tombstone)
            self._re_replication.forget_run(run)
            self._turn.act(Notify(RunChanged(run, "forgotten")))
            if change.cause is not None:
                self._medium.publish(RunForgotten(tombstone))
        if change.cause is not None:
            self._turn.act(Reply(change.cause, Accepted(elements=len(change.tombstones))))

    def refuse(self, change: Change) -> None:
        """The disk had no room for it: nothing was changed."""
        for tombstone in change.tombstones:
            del self._forgotten.going[tombstone.run]

    # Others.

    def heard(self, tombstones: tuple[Tombstone, ...]) -> None:
        """Another node has forgotten these runs."""
        for tombstone in tombstones:
            if not self._is_too_old(tombstone):
                self._hear(tombstone)

    def _hear(self, tombstone: Tombstone) -> None:
        run = tombstone.run
        known = self._forgotten.known_of(run)
        merged = tombstone if known is None else known.merge(tombstone)
        if merged == known or run in self._forgotten.going:
            return
        entry = self._replica.runs.get(run)
        if entry is None:
            # What is on disk only was looked up before (page_in.py).
            self._write(None, (merged,))
            return
        if not merged.hides(entry.record.touched):
            return
        self._forgotten.heard[run] = merged
        for task in entry.tasks:
            self._stopping.end(task, self._replica.tasks[task].spec.elements)
            self._turn.touch(task)

    def follow(self) -> None:
        """Forget what others have forgotten and nothing is owed about any more."""
        if not self._forgotten.heard:
            return
        for run in self._forgotten.heard:
            self._abandon(run)
        free = {run: None for run in self._forgotten.heard if not self._is_owed(run)}
        for run in list(free):
            group = self._fed_by(run)
            if run in free and all(other in free for other in group | self._needing(group)):
                self._write(None, tuple(self._forgotten.heard[other] for other in group))
                for other in group:
                    del free[other]

    def _fed_by(self, run: RunId) -> dict[RunId, None]:
        """Return a run and those in memory whose tasks rest on its tasks, directly or through others."""
        found, pending = {run: None}, [run]
        while pending:
            entry = self._replica.runs.get(pending.pop())
            # One that has left memory meanwhile, because it had ended, has left with all that it feeds.
            tasks = () if entry is None else entry.tasks
            fed = {run_of(target): None for task in tasks for target in self._dataflow.targets(task)}
            pending += [other for other in fed if other not in found]
            found |= fed
        return found

    def _needing(self, runs: dict[RunId, None]) -> dict[RunId, None]:
        """Return those known here that build on one of these runs, in memory or not."""
        entries = [entry for run in runs if (entry := self._replica.runs.get(run)) is not None]
        return {run: None for entry in entries for run in entry.record.needed_by if self._digests.knows(run)}

    def _is_owed(self, run: RunId) -> bool:
        """Whether an executor or the disk still owes an answer about a run, or a voter whom it has to wait for."""
        if self._tickets.awaits(run) > self._quorum.open_in(run) or self._tickets.writes_end(run):
            return True
        return any(lease.spec.run == run for lease in self._leases.in_hand())

    def _abandon(self, run: RunId) -> None:
        """Nobody needs to keep, to hold or to know anything of a run any more."""
        self._quorum.abandon(run)
        self._agreeing.abandon(run)
        self._medium.abandon(run)

    def tick(self) -> None:
        if self._trim_at <= self._turn.now:
            self._trim_at = self._turn.now + TRIM_EVERY_S
            for tombstone in [one for one in self._forgotten.tombstones() if self._is_too_old(one)]:
                self._forgotten.lift(tombstone.run)

    def _is_too_old(self, tombstone: Tombstone) -> bool:
        return tombstone.at.wall_ms / 1000 + TOMBSTONE_KEPT_S < self._turn.now
