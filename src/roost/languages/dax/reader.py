"""A DAX document to a submission."""

from functools import partial
from pathlib import Path
from typing import Any

from roost.languages.dax.parsing import DaxParser
from roost.languages.outline import Reading
from roost.languages.outlining import outline_of
from roost.languages.problems import Problems
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.submission import trace_submission
from roost.languages.trace.trace import Place, Trace, TraceProblems


def read_dax(
    data: bytes,
    name: str = "workflow.dax",
    folder: Path | None = None,
    simulation: Simulation | None = None,
    *,
    to_run: bool = True,
) -> Reading:
    """Turn a document into a submission; ``folder`` is where files are that no job writes, this one if none is given.

    Raise InvalidInput with the lines of its mistakes. If it is not ``to_run``, what it lacks for that is a warning.
    """
    folder, problems = (folder or Path.cwd()).absolute(), TraceProblems(to_run=to_run)
    trace = DaxParser(problems).parse(data, name)
    submission: dict[str, Any] = {}
    warnings: list[str] = []
    if not problems:
        submission, warnings = trace_submission(trace, folder, simulation, problems)
    if problems or problems.warned:
        warnings = [*_told(problems, data, name), *warnings]
    if problems.to_run:
        return Reading(submission, partial(outline_of, submission), warnings)
    return Reading(submission, partial(outline_of, submission), warnings, trace, partial(_replay, trace, data, name))


def _replay(trace: Trace, data: bytes, name: str) -> dict[str, Any]:
    """Return the submission of a replay. Raise InvalidInput if there can be none."""
    problems = TraceProblems()
    submission, _ = trace_submission(trace, Path.cwd(), Simulation(), problems)
    if problems:
        _told(problems, data, name)
    return submission


def _told(problems: TraceProblems, data: bytes, name: str) -> list[str]:
    """Raise InvalidInput, or return the warnings; the document is read once more for the lines."""
    lines: dict[Place, int] = {}
    DaxParser(TraceProblems(), lines).parse(data, name)
    before = data[: len(data) - len(data.lstrip())].count(b"\n")

    def line_of(place: Place) -> int:
        return before + lines.get(place, lines.get((place[0], "id", 0), 1))

    located = Problems(name)
    for place, sentence in problems.found:
        located.add(line_of(place), sentence)
    located.stop_if_any()
    for place, sentence in problems.warnings():
        located.warn(line_of(place), sentence)
    return located.warnings
