"""What the tasks of a submission have in common, said once: a hundred thousand of them repeat one environment.

A task names an entry of the submission's ``environments`` or ``codes`` by its number, from 0. So a request stays small,
and what the node keeps is one value for all who name it.
"""

from roost.api.requests import Submission
from roost.executors.template import Variables
from roost.model.errors import InvalidInput


class Shared:
    """The tables of one submission; without one, tasks can name no entries."""

    def __init__(self, submission: Submission | None = None) -> None:
        self._environments = [] if submission is None else submission.environments
        self._codes = [] if submission is None else submission.codes
        self._looked_at: dict[int, Variables] = {}
        self._last = Variables.of({})

    def variables(self, asked: dict[str, str] | int) -> Variables:
        """Return the variables that are meant; tasks that follow each other and repeat them get the same object."""
        if isinstance(asked, int):
            return self._looked_at.get(asked) or self._entry(asked)
        if asked != self._last.env:
            self._last = Variables.of(asked)
        return self._last

    def _entry(self, number: int) -> Variables:
        if number >= len(self._environments):
            raise InvalidInput(_beyond("command.env", number, "environments", len(self._environments)))
        self._looked_at[number] = Variables.of(self._environments[number])
        return self._looked_at[number]

    def code(self, asked: str | int) -> str:
        """Return the source that is meant."""
        if isinstance(asked, str):
            return asked
        if asked >= len(self._codes):
            raise InvalidInput(_beyond("script.code", asked, "codes", len(self._codes)))
        return self._codes[asked]


def _beyond(field: str, number: int, table: str, count: int) -> str:
    return f"field '{field}': it names number {number}, counted from 0, but '{table}' has {count:,} entries"
