"""Forgotten runs: which runs of the cluster are forgotten, or are about to be, and what counts of what is said of them.

When a run is forgotten, and how that is written, is decided in core/tombstones.py.
"""

from collections.abc import Iterable

import msgspec

from roost.core.mesh.anti_entropy.digests import Digests
from roost.core.turn import Turn
from roost.model.ids import RunId, TaskId, run_of
from roost.model.limits import TOMBSTONES_MAX
from roost.model.record import RunRecord
from roost.model.tombstones import Tombstone
from roost.wire.messages import Audit, Delivery, Facts, Keep, Message


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

    def sift(self, message: Message) -> Message:
        """Return what counts of what another node says: nothing of forgotten runs, unless one of them is back.

        What it wants kept of them is merged and not kept: it is told of the tombstone, and wants it no longer.
        """
        if self.is_empty or not isinstance(message, Facts | Keep | Audit | Delivery):
            return message
        facts = facts_of(message)
        back = tuple(map(self._return, facts.runs))
        if back != facts.runs:
            facts = msgspec.structs.replace(facts, runs=back)
            message = facts if isinstance(message, Facts | Delivery) else msgspec.structs.replace(message, facts=facts)
        named = {record.spec.id for record in facts.runs}
        named.update(run_of(task) for task in tasks_in(facts))
        if isinstance(message, Keep):
            named.update(run_of(task) for task, _ in message.offers)
        elif isinstance(message, Audit):
            named.update(run_of(held.task) for held in message.holding)
        gone = {run for run in named if self.has_forgotten(run)}
        return without(facts, gone) if gone else message

    def _return(self, record: RunRecord) -> RunRecord:
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


def facts_of(message: Facts | Keep | Audit | Delivery) -> Facts:
    """Return what is to be merged of a message."""
    match message:
        case Facts():
            return message
        case Delivery():
            return message.facts()
        case Keep(facts=facts) | Audit(facts=facts):
            return facts


def tasks_in(facts: Facts) -> list[TaskId]:
    """Return all tasks that facts name."""
    return [
        *(spec.id for spec in facts.tasks),
        *(part[0] for part in facts.states),
        *(part[0] for part in facts.failures),
        *(part[0] for part in facts.items),
        *(part[0] for part in facts.results),
        *(part.task for part in facts.handed),
    ]


def without(facts: Facts, gone: set[RunId]) -> Facts:
    """Return facts with nothing of these runs."""

    def stays(task: TaskId) -> bool:
        return run_of(task) not in gone

    return msgspec.structs.replace(
        facts,
        runs=tuple(record for record in facts.runs if record.spec.id not in gone),
        tasks=tuple(spec for spec in facts.tasks if stays(spec.id)),
        states=tuple(part for part in facts.states if stays(part[0])),
        failures=tuple(part for part in facts.failures if stays(part[0])),
        items=tuple(part for part in facts.items if stays(part[0])),
        results=tuple(part for part in facts.results if stays(part[0])),
        handed=tuple(part for part in facts.handed if stays(part.task)),
    )
