"""Results, page by page."""

import base64
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roost.app.cli.common import emit_long_json, write_whole
from roost.app.cli.results import print_results, save_results, shown_value, tell_failures
from roost.client.control import Control, NodeGone, node_of
from roost.client.paging import failures_of, results_of
from roost.client.pickling import hash_of
from roost.model.errors import Unavailable
from roost.runtime.home import Home
from roost.wire.stored import Stored, reference_to
from tests.app.cli.fake_node import Asked, FakeNode, result, run

RUN = run(5, done=3)


@pytest.fixture
def control(node: FakeNode) -> Iterator[Control]:
    with node_of(Home(node.home)) as control:
        yield control


class Unloadable:
    def __reduce__(self) -> Any:
        return exec, ("raise RuntimeError('no')",)


def test_pages_follow_each_other_until_there_is_no_next(node: FakeNode, control: Control) -> None:
    def page(asked: Asked) -> Any:
        start = int(asked.query.get("start", 0))
        more = {"next": start + 1, "next_task": "echo"} if start < 2 else {"next": None}
        return {"results": [result(start, f"{start}\n")]} | more

    node.answers["GET /v1/runs/5-kedova/results"] = page
    assert [found["index"] for found in results_of(control, "5-kedova", None, "0-9")] == [0, 1, 2]
    assert node.asked[-1].query == {"elements": "0-9", "limit": "500", "start": "2", "start_task": "echo"}


def test_output_is_printed_byte_by_byte_and_nothing_else(
    node: FakeNode, control: Control, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    packed = base64.b64encode(b"\x1f\x8b\xff\0").decode()
    found = [result(0, "a\n"), result(1, "b"), result(2, ""), result(3, packed, stdout_encoding="base64")]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": found, "next": None}
    assert print_results(control, RUN, None, None) == 4
    assert capfdbinary.readouterr().out == b"a\nb\x1f\x8b\xff\0"


def test_a_scripts_result_is_shown_as_json(
    node: FakeNode, control: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [result(0, None, value={"a": [1, None]}), result(1, None, value="é")]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": found, "next": None}
    assert print_results(control, RUN, None, None) == 2
    assert capsys.readouterr().out == '{"a":[1,null]}\n"é"\n'


def test_what_is_not_of_its_declared_type_is_told_once_for_each_task(
    node: FakeNode, control: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = [result(index, None, value=[index], warning="it is odd") for index in range(3)]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [*odd, result(3, None, value=3, warning=None)]}
    print_results(control, RUN, None, None)
    printed = capsys.readouterr()
    assert printed.out == "[0]\n[1]\n[2]\n3\n"
    assert printed.err == "roost: echo element 0: it is odd (2 more like this)\n"


def test_output_that_was_cut_is_fetched_whole(
    node: FakeNode, control: Control, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    whole = {"stdout": b"start " + b"x\xff" * 700_000, "stderr": b"\xff" * 3_000}
    hashes = {f"{name}_whole": {"hash": hash_of(data), "bytes": len(data)} for name, data in whole.items()}
    cut = {"stdout_cut": True, "stderr": "/w==", "stderr_encoding": "base64", "stderr_cut": True, **hashes}
    found = [result(0, "start", **cut)]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": found, "next": None}
    node.answers["GET /v1/runs/5-kedova/logs"] = lambda asked: whole[asked.query["stream"]]
    print_results(control, RUN, None, None)
    assert capfdbinary.readouterr().out == whole["stdout"]
    save_results(control, RUN, None, None, tmp_path)
    assert {name: (tmp_path / "echo" / "0" / name).read_bytes() for name in whole} == whole


def test_output_that_is_not_what_was_written_is_an_error_and_leaves_no_file(
    node: FakeNode, control: Control, tmp_path: Path
) -> None:
    found = [result(0, "", stdout_cut=True, stdout_whole={"hash": hash_of(b"right"), "bytes": 5})]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": found, "next": None}
    node.answers["GET /v1/runs/5-kedova/logs"] = b"wrong"
    with pytest.raises(Unavailable, match="the stdout of echo element 0 is damaged"):
        print_results(control, RUN, None, None)
    assert save_results(control, RUN, None, None, tmp_path) == (1, 1)
    assert [path.name for path in (tmp_path / "echo" / "0").iterdir()] == ["stderr"]


def test_a_file_that_cannot_be_had_is_named_and_the_others_are_saved(
    node: FakeNode, control: Control, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def file(asked: Asked) -> Any:
        name = asked.query["name"]
        told = {"error": {"kind": "unavailable", "message": "the disk is damaged"}}
        return (503, told) if name == "b" and asked.query["element"] == "0" else name.encode()

    files = {name: {"hash": "h", "bytes": 1} for name in ("a.part", "a", "b", "c")}
    found = [result(0, "", files=files), result(1, "", files=files)]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": found, "next": None}
    node.answers["GET /v1/runs/5-kedova/files"] = file
    assert save_results(control, RUN, None, None, tmp_path) == (2, 1)
    assert capsys.readouterr().err == "roost: 'b' of echo element 0 is not saved: the disk is damaged\n"
    names = ["a", "a.part", "b", "c", "stderr", "stdout"]
    assert sorted(path.name for path in (tmp_path / "echo" / "1").iterdir()) == names
    assert sorted(path.name for path in (tmp_path / "echo" / "0").iterdir()) == [one for one in names if one != "b"]
    assert (tmp_path / "echo" / "0" / "a.part").read_bytes() == b"a.part"


def test_a_node_that_goes_away_ends_the_saving(node: FakeNode, control: Control, tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"x"
        raise NodeGone("away")

    with pytest.raises(NodeGone):
        write_whole(tmp_path / "a", pieces())
    assert not list(tmp_path.glob("*a*"))


def test_what_functions_returned_is_shown_as_python_shows_it() -> None:
    assert shown_value(pickle.dumps({"a": [1, 2.5]})) == "{'a': [1, 2.5]}"


def test_a_value_that_cannot_be_loaded_is_named() -> None:
    assert "cannot be loaded here: no" in shown_value(pickle.dumps(Unloadable()))
    assert "cannot be loaded here" in shown_value(b"\x00")


def test_results_are_saved_with_their_files(node: FakeNode, control: Control, tmp_path: Path) -> None:
    packed = base64.b64encode(pickle.dumps(42)).decode()
    found = [
        result(0, "out\n", stderr="err\n", files={"log": {"hash": "h", "bytes": 3}}),
        result(1, "", pickle=packed),
        result(2, None, value=[None]),
    ]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": found, "next": None}
    node.answers["GET /v1/runs/5-kedova/files"] = b"\x00\xff!"
    assert save_results(control, RUN, None, None, tmp_path / "new") == (3, 0)
    first, second = tmp_path / "new" / "echo" / "0", tmp_path / "new" / "echo" / "1"
    assert [(first / name).read_bytes() for name in ("stdout", "stderr", "log")] == [b"out\n", b"err\n", b"\x00\xff!"]
    assert pickle.loads((second / "result.pickle").read_bytes()) == 42
    assert (second / "result.txt").read_text() == "42\n"
    assert (tmp_path / "new" / "echo" / "2" / "result.json").read_text() == "[null]\n"


def test_a_large_value_is_fetched_to_be_shown_and_saved(
    node: FakeNode, control: Control, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    content = pickle.dumps(["large"])
    reference = base64.b64encode(reference_to(Stored(hash_of(content), len(content)))).decode()
    files = {"result.pickle": {"hash": hash_of(content), "bytes": len(content)}}
    found = [result(0, None, pickle=reference, files=files)]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": found, "next": None}
    node.answers["GET /v1/values"] = content
    node.answers["GET /v1/runs/5-kedova/files"] = content
    print_results(control, RUN, None, None)
    assert capfdbinary.readouterr().out == b"['large']\n"
    save_results(control, RUN, None, None, tmp_path)
    assert (tmp_path / "echo" / "0" / "result.pickle").read_bytes() == content


def test_names_from_the_node_cannot_leave_the_folder(node: FakeNode, control: Control, tmp_path: Path) -> None:
    found = [result(0, "", task="5-kedova/..", files={"../../evil": {"hash": "h", "bytes": 1}})]
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": found, "next": None}
    node.answers["GET /v1/runs/5-kedova/files"] = b"x"
    save_results(control, RUN, None, None, tmp_path / "in")
    saved = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert all(path.startswith(("in/", "home/")) for path in saved)
    assert "in/_/0/_.._evil" in saved


def test_json_is_one_object_however_many_results(
    node: FakeNode, control: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [result(0, "a"), result(1, "b")], "next": None}
    emit_long_json(RUN, "results", results_of(control, RUN["run"], None, None))
    told = json.loads(capsys.readouterr().out)
    assert told["run"] == "5-kedova"
    assert [found["stdout"] for found in told["results"]] == ["a", "b"]


def test_the_first_failures_are_told_with_where_to_look(
    node: FakeNode, control: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    failures = [
        {"task": "5-kedova/echo", "index": index, "path": str(index), "reason": "exit code 1"} for index in range(9)
    ]
    node.answers["GET /v1/runs/5-kedova/failures"] = {"failures": failures, "next": None}
    tell_failures(control, run(5, failed=9))
    err = capsys.readouterr().err
    assert err.count("exit code 1") == 5
    assert "and 4 more failures" in err
    assert "roost explain 5" in err
    assert len(list(failures_of(control, "5-kedova"))) == 9
