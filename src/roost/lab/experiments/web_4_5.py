"""web-4.5: WEB's two tests on real engines (WEB 4.4 and 4.5)."""

from typing import Any

import msgspec

from roost.lab.experiment import Cell, Experiment, Report, Results
from roost.lab.scripts import asking
from roost.lab.scripts.engines import target_of
from roost.lab.scripts.figures import figures
from roost.lab.scripts.findings import findings
from roost.lab.scripts.measuring import Measure, Measured, measure
from roost.lab.scripts.native import MeasureNative, Native, measure_native
from roost.lab.scripts.outcome import Outcome
from roost.lab.scripts.rows import rows
from roost.lab.scripts.tables import tables


class Parameters(msgspec.Struct, frozen=True):
    #: Names of engines with spaces between them.
    engines: str
    #: The probe goes up to this sample size, as far as a job is expected to take no longer than ``limit_s``.
    largest_sample_size: int
    limit_s: float
    #: The best of so many counts.
    repetitions: int
    #: How long a job of the attained performance takes, and how many of them a worker runs.
    job_s: float
    jobs: int


def cells(parameters: Parameters, seed: int) -> list[Cell[Any]]:
    return [*_engines(parameters).values(), _native(parameters), *asking.cells(seed).values()]


def _engines(parameters: Parameters) -> dict[str, Cell[Measured]]:
    return {name: _engine(name, parameters) for name in parameters.engines.split()}


def _engine(name: str, parameters: Parameters) -> Cell[Measured]:
    argument = Measure(
        name,
        parameters.largest_sample_size,
        parameters.limit_s,
        parameters.repetitions,
        parameters.job_s,
        parameters.jobs,
    )
    cost = parameters.limit_s * parameters.repetitions + parameters.jobs * parameters.job_s
    return Cell(target_of(name).title, measure, argument, cost=cost, is_measured=True)


def _native(parameters: Parameters) -> Cell[Native]:
    argument = MeasureNative(parameters.repetitions, parameters.job_s / 2)
    return Cell("the same loops compiled", measure_native, argument, is_measured=True)


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    engines = {name: results.of(cell) for name, cell in _engines(parameters).items()}
    shares = {key: results.of(cell) for key, cell in asking.cells(seed).items()}
    outcome = Outcome(engines, results.of(_native(parameters)), shares)
    return Report(rows=rows(outcome), figures=figures(outcome), tables=tables(outcome), findings=findings(outcome))


EXPERIMENT = Experiment(
    about="How long must a job be so that the start of its worker is small, and how many floating point operations a"
    " second do JavaScript engines attain? WEB's Pi-Approximation Test and Attained Performance Test as JavaScript"
    " jobs,"
    " in Roost's own script worker, Node.js, Deno, Chromium and Firefox, as far as they are on this machine.",
    full=Parameters(
        engines="roost roost-living node deno chromium firefox webgpu",
        largest_sample_size=1_000_000_000,
        limit_s=20.0,
        repetitions=3,
        job_s=1.0,
        jobs=8,
    ),
    quick=Parameters(
        engines="roost roost-living node chromium",
        largest_sample_size=5_000_000,
        limit_s=0.3,
        repetitions=2,
        job_s=0.03,
        jobs=2,
    ),
    cells=cells,
    report=report,
)
