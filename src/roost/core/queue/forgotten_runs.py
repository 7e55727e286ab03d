"""Forgotten runs: which runs of the cluster are forgotten, or are about to be.

When a run is forgotten, and how that is written, is decided in core/tombstones.py.
"""

from collections.abc import Iterable

from roost.core.queue.digests import Digests
from roost.core.turn import Turn
from roost.model.ids import RunId
from roost.model.limits import TOMBSTONES_MAX
from roost.model.record import RunRecord
from roost.model.tombstones import Tombstone


class ForgottenRuns:
    def __init__(self, turn: Turn, digests: Digests) -> None:
        self._turn = turn
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

    def let_return(self, record: RunRecord) -> RunRecord:
        """Let a run come back that was set to work again; return its record, with that if it was forgotten."""
        run = record.spec.id
        heard = self.heard.get(run)
        if heard is not None and not heard.hides(record.touched):
            del self.heard[run]
        tombstone = self._buried.get(run)
        if tombstone is None or tombstone.hides(record.touched):
            return record
        self.lift(run)
        return record.merge(RunRecord(record.spec, returned=(self._turn.stamp(),)))
