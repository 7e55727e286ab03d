from pathlib import Path
from typing import Any

from hypothesis import given

from roost.languages.trace.simulation import Simulation
from roost.languages.trace.submission import trace_submission
from roost.languages.trace.trace import Trace, TraceProblems, TraceTask
from roost.model.limits import TASKS_MAX
from tests.languages.flow.test_flow import check_as_the_node_does
from tests.languages.recorded import traces


def made(trace: Trace, simulation: Simulation | None = None) -> dict[str, Any]:
    problems = TraceProblems()
    submission, _ = trace_submission(trace, Path("/nowhere"), simulation, problems)
    assert problems.found == []
    return submission


def test_files_travel_over_edges_and_other_parents_are_only_waited_for() -> None:
    trace = Trace(
        "a  name",
        [
            TraceTask("a:1", argv=["x"], outputs=["v.yml", "w #1"]),
            TraceTask("b", argv=["y"]),
            TraceTask("c", argv=["z"], inputs=["v.yml", "w #1"], parents=["b", "a:1"]),
        ],
        None,
    )
    submission = made(trace)
    assert {**submission, "tasks": 0} == {"name": "a name", "kind": "flow", "cwd": None, "final": [], "tasks": 0}
    names = [task["name"] for task in submission["tasks"]]
    assert names == ["a_1", "b", "c"]
    assert submission["tasks"][2]["edges"] == [
        {"source": "b", "kind": "after"},
        {"source": "a_1", "kind": "broadcast", "port": "p0"},
    ]
    assert submission["tasks"][0]["command"]["outputs"] == {"v.yml": "v.yml", "w__1": "w #1"}
    argv = submission["tasks"][2]["command"]["argv"]
    assert argv[4:] == ["{needs.p0.v.yml}", "v.yml", "{needs.p0.w__1}", "w #1", "--", "z"]


def test_there_is_at_least_one_task_and_at_most_so_many() -> None:
    for count, told in ((0, "0"), (TASKS_MAX + 1, "200,001")):
        problems = TraceProblems()
        trace_submission(Trace("w", [TraceTask("a")] * count, None), Path("/"), None, problems)
        assert problems.found == [((0, "tasks", 0), f"the workflow has {told} tasks; use 1 to 200,000")]


def test_a_strange_name_is_left_out() -> None:
    assert made(Trace("\x00", [TraceTask("a", argv=["true"])], None))["name"] == "workflow"


@given(traces(recorded=True))
def test_whatever_was_recorded_is_accepted_by_the_node_as_placeholders(trace: Trace) -> None:
    check_as_the_node_does(made(trace, Simulation(0.1, 0.5)))


@given(traces(recorded=False))
def test_whatever_can_run_is_accepted_by_the_node(trace: Trace) -> None:
    check_as_the_node_does(made(trace))
