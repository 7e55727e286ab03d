"""Forgotten runs: which runs of the cluster are forgotten, or are about to be, and what counts of what is said of them.

When a run is forgotten, and how that is written, is decided in core/tombstones.py.
"""

from collections.abc import Iterable

import msgspec

from roost.core.mesh.anti_entropy.digests import Digests
from roost.model.ids import RunId, TaskId, run_of
from roost.model.limits import TOMBSTONES_MAX
from roost.model.tombstones import Tombstone
from roost.wire.messages import Records


class ForgottenRuns:
    def __init__(self, digests: Digests) -> None:
        self._digests = digests
        #: Runs of which nothing else is left, those that were forgotten last at the end.
        self._buried: dict[RunId, Tombstone] = {}
        #: Runs that others have forgotten and that are still here, because an answer about them is owed.
        self.heard: dict[RunId, Tombstone] = {}
        #: Runs whose end is on its way to the disk.
        self.going: dict[RunId, Tombstone] = {}

    def restore(self, tombstones: Iterable[Tombstone]) -> None:
        """These are on disk."""
        for tombstone in sorted(tombstones, key=lambda one: one.at):
            self.bury(tombstone)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was forgotten, nor is about to be."""
        return not (self._buried or self.going or self.heard)

    def has_forgotten(self, run: RunId) -> bool:
        """Whether a run is forgotten, or is about to be."""
        return run in self._buried or run in self.going or run in self.heard

    def is_going(self, run: RunId) -> bool:
        """Whether a run that is still in memory is about to be forgotten."""
        return run in self.going or run in self.heard

    def tombstone_of(self, run: RunId) -> Tombstone | None:
        """Return the tombstone of a run of which nothing else is left."""
        return self._buried.get(run)

    def known_of(self, run: RunId) -> Tombstone | None:
        """Return what is known of the forgetting of a run, however far that has come."""
        return self._buried.get(run) or self.going.get(run) or self.heard.get(run)

    def tombstones(self) -> list[Tombstone]:
        return list(self._buried.values())

    def bury(self, tombstone: Tombstone) -> None:
        self._buried.pop(tombstone.run, None)
        self._buried[tombstone.run] = tombstone
        self._digests.bury(tombstone)
        if len(self._buried) > TOMBSTONES_MAX:
            self.lift(min(self._buried.values(), key=lambda one: (one.at, one.run)).run)

    def lift(self, run: RunId) -> None:
        del self._buried[run]
        self._digests.exhume(run)

    def sift(self, records: Records) -> Records:
        """Return what counts of what another node says: nothing of forgotten runs, unless one of them is back."""
        if self.is_empty:
            return records
        for record in records.runs:
            tombstone = self._buried.get(record.spec.id)
            if tombstone is not None and not tombstone.hides(record.touched):
                self.lift(record.spec.id)
            heard = self.heard.get(record.spec.id)
            if heard is not None and not heard.hides(record.touched):
                del self.heard[record.spec.id]
        named = {record.spec.id for record in records.runs}
        named.update(run_of(task) for task in tasks_in(records))
        gone = {run for run in named if self.has_forgotten(run)}
        return without(records, gone) if gone else records


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
