"""A DAX document to a submission."""

from pathlib import Path

from roost.languages.dax.parsing import DaxParser
from roost.languages.outline import Reading
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.trace import Place, TraceProblems
from roost.languages.trace_reading import trace_reading


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
    problems = TraceProblems(to_run=to_run)
    parser = DaxParser(problems)
    trace = parser.parse(data, name)

    def locate(places: list[Place]) -> list[int]:
        return [parser.lines.get(place, parser.lines.get((place[0], "id", 0), 1)) for place in places]

    return trace_reading(trace, problems, name, locate, folder, simulation)
