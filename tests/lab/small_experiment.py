"""A small experiment for tests: squares of numbers, one of which is measured if that is asked for."""

import msgspec

from roost.lab.catalogue import Entry
from roost.lab.experiment import Cell, Experiment, Report, Results, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.model.errors import InvalidInput


class Number(msgspec.Struct, frozen=True):
    value: int
    seed: int


class Square(msgspec.Struct, frozen=True):
    value: int
    runs: int


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    up_to: int = 4
    factor: float = 1.0
    names: tuple[str, ...] = ("a",)


RUNS = [0]


def square(number: Number) -> Square:
    RUNS[0] += 1
    return Square(number.value**2, RUNS[0])


def refuse(number: Number) -> Square:
    raise InvalidInput(f"{number.value} cannot be squared")


def cells_of(parameters: Parameters, seed: int) -> list[Cell[Square]]:
    return [Cell(f"square of {value}", square, Number(value, seed)) for value in range(parameters.up_to)]


def report_of(parameters: Parameters, seed: int, results: Results) -> Report:
    squares = [results.of(cell).value for cell in cells_of(parameters, seed)]
    rows = [
        Row(what=f"{at} squared", published=float(at * at), reproduced=float(found), tolerance=0.1, unit="m²")
        for at, found in enumerate(squares)
    ]
    rows.append(Row(what="nobody knows", published=None, reproduced=1.5, error=0.2))
    rows.append(Row(what="<b>differs</b>", published=10.0, reproduced=1.0, tolerance=1.0, reading="the other | one"))
    series = Series(name="squares", kind="line", x=tuple(range(len(squares))), y=tuple(map(float, squares)))
    panel = Panel(title="all", x=Axis("number"), y=Axis("square", is_log=True), series=(series,))
    return Report(
        rows=tuple(rows),
        figures=(Figure(title="Squares </script>", panels=(panel,)),),
        tables=(Table(title="Roots", columns=("of", "root"), rows=(("four", 2.0),)),),
        findings=("Squares grow.",),
    )


EXPERIMENT = Experiment(
    about="Squares of small numbers.",
    full=Parameters(),
    quick=Parameters(up_to=2),
    cells=cells_of,
    report=report_of,
)
ENTRY = Entry("small", "TEST", "1.2", "Squares")
