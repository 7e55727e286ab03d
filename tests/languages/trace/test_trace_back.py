from pathlib import Path

from hypothesis import given

from roost.languages.trace.simulation import Simulation
from roost.languages.trace.submission import trace_submission
from roost.languages.trace.trace import Trace, TraceProblems, TraceTask
from roost.languages.trace.trace_back import trace_of
from tests.languages.recorded import traces


def back(trace: Trace, simulation: Simulation | None) -> Trace:
    problems = TraceProblems()
    submission, _ = trace_submission(trace, Path("/nowhere"), simulation, problems)
    assert problems.found == []
    return trace_of(submission)


def alike(trace: Trace) -> Trace:
    """Return a trace without what may differ: a parent that hands files over comes in another order."""
    for task in trace.tasks:
        task.parents.sort()
        task.inputs.sort()
    return trace


@given(traces(recorded=True))
def test_a_replay_knows_what_was_recorded(trace: Trace) -> None:
    assert alike(back(trace, Simulation())) == alike(trace)


@given(traces(recorded=False))
def test_programs_are_known_again(trace: Trace) -> None:
    assert alike(back(trace, None)) == alike(trace)


def test_files_of_one_name_are_told_apart() -> None:
    outputs = {"command": {"argv": ["x"], "outputs": {"v": "v.yml"}}}
    trace = trace_of({"tasks": [{"name": "a", **outputs}, {"name": "b", **outputs}]})
    assert [task.outputs for task in trace.tasks] == [["a/v.yml"], ["b/v.yml"]]


def test_what_is_run_as_it_is_took_as_long_as_its_task_states() -> None:
    trace = Trace("w", [TraceTask("a", argv=["true"], seconds=12.5)], None)
    assert back(trace, None).tasks[0].seconds == 12.5


def test_functions_have_no_command() -> None:
    trace = trace_of({"name": "w", "tasks": [{"name": "f", "function": {"call": "json:dumps"}}]})
    assert (trace.name, trace.tasks[0].argv, trace.tasks[0].seconds) == ("w", None, None)
