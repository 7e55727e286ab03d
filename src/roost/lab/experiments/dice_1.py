"""DICE's first experiment: 4 devices and 128 tasks, all handed in by one device, with and without loss."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any, Final, TypeVar

import msgspec

from roost.lab.experiment import Cell, Count, Experiment, Report, Results, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.meshes.neighbourhood import Collaboration, Neighbourhood, collaborate
from roost.lab.office.devices import Shared
from roost.lab.office.sharing import Sharing, share

R = TypeVar("R", Shared, Collaboration)

LOSSES: Final = (0.0, 0.01, 0.05, 0.1, 0.2)
#: The slides do not say how long a task takes.
LENGTHS_S: Final = (1.0, 10.0)
DEVICES: Final = 4
SHARES: Final = (128,)


class Parameters(msgspec.Struct, frozen=True):
    #: Runs of each case with chances of their own.
    seeds: Count
    #: Whether tasks of 10 s are tried beside those of 1 s.
    has_long: bool
    #: Whether tasks are handed in as arrays, too, which is how Roost wants like ones.
    has_arrays: bool


class Setup(msgspec.Struct, frozen=True):
    """How many devices there are, and what the first of them hand in."""

    devices: int
    shares: tuple[int, ...]

    @property
    def tasks(self) -> int:
        return sum(self.shares)


class Case(msgspec.Struct, frozen=True):
    length_s: float
    loss: float


SETUP: Final = Setup(DEVICES, SHARES)


def cases(parameters: Parameters) -> list[Case]:
    lengths = LENGTHS_S if parameters.has_long else LENGTHS_S[:1]
    return [Case(length_s, loss) for length_s in lengths for loss in LOSSES]


def of_dice(setup: Setup, case: Case, seed: int) -> Cell[Shared]:
    asked = Sharing(setup.devices, setup.shares, case.length_s, case.loss, seed)
    return Cell(f"DICE's protocol, {case.length_s:g} s, loss {case.loss:.0%}", share, asked, 0.03)


def of_roost(setup: Setup, case: Case, seed: int, *, as_array: bool = False) -> Cell[Collaboration]:
    asked = Neighbourhood(setup.devices, setup.shares, case.length_s, case.loss, as_array, seed)
    what = "as an array" if as_array else "as single tasks"
    cost = (0.4 + 0.05 * case.length_s) * setup.devices / 4
    return Cell(
        f"a mesh of {setup.devices}, {what}, {case.length_s:g} s, loss {case.loss:.0%}", collaborate, asked, cost
    )


def cells_of(setup: Setup, parameters: Parameters, seed: int) -> Sequence[Cell[Any]]:
    wanted: list[Cell[Any]] = []
    for case in cases(parameters):
        for run in range(seed, seed + parameters.seeds):
            wanted += [of_dice(setup, case, run), of_roost(setup, case, run)]
            if is_array_too(parameters, case):
                wanted.append(of_roost(setup, case, run, as_array=True))
    return wanted


def is_array_too(parameters: Parameters, case: Case) -> bool:
    """Whether what a device hands in is also tried as one array."""
    return parameters.has_arrays and case.length_s == LENGTHS_S[0]


class Outcomes:
    """The averages over all seeds of a case."""

    def __init__(self, setup: Setup, parameters: Parameters, seed: int, results: Results) -> None:
        runs = range(seed, seed + parameters.seeds)
        self.cases = cases(parameters)
        self.dice = {case: [results.of(of_dice(setup, case, run)) for run in runs] for case in self.cases}
        self.roost = {case: [results.of(of_roost(setup, case, run)) for run in runs] for case in self.cases}
        self.arrays = {
            case: [results.of(of_roost(setup, case, run, as_array=True)) for run in runs]
            for case in self.cases
            if is_array_too(parameters, case)
        }


def report_of(setup: Setup, parameters: Parameters, seed: int, results: Results) -> Report:
    outcomes = Outcomes(setup, parameters, seed, results)
    return Report(
        rows=tuple(row for case in outcomes.cases for row in _rows(setup, case, outcomes)),
        figures=tuple(
            _figure(setup, length_s, outcomes) for length_s in sorted({one.length_s for one in outcomes.cases})
        ),
        tables=(_table(setup, outcomes),),
        findings=_findings(setup, outcomes),
    )


def _rows(setup: Setup, case: Case, outcomes: Outcomes) -> list[Row]:
    where = f"tasks of {case.length_s:g} s, loss {case.loss:.0%}"
    dice, roost = outcomes.dice[case], outcomes.roost[case]
    values = [
        ("executions of a task, DICE's protocol", fmean(one.begun for one in dice) / setup.tasks, ""),
        ("executions of a task, Roost", fmean(one.begun for one in roost) / setup.tasks, ""),
        ("messages, DICE's protocol", fmean(one.messages for one in dice), ""),
        ("messages, Roost", fmean(one.messages for one in roost), ""),
        ("bytes, Roost", fmean(one.bytes for one in roost), "B"),
        ("make-span, DICE's protocol", fmean(one.make_span_s for one in dice), "s"),
        ("make-span, Roost", fmean(one.make_span_s for one in roost), "s"),
    ]
    if case in outcomes.arrays:
        arrays = outcomes.arrays[case]
        values.append(("make-span, Roost, handed in as arrays", fmean(one.make_span_s for one in arrays), "s"))
    return [
        Row(
            what=f"{where}: {what}",
            published=None,
            reproduced=round(value, 3),
            unit=unit,
            reading="" if "make-span" not in what else f"shared out evenly it takes {_ideal(setup, case):g} s",
        )
        for what, value, unit in values
    ]


def _ideal(setup: Setup, case: Case) -> float:
    return -(-setup.tasks // setup.devices) * case.length_s


def _table(setup: Setup, outcomes: Outcomes) -> Table:
    rows: list[tuple[float | str, ...]] = []
    for case in outcomes.cases:
        for name, runs in (("DICE", outcomes.dice[case]), ("Roost", outcomes.roost[case])):
            rows.append(
                (
                    case.length_s,
                    f"{case.loss:.0%}",
                    name,
                    round(fmean(one.begun for one in runs) / setup.tasks, 3),
                    round(fmean(one.repeated for one in runs), 1),
                    round(fmean(one.messages for one in runs)),
                    round(fmean(one.copies for one in runs)),
                    round(fmean(one.make_span_s for one in runs), 1),
                    _ideal(setup, case),
                )
            )
    heads = ("length, s", "loss", "protocol", "executions of a task", "tasks that ended twice", "messages", "copies")
    return Table(
        title="Both protocols at the same loss", columns=(*heads, "make-span, s", "ideal, s"), rows=tuple(rows)
    )


def _figure(setup: Setup, length_s: float, outcomes: Outcomes) -> Figure:
    there = [case for case in outcomes.cases if case.length_s == length_s]
    losses = tuple(100 * case.loss for case in there)
    x = Axis("messages that are lost, %")

    def panel(title: str, dice: Sequence[float], roost: Sequence[float], least: float | None = None) -> Panel:
        series = [
            Series(name="DICE's protocol", kind="line and points", x=losses, y=tuple(dice)),
            Series(name="Roost", kind="line and points", x=losses, y=tuple(roost)),
        ]
        if least is not None:
            even = (least,) * len(losses)
            series.append(Series(name="shared out evenly", kind="line", x=losses, y=even, is_reference=True))
        return Panel(title=title, x=x, y=Axis(title), series=tuple(series))

    dice, roost = [outcomes.dice[case] for case in there], [outcomes.roost[case] for case in there]
    panels = (
        panel(
            "executions of a task",
            [fmean(one.begun for one in runs) / setup.tasks for runs in dice],
            [fmean(one.begun for one in runs) / setup.tasks for runs in roost],
            1.0,
        ),
        panel(
            "messages",
            [fmean(one.messages for one in runs) for runs in dice],
            [fmean(one.messages for one in runs) for runs in roost],
        ),
        panel(
            "make-span, s",
            [fmean(one.make_span_s for one in runs) for runs in dice],
            [fmean(one.make_span_s for one in runs) for runs in roost],
            _ideal(setup, there[0]),
        ),
    )
    title = f"{setup.tasks} tasks of {length_s:g} s on {setup.devices} devices"
    return Figure(title=title, panels=panels, columns=3)


def _findings(setup: Setup, outcomes: Outcomes) -> tuple[str, ...]:
    calm, rough = outcomes.cases[0], outcomes.cases[len(LOSSES) - 1]

    def repeats(runs: Sequence[R]) -> str:
        return f"{fmean(one.begun for one in runs) / setup.tasks:.3f}"

    return (
        (
            "The slides have their results as pictures, which are not in the text, and say that there were still some "
            "bugs in what gave them; so nothing stands as published. They do not say how long a task takes, how long "
            "the window is, how often RUNNING comes and after which silence a task has failed: 1 s and 10 s, 50 ms, 1 "
            "s and 5 s here."
        ),
        (
            f"Without loss a task is begun {repeats(outcomes.dice[calm])} times in DICE's protocol and "
            f"{repeats(outcomes.roost[calm])} times in Roost; with {rough.loss:.0%} of all messages lost "
            f"{repeats(outcomes.dice[rough])} and {repeats(outcomes.roost[rough])} times. In DICE a device that has "
            "missed a DONE takes the task for failed after a while and runs it again, and all who hear its FAILED do "
            "as well; nothing on the slides repairs that. Roost's digests show what was missed, and an element whose "
            "result is accepted is not begun again."
        ),
        (
            "Messages cannot be compared one to one: DICE's carry one task, Roost's have heartbeats for each of the "
            "nodes of a ring twice a second among them, whether there is work or not, and results travel to a second "
            "disk."
        ),
    )


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[Any]]:
    return cells_of(SETUP, parameters, seed)


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    return report_of(SETUP, parameters, seed, results)


EXPERIMENT = Experiment(
    about=(
        "One of four devices hands in 128 tasks at once, and every message is lost with a probability of 0, 1, 5, 10 "
        "and 20 %. DICE's protocol is simulated as its slides describe it, beside meshes of Roost's own nodes: how "
        "often tasks are executed, what is said, and when all has ended."
    ),
    full=Parameters(seeds=10, has_long=True, has_arrays=True),
    quick=Parameters(seeds=1, has_long=False, has_arrays=False),
    cells=cells,
    report=report,
)
