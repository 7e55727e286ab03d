"""The port of experiments: what each of them says of itself, what it runs, and what comes out.

An experiment is a file in experiments/ with a constant EXPERIMENT; its name and section stand in catalogue.py.

Rules
- What takes time is done in cells. A cell is one call of a function of a module with one argument, a struct of plain
  values that holds its seed as well; its result is of the type that the function's annotation names, so that it can be
  kept on disk. So cells run side by side, are kept by what they are asked, and one that several experiments have in
  common is run once. A cell takes seconds: what is done is kept when somebody has enough.
- The same cell gives the same result in any process: nothing but its argument decides, and no time of the clock does.
  Where that cannot be (a measurement of this machine), ``is_measured`` says so, and it is never kept.
- A report is made of results alone, quickly, and says of each figure which reading of the document it is.
- Published figures are compared by tolerances that are stated, and stand where they do not hold as well.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from roost.lab.figure import Figure

#: Parameters of an experiment: a frozen struct, whose fields have words as names and numbers or words as values.
P = TypeVar("P", bound=msgspec.Struct)
R = TypeVar("R")
#: What parameters may be, so that what a person sets (``--set``) is refused in a sentence.
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
Positive: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
NotNegative: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]


class Cell(NamedTuple, Generic[R]):
    """A part of an experiment that is run by itself."""

    #: What is shown while it runs.
    label: str
    call: Callable[..., R]
    argument: msgspec.Struct
    #: How long it takes compared with the others, for the time that is left.
    cost: float = 1.0
    #: Whether it measures this machine, so that the next time something else comes out.
    is_measured: bool = False


class Results(Protocol):
    def of(self, cell: Cell[R]) -> R:
        """Return what came out of a cell."""
        ...


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One figure: what the document says, and what came out here."""

    what: str
    #: None if the document has none; words where it has no number.
    published: float | str | None
    reproduced: float | str | None
    unit: str = ""
    #: By how much the two may differ and still be called the same, in the same unit.
    tolerance: float | None = None
    #: Half of the interval of 95 % around what came out, where it is an average.
    error: float | None = None
    #: Which reading of the document this is, if there are several; or why it does not hold.
    reading: str = ""

    @property
    def difference(self) -> float | None:
        if isinstance(self.published, float | int) and isinstance(self.reproduced, float | int):
            return self.reproduced - self.published
        return None

    @property
    def holds(self) -> bool | None:
        """Whether what was published came out; None if nobody said when it does."""
        if self.tolerance is None or self.difference is None:
            return None
        return abs(self.difference) <= self.tolerance


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown beside the rows, as the document lays it out or as a reader needs it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[float | str, ...], ...]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    rows: tuple[Row, ...]
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    #: What was found, in paragraphs: readings, what does not hold and why.
    findings: tuple[str, ...] = ()


class Experiment(NamedTuple, Generic[P]):
    #: What is asked, how, and with which parameters of the document, in two or three sentences.
    about: str
    #: The parameters of the document, and smaller ones that take seconds.
    full: P
    quick: P
    #: Returns what has to be run, in the order in which it is done; the seed is a person's choice.
    cells: Callable[[P, int], Sequence[Cell[Any]]]
    report: Callable[[P, int, Results], Report]
