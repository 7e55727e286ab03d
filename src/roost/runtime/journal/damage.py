"""Damage: rows of the journal that are not what was written, and what that means.

Rules
- Data that is damaged (inputs, results, functions, why something failed) is taken out of the journal when it is found:
  from then on it is missing, and what is missing is taken from another node or made again (core/data/losses.py).
- A record that is damaged is refused to people, in a sentence. When another node speaks of the run, or a person acts on
  it, the rows that are left count, and the damaged ones are taken out; others fill the gap (queue/digests.py).
- What a run or a task was cannot be made again from what is left. Its damaged row stays until another node tells it
  again, so that nobody takes the run for one without it.
- A vote that is damaged stays: this node has no voice any more where it does not know what it said.
- Lines of stories, spans and keys that are damaged are passed over: they cost a piece of a picture, or work.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from roost.model.errors import Damaged
from roost.model.ids import BlobHash, RunId, TaskId, name_of, run_of
from roost.model.ranges import EMPTY, RangeSet

_DATA: Final = frozenset({"items", "results", "blobs", "failures"})


class Reading(StrEnum):
    """What becomes of a record that is damaged."""

    #: Whoever asks is told.
    STRICT = "strict"
    #: It is left out, and taken out of the journal.
    MENDING = "mending"


class Damage(NamedTuple):
    """A damaged row, what it held as far as is known, and whose."""

    table: str
    rowid: int
    what: str
    #: None for data of no run in particular.
    run: RunId | None
    task: TaskId | None = None
    ranges: RangeSet = EMPTY
    blob: BlobHash | None = None

    @property
    def is_data(self) -> bool:
        return self.table in _DATA

    @property
    def stays(self) -> bool:
        """Whether the row is left where it is, so that it is known later, too, that there was one."""
        return self.table in {"runs", "tasks", "votes"}

    @property
    def sentence(self) -> str:
        return f"{self.what} on this disk was damaged"

    def error(self) -> Damaged:
        if self.is_data or self.run is None:
            return Damaged(f"{self.sentence}; it is taken from another node that has it, or made again: ask again")
        if self.table in {"runs", "tasks"}:
            return Damaged(
                f"{self.what} on this disk is damaged, so nobody can tell here what it was; another node that knows "
                "the run tells it again when they meet; alone, hand the work in again"
            )
        return Damaged(
            f"{self.what} on this disk is damaged; another node that knows the run tells it again, and alone "
            f"'roost retry {self.run}' goes on with what is left"
        )


def of_task(task: TaskId) -> str:
    return f"of task '{name_of(task)}' of run {run_of(task)}"
