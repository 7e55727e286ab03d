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
- What is said of a forgotten run changes nothing. Digests cover tombstones as they do runs (anti_entropy/digests.py),
  so a node that was away learns of them when it comes back, and does not bring back what it still had.
- Tombstones are kept for TOMBSTONE_KEPT_S, and the latest TOMBSTONES_MAX at most. A node that was away for longer
  brings its runs back; they can be forgotten again.
"""

from typing import TYPE_CHECKING

import msgspec

from roost.core.actions import Accepted, Notify, Refused, Reply, RunChanged
from roost.core.data.re_replication import Audit
from roost.core.events import ForgetAsked
from roost.core.facts import RunForgotten
from roost.core.queue.replica import RunEntry
from roost.core.tickets import Forgetting as Change
from roost.core.tickets import ResultOffer
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import RunId, TaskId, run_of
from roost.model.limits import TOMBSTONE_KEPT_S, TOMBSTONES_MAX
from roost.model.record import RunRecord
from roost.model.tombstones import Tombstone
from roost.wire.messages import Records

if TYPE_CHECKING:
    from roost.core.completion import Completion
    from roost.core.node import Node

#: How often tombstones are looked through for those that are too old.
TRIM_EVERY_S = 3600.0


class Tombstones:
    def __init__(self, node: "Node", completion: "Completion", tombstones: tuple[Tombstone, ...]) -> None:
        self._node = node
        self._completion = completion
        #: Runs of which nothing else is left, those that were forgotten last at the end.
        self.buried: dict[RunId, Tombstone] = {}
        #: Runs that others have forgotten and that are still here, because an answer about them is owed.
        self._heard: dict[RunId, Tombstone] = {}
        #: Runs whose end is on its way to the disk.
        self._going: dict[RunId, Tombstone] = {}
        self._trim_at = 0.0
        for tombstone in sorted(tombstones, key=lambda one: one.at):
            self._bury(tombstone)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was forgotten, nor is about to be."""
        return not (self.buried or self._going or self._heard)

    def has_forgotten(self, run: RunId) -> bool:
        """Whether a run is forgotten, or is about to be."""
        return run in self.buried or run in self._going or run in self._heard

    def is_going(self, run: RunId) -> bool:
        """Whether a run that is still in memory is about to be forgotten."""
        return run in self._going or run in self._heard

    # People.

    def ask(self, event: ForgetAsked) -> None:
        """Check a request and write it down; raise InvalidInput for what must stay."""
        node, runs = self._node, dict.fromkeys(event.runs)
        entries = [self._entry(run) for run in runs]
        for entry in entries:
            self._check(entry, runs)
        if any(self._is_owed(run) or node.mesh.is_unanswered(run) for run in runs):
            later = "something is still being written about it; ask again in a moment"
            node.act(Reply(event.cause, Refused(later, temporary=True)))
            return
        at = node.stamp()
        tombstones = tuple(Tombstone(entry.record.spec.id, at, entry.record.touched) for entry in entries)
        self._write(event, tombstones)

    def _write(self, event: ForgetAsked | None, tombstones: tuple[Tombstone, ...]) -> None:
        for tombstone in tombstones:
            self._abandon(tombstone.run)
            self._going[tombstone.run] = tombstone
            self._heard.pop(tombstone.run, None)
        cause = None if event is None else event.cause
        self._node.persist(Change(cause, tombstones), *map(RunForgotten, tombstones))

    def _entry(self, run: RunId) -> RunEntry:
        entry = self._node.replica.runs.get(run)
        if entry is None or self.has_forgotten(run):
            raise NotFound(f"there is no run {run} that could be forgotten")
        return entry

    def _check(self, entry: RunEntry, together: dict[RunId, None]) -> None:
        run = entry.record.spec.id
        if entry.finished_at is None or entry.unended:
            raise InvalidInput(f"run {run} has not ended, so it is not forgotten; 'roost cancel {run}' ends it")
        for other in entry.record.needed_by:
            if other not in together and self._node.digests.knows(other):
                raise InvalidInput(f"run {other} builds on run {run}; forget it first, or both together")

    def apply(self, change: Change) -> None:
        """It is on disk: nothing of these runs is there any more."""
        node = self._node
        self._completion.vanish(
            [tombstone.run for tombstone in change.tombstones if tombstone.run in node.replica.runs]
        )
        for tombstone in change.tombstones:
            run = tombstone.run
            # What was asked while it was on its way to the disk is out of date, too.
            self._abandon(run)
            del self._going[run]
            self._bury(tombstone)
            node.mesh.re_replication.forget_run(run)
            node.act(Notify(RunChanged(run, "forgotten")))
            if change.cause is not None:
                node.replication.forgot(tombstone)
        if change.cause is not None:
            node.act(Reply(change.cause, Accepted(elements=len(change.tombstones))))

    def refuse(self, change: Change) -> None:
        """The disk had no room for it: nothing was changed."""
        for tombstone in change.tombstones:
            del self._going[tombstone.run]

    # Others.

    def sift(self, records: Records) -> Records:
        """Return what counts of what another node says: nothing of forgotten runs, unless one of them is back."""
        if self.is_empty:
            return records
        records = msgspec.structs.replace(records, runs=tuple(map(self._return, records.runs)))
        named = {record.spec.id for record in records.runs}
        named.update(run_of(task) for task in tasks_in(records))
        gone = {run for run in named if self.has_forgotten(run)}
        return without(records, gone) if gone else records

    def _return(self, record: RunRecord) -> RunRecord:
        """Let a run come back that was set to work again; return its record, with that if it was forgotten."""
        run = record.spec.id
        heard = self._heard.get(run)
        if heard is not None and not heard.hides(record.touched):
            del self._heard[run]
        tombstone = self.buried.get(run)
        if tombstone is None or tombstone.hides(record.touched):
            return record
        self._lift(run)
        return record.merge(RunRecord(record.spec, returned=(self._node.stamp(),)))

    def heard(self, tombstones: tuple[Tombstone, ...]) -> None:
        """Another node has forgotten these runs."""
        for tombstone in tombstones:
            if not self._is_too_old(tombstone):
                self._hear(tombstone)

    def _hear(self, tombstone: Tombstone) -> None:
        node, run = self._node, tombstone.run
        known = self.buried.get(run) or self._going.get(run) or self._heard.get(run)
        merged = tombstone if known is None else known.merge(tombstone)
        if merged == known or run in self._going:
            return
        entry = node.replica.runs.get(run)
        if entry is None:
            # What is on disk only was looked up before (page_in.py).
            self._write(None, (merged,))
            return
        if not merged.hides(entry.record.touched):
            return
        self._heard[run] = merged
        for task in entry.tasks:
            node.end_here(task, node.replica.tasks[task].spec.elements)
            node.touch(task)

    def follow(self) -> None:
        """Forget what others have forgotten and nothing is owed about any more."""
        if not self._heard:
            return
        for run in self._heard:
            self._abandon(run)
        free = {run: None for run in self._heard if not self._is_owed(run)}
        for run in list(free):
            group = self._fed_by(run)
            if run in free and all(other in free for other in group | self._needing(group)):
                self._write(None, tuple(self._heard[other] for other in group))
                for other in group:
                    del free[other]

    def _fed_by(self, run: RunId) -> dict[RunId, None]:
        """Return a run and those in memory whose tasks rest on its tasks, directly or through others."""
        node, found, pending = self._node, {run: None}, [run]
        while pending:
            entry = node.replica.runs.get(pending.pop())
            # One that has left memory meanwhile, because it had ended, has left with all that it feeds.
            tasks = () if entry is None else entry.tasks
            fed = {run_of(target): None for task in tasks for target in node.dataflow.targets(task)}
            pending += [other for other in fed if other not in found]
            found |= fed
        return found

    def _needing(self, runs: dict[RunId, None]) -> dict[RunId, None]:
        """Return those known here that build on one of these runs, in memory or not."""
        entries = [entry for run in runs if (entry := self._node.replica.runs.get(run)) is not None]
        return {run: None for entry in entries for run in entry.record.needed_by if self._node.digests.knows(run)}

    def _is_owed(self, run: RunId) -> bool:
        """Whether an executor or the disk still owes an answer about a run, or a voter whom it has to wait for."""
        node = self._node
        if node.tickets.awaits(run) > node.mesh.quorum.open_in(run) or node.tickets.writes_end(run):
            return True
        return any(lease.spec.run == run for lease in node.leases.active.values())

    def _abandon(self, run: RunId) -> None:
        """Nobody needs to keep, to hold or to know anything of a run any more."""
        mesh = self._node.mesh
        mesh.ask_no_more(run)
        mesh.quorum.abandon(run)
        for waiting, keepers in mesh.acknowledgements.abandon(run):
            if isinstance(waiting, Audit):
                mesh.re_replication.over(waiting)
            elif isinstance(waiting, ResultOffer):
                self._node.landed(waiting)
            else:
                self._node.act(waiting.on_disks(1 + keepers))

    # Tombstones.

    def answer(self, task: TaskId) -> Records | None:
        """Return what to tell about a task of a forgotten run; None if its run is not forgotten."""
        tombstone = self.buried.get(run_of(task))
        return None if tombstone is None else Records(forgotten=(tombstone,))

    def tick(self) -> None:
        if self._trim_at <= self._node.now:
            self._trim_at = self._node.now + TRIM_EVERY_S
            for tombstone in [one for one in self.buried.values() if self._is_too_old(one)]:
                self._lift(tombstone.run)

    def _is_too_old(self, tombstone: Tombstone) -> bool:
        return tombstone.at.wall_ms / 1000 + TOMBSTONE_KEPT_S < self._node.now

    def _bury(self, tombstone: Tombstone) -> None:
        self.buried.pop(tombstone.run, None)
        self.buried[tombstone.run] = tombstone
        self._node.digests.bury(tombstone)
        if len(self.buried) > TOMBSTONES_MAX:
            self._lift(min(self.buried.values(), key=lambda one: (one.at, one.run)).run)

    def _lift(self, run: RunId) -> None:
        del self.buried[run]
        self._node.digests.exhume(run)


def tasks_in(records: Records) -> list[TaskId]:
    """Return all tasks that a message names."""
    return [
        *(spec.id for spec in records.tasks),
        *(part[0] for part in records.states),
        *(part[0] for part in records.failures),
        *(part[0] for part in records.items),
        *(part[0] for part in records.results),
        *(part[0] for part in records.offers),
        *(part.task for part in records.holding),
        *(part.task for part in records.handed),
        *(part.task for part in records.worked),
    ]


def without(records: Records, gone: set[RunId]) -> Records:
    """Return a message with nothing of these runs."""

    def stays(task: TaskId) -> bool:
        return run_of(task) not in gone

    return msgspec.structs.replace(
        records,
        runs=tuple(record for record in records.runs if record.spec.id not in gone),
        tasks=tuple(spec for spec in records.tasks if stays(spec.id)),
        states=tuple(part for part in records.states if stays(part[0])),
        failures=tuple(part for part in records.failures if stays(part[0])),
        items=tuple(part for part in records.items if stays(part[0])),
        results=tuple(part for part in records.results if stays(part[0])),
        offers=tuple(part for part in records.offers if stays(part[0])),
        holding=tuple(part for part in records.holding if stays(part.task)),
        handed=tuple(part for part in records.handed if stays(part.task)),
        worked=tuple(part for part in records.worked if stays(part.task)),
        # Whoever wants it kept is told of the tombstone, and wants it no longer.
        keep=0,
    )
