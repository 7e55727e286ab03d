"""The mistakes in a workflow file, collected so that a person can mend several at once, and what is merely untidy."""

import difflib
from collections.abc import Iterable

from roost.model.errors import InvalidInput

#: How many mistakes are told at once; the rest often follow from the first.
PROBLEMS_SHOWN = 5
#: How many warnings are.
WARNINGS_SHOWN = 20


class Problems:
    """Mistakes by line. Readers add what they find and go on with a harmless value; ``stop_if_any`` ends it.

    Warnings are of what can run and may not be what was meant; they stop nothing.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._found: list[tuple[int, str]] = []
        self._warned: dict[tuple[int, str], None] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, line: int, sentence: str) -> None:
        if (line, sentence) not in self._found[-PROBLEMS_SHOWN:]:
            self._found.append((line, sentence))

    def warn(self, line: int, sentence: str) -> None:
        self._warned[line, sentence] = None

    @property
    def warnings(self) -> list[str]:
        """The first few warnings in the order of their lines, one sentence each, and how many more there are."""
        told = [located(self.name, line, sentence) for line, sentence in sorted(self._warned)[:WARNINGS_SHOWN]]
        rest = len(self._warned) - len(told)
        return [*told, f"... and {rest:,} more like these"] if rest else told

    def take(self, other: "Problems") -> None:
        self._found += other._found
        self._warned |= other._warned

    def stop_if_any(self) -> None:
        """Raise InvalidInput with the first few mistakes in the order of their lines, one sentence a line."""
        if not self._found:
            return
        told = [located(self.name, line, sentence) for line, sentence in sorted(self._found)[:PROBLEMS_SHOWN]]
        rest = len(self._found) - len(told)
        if rest:
            told.append(f"... and {rest:,} more like these")
        raise InvalidInput("\n".join(told))


def located(name: str, line: int, sentence: str) -> str:
    return f"{name}:{line}: {sentence}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return '; did you mean X?' for the nearest of ``known``, or nothing if none is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def shown(text: str, limit: int = 60) -> str:
    """Return ``text`` in quotes, on one line and cut, for use inside a sentence."""
    line = " ".join(text.split())
    return f"'{line[: limit - 1]}…'" if len(line) > limit else f"'{line}'"
