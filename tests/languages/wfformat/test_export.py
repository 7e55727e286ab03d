from typing import Any

import pytest
from msgspec import convert

from roost.languages.trace.simulation import Simulation
from roost.languages.wfformat.document import Command
from roost.languages.wfformat.export import export_run
from roost.languages.wfformat.reader import read_wfformat
from roost.languages.wfformat.words import argv_of
from roost.model.errors import InvalidInput
from tests.languages.recorded import written


def step(
    name: str, ranges: dict[str, str], *edges: tuple[str, str, str], what: str = "true", **more: Any
) -> dict[str, Any]:
    return {
        "task": f"5-kedova/{name}",
        "name": name,
        "kind": "command",
        "what": what,
        "ranges": ranges,
        "edges": [{"source": f"5-kedova/{source}", "kind": kind, "port": port} for source, kind, port in edges],
        "cpus": 1.0,
        "parts": 1,
        **more,
    }


def run(*steps: dict[str, Any], finished_at: float | None = 1012.5) -> dict[str, Any]:
    return {
        "run": "5-kedova", "name": "birds", "state": "done", "owner": "ada", "host": "attic", "submitted_at": 1000.0,
        "finished_at": finished_at, "steps": list(steps),
    }  # fmt: skip


def result(name: str, index: int, seconds: float | None, node: str | None = "attic", **files: int) -> dict[str, Any]:
    kept = {file: {"hash": "x", "bytes": size} for file, size in files.items()}
    return {
        "task": f"5-kedova/{name}", "index": index, "node": node, "duration_s": seconds, "peak_memory_bytes": 7,
        "files": kept,
    }  # fmt: skip


def command(name: str, *argv: str, **more: Any) -> dict[str, Any]:
    return {
        "task": f"5-kedova/{name}", "argv": list(argv), "has_items": False, "cwd": None, "env": {}, "stdin": None,
        "outputs": {}, **more,
    }  # fmt: skip


MAKE = step("make", {"done": "1-2"})
COUNT = step("count", {"done": "1", "failed": "2"}, ("make", "each", "m"))
COMMANDS = [command("make", "make", "number {i}", "{i}"), command("count", "wc", "{needs.m.text}")]
TOTAL = step(
    "total", {"aborted": "0"}, ("count", "all", "c"), ("other", "after", ""), kind="function", what="steps:total"
)
RESULTS = [result("make", 1, 0.5, text=10), result("make", 2, 0.25, text=20), result("count", 1, 2.0)]


def tasks_of(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {task["id"]: task for task in document["workflow"]["specification"]["tasks"]}


def test_every_element_is_a_task_with_its_parents_children_and_files() -> None:
    document = export_run(run(MAKE, COUNT, TOTAL), RESULTS, commands=COMMANDS)
    tasks = tasks_of(document)
    assert list(tasks) == ["make.1", "make.2", "count.1", "count.2", "total"]
    assert tasks["count.2"] == {
        "name": "count",
        "id": "count.2",
        "parents": ["make.2"],
        "children": ["total"],
        "inputFiles": ["make.2.text"],
        "outputFiles": [],
    }
    assert tasks["total"]["parents"] == ["count.1", "count.2"]
    assert document["workflow"]["specification"]["files"] == [
        {"id": "make.1.text", "sizeInBytes": 10},
        {"id": "make.2.text", "sizeInBytes": 20},
    ]


def test_what_has_ended_was_executed() -> None:
    failure = {"task": "5-kedova/count", "index": 2, "node": None, "duration_s": 0.125, "peak_memory_bytes": None}
    nodes: list[dict[str, Any]] = [
        {"node": "attic", "offers": {"cpus": 4.0, "memory_bytes": 2**33}},
        {"node": "barn", "offers": None},
    ]
    execution = export_run(run(MAKE, COUNT, TOTAL), RESULTS, [failure], nodes, commands=COMMANDS)["workflow"][
        "execution"
    ]
    assert (execution["makespanInSeconds"], execution["executedAt"]) == (12.5, "1970-01-01T00:16:40.000+00:00")
    assert execution["tasks"][0] == {
        "id": "make.1",
        "runtimeInSeconds": 0.5,
        "command": {"program": "make", "arguments": ["'number 1'", "1"]},
        "coreCount": 1.0,
        "memoryInBytes": 7,
        "machines": ["attic"],
    }
    assert [task["id"] for task in execution["tasks"]] == ["make.1", "make.2", "count.1", "count.2"]
    assert execution["tasks"][3]["command"] == {"program": "wc", "arguments": ["make.2.text"]}
    assert "machines" not in execution["tasks"][3]
    assert execution["machines"] == [{"nodeName": "attic", "memoryInBytes": 2**33, "cpu": {"coreCount": 4}}]


def test_every_task_names_its_machine_where_several_nodes_took_part() -> None:
    results = [result("make", 1, 0.5, "barn"), result("make", 2, 0.25, "attic")]
    execution = export_run(run(MAKE), results)["workflow"]["execution"]
    assert [task["machines"] for task in execution["tasks"]] == [["barn"], ["attic"]]
    assert [machine["nodeName"] for machine in execution["machines"]] == ["barn", "attic"]


def test_functions_took_the_time_that_the_timeline_tells_and_what_nobody_knows_is_left_out() -> None:
    span = {
        "task": "5-kedova/total", "node": "attic", "start": 1000.0, "busy_s": 0.5, "elements": 2, "failed": 0,
        "first": 1, "last": 2,
    }  # fmt: skip
    detail = run(step("total", {"done": "1-2"}, kind="function", what="steps:total"))
    results = [result("total", 1, None), result("total", 2, None)]
    execution = export_run(detail, results, spans=[span])["workflow"]["execution"]
    assert [task["runtimeInSeconds"] for task in execution["tasks"]] == [0.25, 0.25]
    assert "execution" not in export_run(detail, results)["workflow"]


def test_a_run_that_goes_on_lasts_until_now() -> None:
    detail = run(MAKE, finished_at=None)
    assert export_run(detail, RESULTS, now=1003.0)["workflow"]["execution"]["makespanInSeconds"] == 3.0
    assert "execution" not in export_run(detail, [])["workflow"]


def test_the_trace_can_be_replayed() -> None:
    document = export_run(run(MAKE, COUNT), [*RESULTS, result("count", 2, 1.0)])
    reading = read_wfformat(written(document), simulation=Simulation())
    assert len(reading.submission["tasks"]) == 4


def test_a_trace_that_would_be_too_large_is_refused() -> None:
    wide = step("wide", {"done": "1-3000"})
    with pytest.raises(InvalidInput) as caught:
        export_run(run(wide, step("all", {"done": "1-3000"}, ("wide", "after", ""))), [])
    assert str(caught.value) == (
        "the trace of this run would have 6,000 tasks and 9,000,000 links between them; at most 1,000,000 and "
        "5,000,000 are written"
    )


def test_every_element_has_the_words_that_it_ran_however_long_they_are() -> None:
    detail = run(step("say", {"done": "0-1"}, what="echo 'x…"))
    say = command("say", "echo", "{item}", "x y" * 1000, has_items=True)
    inputs = [{"task": "5-kedova/say", "index": index, "item": item} for index, item in enumerate(["a b", 3])]
    document = export_run(detail, [result("say", 0, 1.0), result("say", 1, 1.0)], commands=[say], inputs=inputs)
    words = [argv_of(convert(task["command"], Command)) for task in document["workflow"]["execution"]["tasks"]]
    assert words == [["echo", "a b", "x y" * 1000], ["echo", "3", "x y" * 1000]]


def test_what_is_not_known_any_more_has_no_command() -> None:
    say = command("say", "echo", "{item}", has_items=True)
    (executed,) = export_run(run(step("say", {"done": "0"})), [result("say", 0, 1.0)], commands=[say])["workflow"][
        "execution"
    ]["tasks"]
    assert "command" not in executed


def test_what_the_format_has_no_words_for_is_refused() -> None:
    with pytest.raises(InvalidInput, match="task 'make' has a standard input"):
        export_run(run(MAKE), RESULTS, commands=[command("make", "cat", stdin="text")])


@pytest.mark.parametrize("kind", ["value", "manual"])
def test_what_is_no_program_has_no_command(kind: str) -> None:
    detail = run(step("limit", {"done": "0"}, kind=kind, what="[1,2]"))
    (executed,) = export_run(detail, [result("limit", 0, 1.0)])["workflow"]["execution"]["tasks"]
    assert "command" not in executed
