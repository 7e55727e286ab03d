"""The mistakes in a workflow file, collected so that a person can mend several at once, and what is merely untidy."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from roost.model.errors import InvalidInput
from roost.model.limits import FLOW_BYTES_MAX

#: A workflow may be spread over several files. Line n of the k-th file has the number k * FILE_LINES + n, so that one
#: number says where something stands; no file has so many lines.
FILE_LINES = 2 * FLOW_BYTES_MAX
#: How many mistakes are told at once; the rest often follow from the first.
PROBLEMS_SHOWN = 5
#: How many warnings are.
WARNINGS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the workflow: how people know it, and where names in it begin."""

    name: str
    folder: Path


class Problems:
    """Mistakes by line. Readers add what they find and go on with a harmless value; ``stop_if_any`` ends it.

    Warnings are of what can run and may not be what was meant; they stop nothing.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.name = name
        self.files = [SourceFile(name, folder or Path())]
        self._found: list[tuple[int, str]] = []
        self._warned: dict[tuple[int, str], None] = {}

    def begin_file(self, file: SourceFile) -> int:
        """Take one more file; return what is added to its own line numbers."""
        self.files.append(file)
        return (len(self.files) - 1) * FILE_LINES

    def file_at(self, line: int) -> SourceFile:
        return self.files[line // FILE_LINES]

    def is_first(self, line: int) -> bool:
        """Whether a line stands in the file that was read first."""
        return line < FILE_LINES

    def __len__(self) -> int:
        """How many mistakes there are."""
        return len(self._found)

    def add(self, line: int, sentence: str) -> None:
        if (line, sentence) not in self._found[-PROBLEMS_SHOWN:]:
            self._found.append((line, sentence))

    def warn(self, line: int, sentence: str) -> None:
        self._warned[line, sentence] = None

    @property
    def warnings(self) -> list[str]:
        """The first few warnings in the order of their lines, one sentence each, and how many more there are."""
        told = [self._located(line, sentence) for line, sentence in sorted(self._warned)[:WARNINGS_SHOWN]]
        rest = len(self._warned) - len(told)
        return [*told, f"... and {rest:,} more like these"] if rest else told

    def stop_if_any(self) -> None:
        """Raise InvalidInput with the first few mistakes in the order of their lines, one sentence a line."""
        if not self._found:
            return
        told = [self._located(line, sentence) for line, sentence in sorted(self._found)[:PROBLEMS_SHOWN]]
        rest = len(self._found) - len(told)
        if rest:
            told.append(f"... and {rest:,} more like these")
        raise InvalidInput("\n".join(told))

    def _located(self, line: int, sentence: str) -> str:
        # Other languages have files of any length, and only one.
        if len(self.files) == 1:
            return located(self.name, line, sentence)
        return located(self.file_at(line).name, line % FILE_LINES, sentence)


def located(name: str, line: int, sentence: str) -> str:
    return f"{name}:{line}: {sentence}"


#: Signs that people take for each other.
_LOOKALIKES = str.maketrans("lIiOo-", "11100_")
#: How many names that are equally near are looked at.
_ALIKE_MAX = 50


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return '; did you mean X?' for the nearest of ``known``, or nothing if none is near."""
    # Only here: a node checks forms with this module, and seldom finds a mistake.
    import difflib  # noqa: PLC0415 - see above

    candidates = list(known)
    near = difflib.get_close_matches(word, candidates, n=_ALIKE_MAX, cutoff=0.6)
    if not near:
        return ""
    # Of names that differ by one sign each, the one is meant in which that sign looks alike, or else the first.
    look, order = word.translate(_LOOKALIKES), {name: at for at, name in enumerate(candidates)}
    score = difflib.SequenceMatcher(None, near[0], word).ratio()
    equal = [name for name in near if difflib.SequenceMatcher(None, name, word).ratio() == score]
    meant = min(equal, key=lambda name: (name.translate(_LOOKALIKES) != look, order[name]))
    return f"; did you mean '{meant}'?"


def shown(text: str, limit: int = 60) -> str:
    """Return ``text`` in quotes, on one line and cut, for use inside a sentence."""
    line = " ".join(text.split())
    return f"'{line[: limit - 1]}…'" if len(line) > limit else f"'{line}'"
