"""What was recorded, read: the submission, its warnings, and where in the document its mistakes stand."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from roost.languages.outline import Reading
from roost.languages.problems import Problems
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.submission import trace_submission
from roost.languages.trace.trace import Place, Trace, TraceProblems

#: Finds the lines of several places of a document in one go.
Locate: TypeAlias = Callable[[list[Place]], list[int]]
#: Mistakes whose lines are looked up; the rest are like these.
_LOCATED_MAX = 1_000


def trace_reading(
    trace: Trace, problems: TraceProblems, name: str, locate: Locate, folder: Path | None, simulation: Simulation | None
) -> Reading:
    """Read a trace of the document ``name``; ``problems`` are what its reader has noted.

    ``folder`` is where files are that no task writes, this one if none is given. Raise InvalidInput with the lines of
    all mistakes.
    """
    submission: dict[str, Any] = {}
    warnings: list[str] = []
    if not problems:
        where = (folder or Path.cwd()).absolute()
        submission, warnings = trace_submission(trace, where, simulation, problems)
    told = _told(problems, name, locate)
    for line, sentence in _with_lines(problems.warnings(), locate):
        told.warn(line, sentence)
    warnings = [*told.warnings, *warnings]
    if problems.to_run:
        return Reading(submission, None, warnings)
    return Reading(submission, None, warnings, trace, partial(_replay, trace, name, locate))


def _replay(trace: Trace, name: str, locate: Locate) -> dict[str, Any]:
    """Return the submission of a replay. Raise InvalidInput if there can be none."""
    problems = TraceProblems()
    submission, _ = trace_submission(trace, Path.cwd(), Simulation(), problems)
    _told(problems, name, locate)
    return submission


def _told(problems: TraceProblems, name: str, locate: Locate) -> Problems:
    """Raise InvalidInput with the lines of what is wrong, if anything is."""
    told = Problems(name)
    for line, sentence in _with_lines(problems.found[:_LOCATED_MAX], locate):
        told.add(line, sentence)
    told.stop_if_any()
    return told


def _with_lines(noted: list[tuple[Place, str]], locate: Locate) -> Iterable[tuple[int, str]]:
    lines = locate([place for place, _ in noted]) if noted else []
    return zip(lines, (sentence for _, sentence in noted), strict=True)
