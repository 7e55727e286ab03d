from pathlib import Path

import pytest

from roost.languages.trace.simulation import Simulation
from roost.languages.trace.trace import Place, Trace, TraceProblems, TraceTask
from roost.languages.trace_reading import trace_reading
from roost.model.errors import InvalidInput


def lines(places: list[Place]) -> list[int]:
    return [10 * at + number for at, _, number in places]


def one_task(seconds: float | None = 1.0) -> Trace:
    return Trace("w", [TraceTask("a", argv=["true"], inputs=["x", "y"], seconds=seconds)], None)


def test_mistakes_are_told_with_the_lines_of_their_places() -> None:
    with pytest.raises(InvalidInput) as caught:
        trace_reading(one_task(), TraceProblems(), "w.json", lines, Path("/nowhere"), None)
    assert [told[:16] for told in str(caught.value).splitlines()] == ["w.json:0: 'x', w", "w.json:1: 'y', w"]


def test_what_the_reader_has_noted_is_told_alone() -> None:
    problems = TraceProblems()
    problems.add((2, "id", 0), "this is wrong")
    with pytest.raises(InvalidInput, match=r"^w\.json:20: this is wrong$"):
        trace_reading(one_task(), problems, "w.json", lines, Path("/nowhere"), None)


def test_who_only_looks_gets_warnings_the_trace_and_its_replay() -> None:
    trace = one_task()
    reading = trace_reading(trace, TraceProblems(to_run=False), "w.json", lines, Path("/nowhere"), None)
    assert [told[:9] for told in reading.warnings] == ["w.json:0:"]
    assert reading.trace is trace
    simulated = trace_reading(trace, TraceProblems(), "w.json", lines, None, Simulation())
    assert (reading.replay, simulated.replay) == (simulated.submission, None)


def test_what_cannot_be_replayed_is_told_when_the_replay_is_wanted() -> None:
    reading = trace_reading(one_task(-4), TraceProblems(to_run=False), "w.json", lines, Path("/nowhere"), None)
    with pytest.raises(InvalidInput, match=r"^w\.json:0: task 'a' would take -4 seconds"):
        assert reading.replay
