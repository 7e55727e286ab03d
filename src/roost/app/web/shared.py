"""What the tasks of a submission have in common, said once: a hundred thousand of them repeat one environment.

A task names an entry of the submission's ``environments`` or ``codes`` by its number, from 0. So a request stays small,
and what the node keeps is one value for all who name it.
"""

from roost.app.web.requests import Submission
from roost.model.errors import InvalidInput

#: Longer texts are seldom said twice.
_WORD_LENGTH = 16


class Shared:
    """The tables of one submission; without one, tasks can name no entries."""

    def __init__(self, submission: Submission | None = None) -> None:
        self._environments = [] if submission is None else submission.environments
        self._codes = [] if submission is None else submission.codes
        self._last: dict[str, str] = {}
        self._words: dict[str, str] = {}

    def word(self, text: str) -> str:
        """Return a short text as the one object that all tasks have which say it: a shell, an option, a port."""
        return self._words.setdefault(text, text) if len(text) <= _WORD_LENGTH else text

    def environment(self, asked: dict[str, str] | int) -> dict[str, str]:
        """Return the variables that are meant; tasks that follow each other and repeat them get the same object."""
        if isinstance(asked, int):
            if asked >= len(self._environments):
                raise InvalidInput(_beyond("command.env", asked, "environments", len(self._environments)))
            return self._environments[asked]
        if asked != self._last:
            self._last = asked
        return self._last

    def code(self, asked: str | int) -> str:
        """Return the source that is meant."""
        if isinstance(asked, str):
            return asked
        if asked >= len(self._codes):
            raise InvalidInput(_beyond("script.code", asked, "codes", len(self._codes)))
        return self._codes[asked]


def _beyond(field: str, number: int, table: str, count: int) -> str:
    return f"field '{field}': it names number {number}, counted from 0, but '{table}' has {count:,} entries"
