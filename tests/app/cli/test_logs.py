"""`roost logs`."""

import json
from typing import Any

import pytest

from roost.app.cli.main import main
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import Asked, FakeNode, run


def serve(node: FakeNode, **counts: int) -> None:
    node.serve_runs(run(5, **counts))

    def log(asked: Asked) -> Any:
        text = f"{asked.query['stream']} of {asked.query['element']}\n".encode()
        return text[int(asked.query["offset"]) :]

    node.answers["GET /v1/runs/5-kedova/logs"] = log


def test_one_element_is_printed_as_it_is(roost: Roost, node: FakeNode) -> None:
    serve(node, done=1)
    assert roost("logs") == (0, "stdout of 0\n", "")
    assert roost("logs", "5", "--stderr") == (0, "stderr of 0\n", "")


def test_several_elements_have_titles_and_those_that_never_ran_are_left_out(roost: Roost, node: FakeNode) -> None:
    serve(node, done=2, ready=2)
    titles = [line for line in roost("logs").out.splitlines() if line.startswith("==>")]
    assert titles == ["==> 5-kedova/echo element 0 <==", "==> 5-kedova/echo element 1 <=="]
    assert roost("logs", "--element", "1").out == "stdout of 1\n"


def test_a_follower_goes_on_until_the_element_has_ended(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, running=1))
    pieces = [(b"a\n", "running"), (b"", "running"), (b"b\n", "running"), (b"", "done")]

    def log(asked: Asked) -> Any:
        body, state = pieces.pop(0)
        return 200, body, {"X-Roost-State": state}

    node.answers["GET /v1/runs/5-kedova/logs"] = log
    assert roost("logs", "-f") == (0, "a\nb\n", "")
    assert [asked.query["offset"] for asked in node.asked[2:]] == ["0", "2", "2", "4"]


def test_a_follower_needs_one_element(roost: Roost, node: FakeNode) -> None:
    serve(node, running=3)
    ended = roost("logs", "-f")
    assert ended.code == 2
    assert "name one with --element N" in ended.err


def test_an_unknown_task_or_element_has_its_own_code(roost: Roost, node: FakeNode) -> None:
    serve(node, done=1)
    assert roost("logs", "--element", "7") == (3, "", "roost: there is no element 7 in echo\n")
    assert roost("logs", "5/other").code == 3


def test_json_names_the_place(roost: Roost, node: FakeNode) -> None:
    serve(node, done=1)
    assert json.loads(roost("logs", "--json").out) == {
        "run": "5-kedova",
        "task": "echo",
        "element": 0,
        "path": "0",
        "stream": "stdout",
        "text": "stdout of 0\n",
        "encoding": "utf-8",
    }


def test_what_would_steer_a_terminal_is_escaped_unless_the_bytes_are_wanted(
    node: FakeNode, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    node.serve_runs(run(5, done=1))
    written = b"\x1b[2Jred\x1b]0;title\x07\r50%\r100%\r\n\xff\xc3\xa4\n"

    def log(asked: Asked) -> Any:
        # In pieces, one of which ends within a letter.
        offset = int(asked.query["offset"])
        return written[offset : offset + 25]

    node.answers["GET /v1/runs/5-kedova/logs"] = log
    assert main(["logs"]) == 0
    shown = "\\x1b[2Jred\\x1b]0;title\\x07\n50%\n100%\n\\xffä\n"
    assert capfdbinary.readouterr().out == shown.encode()
    assert main(["logs", "--raw"]) == 0
    assert capfdbinary.readouterr().out == written
