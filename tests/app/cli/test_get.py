"""`roost get`."""

import json
from pathlib import Path

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, result, run


def serve(node: FakeNode, **counts: int) -> None:
    node.serve_runs(run(5, **counts))
    found = [result(index, f"{index}\n") for index in range(counts.get("done", 0))]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": found, "next": None}
    failure = {"task": "5-kedova/echo", "index": 2, "path": "2", "reason": "exit code 3"}
    node.answers["GET /v1/runs/5-kedova/failures"] = {"failures": [failure], "next": None}


def test_results_are_all_there_is_on_stdout(roost: Roost, node: FakeNode) -> None:
    serve(node, done=2)
    assert roost("get") == (0, "0\n1\n", "")


def test_failures_are_told_beside_and_by_the_code(roost: Roost, node: FakeNode) -> None:
    serve(node, done=2, failed=1)
    ended = roost("get", "5")
    assert (ended.code, ended.out) == (1, "0\n1\n")
    assert "echo element 2: exit code 3" in ended.err


def test_what_has_not_ended_is_told(roost: Roost, node: FakeNode) -> None:
    serve(node, done=2, running=1)
    ended = roost("get", "5")
    assert (ended.code, ended.out) == (0, "0\n1\n")
    assert "5-kedova: 2 of 3 done, 1 running" in ended.err


def test_a_part_can_be_asked_for(roost: Roost, node: FakeNode) -> None:
    serve(node, done=2)
    roost("get", "5", "--task", "echo", "--elements", "0-1")
    assert node.asked[-1].query == {"task": "echo", "elements": "0-1", "limit": "500"}


def test_a_folder_gets_the_files(roost: Roost, node: FakeNode, tmp_path: Path) -> None:
    serve(node, done=2)
    ended = roost("get", "-o", str(tmp_path / "out"))
    assert (ended.code, ended.out) == (0, "")
    assert (tmp_path / "out" / "echo" / "1" / "stdout").read_text() == "1\n"


def test_files_that_could_not_be_saved_are_counted_at_the_end(roost: Roost, node: FakeNode, tmp_path: Path) -> None:
    serve(node, done=2)
    found = [result(0, "", files={"a": {"hash": "h", "bytes": 1}}), result(1, "1\n")]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": found, "next": None}
    node.answers["GET /v1/runs/5-kedova/files"] = 503, {"error": {"kind": "unavailable", "message": "damaged"}}
    folder = tmp_path / "out"
    ended = roost("get", "-o", str(folder))
    assert (ended.code, ended.out) == (4, "")
    last = f"roost: 1 file could not be saved, as said above; all others are in {folder}"
    assert ended.err.splitlines()[-1] == last
    assert (folder / "echo" / "1" / "stdout").read_text() == "1\n"


def test_a_folder_that_cannot_be_is_refused(roost: Roost, node: FakeNode, tmp_path: Path) -> None:
    serve(node, done=2)
    (tmp_path / "file").write_text("")
    ended = roost("get", "-o", str(tmp_path / "file" / "sub"))
    assert ended.code == 2
    assert "cannot save into" in ended.err


def test_json_has_all_fields(roost: Roost, node: FakeNode) -> None:
    serve(node, done=1)
    told = json.loads(roost("get", "--json").out)
    assert told["counts"]["done"] == 1
    assert told["results"] == [result(0, "0\n")]
