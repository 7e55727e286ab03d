from typing import Any

import msgspec
import pytest

from roost.languages.trace.recorded import recorded_of
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.trace import Trace, TraceProblems, TraceTask
from roost.languages.wfformat.document import OldDocument
from roost.languages.wfformat.old_traces import old_trace
from roost.languages.wfformat.reader import read_wfformat
from roost.model.errors import InvalidInput
from roost.model.recorded import Replayed
from tests.languages.recorded import written


def old(**second: Any) -> dict[str, Any]:
    make = {
        "name": "make_ID1", "id": "ID1", "type": "compute", "runtimeInSeconds": 1.5, "cores": 2,
        "command": {"program": "make", "arguments": ["-n 3"]},
        "files": [
            {"name": "made", "link": "output", "sizeInBytes": 7}, {"name": "in", "link": "input", "sizeInBytes": 3},
        ],
    }  # fmt: skip
    count = {
        "name": "count_ID2", "id": "ID2", "parents": ["make_ID1"], "runtime": 2,
        "files": [{"name": "made", "path": "", "link": "input", "size": 7}],
    }  # fmt: skip
    workflow = {"makespanInSeconds": 4, "executedAt": "x", "tasks": [make, count | second]}
    return {"name": "old", "schemaVersion": "1.4", "workflow": workflow}


def trace_of(document: dict[str, Any]) -> Trace:
    problems = TraceProblems()
    trace = old_trace(msgspec.convert(document, OldDocument), problems, commands=True)
    assert problems.found == []
    return trace


def test_one_list_of_tasks_becomes_a_trace() -> None:
    assert trace_of(old()) == Trace(
        "old",
        [
            TraceTask("make_ID1", "make_ID1", ["make", "-n", "3"], ["in"], ["made"], [], 1.5, 2),
            TraceTask("count_ID2", "count_ID2", None, ["made"], [], ["make_ID1"], 2),
        ],
        {"made": 7, "in": 3},
    )


def test_a_negative_size_counts_as_not_recorded() -> None:
    document = msgspec.convert(old(files=[{"name": "x", "link": "output", "sizeInBytes": -5}]), OldDocument)
    problems = TraceProblems()
    assert old_trace(document, problems, commands=True).sizes == {"made": 7, "in": 3}
    assert not problems
    assert [told for _, told in problems.warnings()] == ["the file 'x' has -5 bytes; its size counts as not recorded"]


def test_parents_are_named_by_name_or_id() -> None:
    assert trace_of(old(parents=["ID1"])).tasks[1].parents == ["make_ID1"]
    trace = trace_of(old(name="make_ID1", parents=["ID1"]))
    assert [(task.id, task.parents) for task in trace.tasks] == [("ID1", []), ("ID2", ["ID1"])]


def test_an_old_document_can_be_replayed() -> None:
    make, count = read_wfformat(written(old()), simulation=Simulation()).submission["tasks"]
    assert recorded_of(make["command"]) == Replayed(1.5, {"made": 7})
    assert count["edges"] == [{"source": "make_ID1", "kind": "broadcast", "port": "p0"}]


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"parents": ["gone"]}, "w.json:37: task 'count_ID2' has the parent 'gone', which is not in this file"),
        (
            {"files": [{"name": "x", "link": "both"}]},
            "w.json:41: the file 'x' has the link 'both'; write input or output",
        ),
        ({"files": [{"name": "x", "link": "input", "sizeInBytes": 1e300}]}, "w.json:41: the file 'x' has 1e+300 bytes"),
        ({"children": ["gone"]}, "w.json:49: task 'count_ID2' has the child 'gone', which is not in this file"),
        ({"children": ["make_ID1"]}, "w.json:8: these tasks wait for each other in a circle"),
    ],
)
def test_mistakes_are_told_with_their_lines(second: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_wfformat(written(old(**second)), "w.json", None, Simulation())
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"files": [{"name": "x", "link": "input"}]}, "w.json:41: task 'count_ID2' reads 'x', which no task writes"),
        ({"runtime": None}, "w.json:33: no runtime of task 'count_ID2' was recorded"),
    ],
)
def test_what_is_untidy_is_warned_of_with_its_line(second: dict[str, Any], told: str) -> None:
    (warning,) = read_wfformat(written(old(**second)), "w.json", None, Simulation()).warnings
    assert warning.startswith(told)


def test_links_of_files_may_have_capital_letters() -> None:
    make, _ = trace_of(old(files=[{"name": "made", "link": "INPUT"}])).tasks
    assert (make.inputs, make.outputs) == (["in"], ["made"])
    assert trace_of(old(files=[{"name": "made", "link": "Input"}])).tasks[1].inputs == ["made"]


def oldest() -> dict[str, Any]:
    """Return a document as 1.0 and 1.1 have it."""
    make = {
        "name": "make_ID1", "type": "compute", "runtime": 1.5, "arguments": ["-n", "3"],
        "files": [{"name": "made", "link": "output", "size": 7}],
    }  # fmt: skip
    count = {"name": "count_ID2", "parents": ["make_ID1"], "files": [{"name": "made", "link": "input", "size": 7}]}
    return {"name": "oldest", "schemaVersion": "1.1", "workflow": {"makespan": 4, "jobs": [make, count]}}


def test_the_oldest_documents_have_jobs_and_name_no_programs() -> None:
    make, count = trace_of(oldest()).tasks
    assert make == TraceTask("make_ID1", "make_ID1", ["make", "-n", "3"], [], ["made"], [], 1.5)
    assert (count.argv, count.inputs, count.parents) == (None, ["made"], ["make_ID1"])
    (warning,) = read_wfformat(written(oldest()), "w.json", None, Simulation()).warnings
    assert warning.startswith("w.json:23: no runtime of task 'count_ID2' was recorded")
