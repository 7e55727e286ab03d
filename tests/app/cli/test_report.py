"""`roost report`."""

import json
from pathlib import Path

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, result, run

SPAN = {
    "task": "5-kedova/echo",
    "node": "ash",
    "lane": 0,
    "start": 1_700_000_005.0,
    "end": 1_700_000_007.0,
    "busy_s": 2.0,
    "elements": 2,
    "failed": 0,
    "first": 0,
    "last": 1,
    "first_path": "0",
    "last_path": "1",
}

COMMAND = {
    "task": "5-kedova/echo", "argv": ["echo", "{i}"], "has_items": False, "cwd": None, "env": {}, "stdin": None,
    "outputs": {},
}  # fmt: skip


@pytest.fixture
def served(node: FakeNode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeNode:
    monkeypatch.chdir(tmp_path)
    node.serve_runs(run(4, "bobaba"), run(5, done=2))
    node.answers["GET /v1/runs/5-kedova/timeline"] = {"spans": [SPAN], "silent": [], "happened": []}
    node.answers["GET /v1/runs/5-kedova/failures"] = {"failures": []}
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [result(0, "a\n"), result(1, "b\n")]}
    node.answers["GET /v1/runs/5-kedova/commands"] = {"commands": [COMMAND]}
    node.answers["GET /v1/runs/5-kedova/inputs"] = {"inputs": []}
    node.answers["GET /v1/nodes"] = {"nodes": [], "network": None}
    return node


def test_a_page_about_the_last_run_is_written_here(roost: Roost, served: FakeNode, tmp_path: Path) -> None:
    assert roost("report") == (0, "5-kedova.html\n", "")
    page = (tmp_path / "5-kedova.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "5-kedova" in page
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_only_what_was_asked_for_is_written(roost: Roost, served: FakeNode, tmp_path: Path) -> None:
    ended = roost("report", "5", "--jsonl", "run.jsonl", "--wfformat", "run.json", "--json")
    told = json.loads(ended.out)
    assert (told["run"], told["written"]) == ("5-kedova", ["run.jsonl", "run.json"])
    assert sorted(path.name for path in tmp_path.glob("*.*")) == ["run.json", "run.jsonl"]
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [line["type"] for line in lines] == ["run", "node", "evenness", "step", "span", "element", "element"]
    trace = json.loads((tmp_path / "run.json").read_text())
    assert (trace["schemaVersion"], len(trace["workflow"]["execution"]["tasks"])) == ("1.5", 2)


def test_who_did_what_is_told_to_programs(roost: Roost, served: FakeNode, tmp_path: Path) -> None:
    told = json.loads(roost("report", "--json", "-o", str(tmp_path / "run.html")).out)
    assert told["owner"] == "ann"
    assert [node["node"] for node in told["nodes"]]
    assert told["evenness"]["done"].keys() == {"jains_index", "variance"}


def test_it_is_said_how_many_elements_took_an_unknown_time(roost: Roost, served: FakeNode) -> None:
    served.answers["GET /v1/runs/5-kedova/results"] = {"results": [result(0, "a\n"), result(1, None, duration_s=None)]}
    served.answers["GET /v1/runs/5-kedova/timeline"] |= {"spans": []}
    ended = roost("report", "5", "--wfformat", "run.json")
    assert ended.err == (
        "roost: no time is known of 1 element: not run this time, or its node is gone; the trace has them in "
        "'specification' only\n"
    )


def test_what_a_trace_cannot_tell_is_said_and_nothing_is_written(
    roost: Roost, served: FakeNode, tmp_path: Path
) -> None:
    served.answers["GET /v1/runs/5-kedova/commands"] = {"commands": [COMMAND | {"stdin": "hello"}]}
    ended = roost("report", "5", "-o", "x.html", "--jsonl", "x.jsonl", "--wfformat", "x.json")
    told = (
        "task 'echo' has a standard input ('hello'), for which WfFormat has no words; write --jsonl instead, or say it"
    )
    assert ended == (2, "", f"roost: {told} on the command line ('sh -c ...') and run it again\n")
    assert list(tmp_path.glob("x.*")) == []


def test_it_is_said_how_many_command_lines_are_not_known(roost: Roost, served: FakeNode) -> None:
    served.answers["GET /v1/runs/5-kedova/commands"] = {"commands": [COMMAND | {"has_items": True}]}
    ended = roost("report", "5", "--wfformat", "run.json")
    told = (
        "the command line of 2 elements is not known, because what arrived is not; the trace has no 'command' for them"
    )
    assert (ended.code, ended.err) == (0, f"roost: {told}\n")


def test_whoever_calls_something_a_placeholder_gets_a_trace_that_says_less_and_nothing_false(
    roost: Roost, served: FakeNode, tmp_path: Path
) -> None:
    claimed = COMMAND | {"argv": ["rm", "-r", "x"], "recorded": {"type": "replayed", "seconds": 60.0}}
    served.answers["GET /v1/runs/5-kedova/commands"] = {"commands": [claimed]}
    ended = roost("report", "5", "--wfformat", "run.json")
    told = "the command line of 2 elements is that of a placeholder; the trace has no 'command' for them"
    assert (ended.code, ended.err) == (0, f"roost: {told}\n")
    executed = json.loads((tmp_path / "run.json").read_text())["workflow"]["execution"]["tasks"]
    assert ["command" in task for task in executed] == [False, False]
    assert 60.0 not in [task["runtimeInSeconds"] for task in executed]


def test_nodes_that_did_not_answer_are_named(roost: Roost, served: FakeNode) -> None:
    served.answers["GET /v1/runs/5-kedova/timeline"] = {"spans": [SPAN], "silent": ["yew"], "happened": []}
    ended = roost("report", "5", "-o", "x.html")
    assert (ended.code, ended.out) == (0, "x.html\n")
    assert "yew" in ended.err


def test_a_report_is_about_one_run(roost: Roost, served: FakeNode, tmp_path: Path) -> None:
    ended = roost("report", "all")
    assert ended == (2, "", "roost: 'all' means 2 runs; a report is about one\n")
    assert list(tmp_path.glob("*.html")) == []


def test_a_folder_that_is_not_there_is_said_so(roost: Roost, served: FakeNode) -> None:
    ended = roost("report", "5", "-o", "missing/x.html")
    assert ended == (2, "", "roost: there is no folder missing to write x.html into; make it first\n")


def test_a_task_that_is_not_there_is_refused_and_one_that_is_has_no_report(roost: Roost, served: FakeNode) -> None:
    assert roost("report", "5/nope").code == 3
    assert roost("report", "5/echo") == (2, "", "roost: a report is about a whole run; leave '/echo' out\n")
