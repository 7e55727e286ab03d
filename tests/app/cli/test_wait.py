"""`roost wait`."""

import json

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, run, step
from tests.app.cli.terminal import Terminal

FAILURE = {"task": "5-kedova/echo", "index": 2, "path": "2", "reason": "exit code 3"}


def test_a_run_that_ended_well_has_code_0(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, done=3))
    assert roost("wait") == (0, "", "5-kedova: all 3 done; 'roost get 5' prints the results\n")


def test_a_run_that_did_not_has_code_1_and_reasons(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, done=1, failed=1, aborted=1))
    node.answers["GET /v1/runs/5-kedova/failures"] = {"failures": [FAILURE]}
    ended = roost("wait", "5")
    assert ended.code == 1
    assert ended.err.startswith("5-kedova: 1 done, 1 failed, 1 aborted of 3\necho element 2: exit code 3\n")


def test_quiet_and_json_say_nothing_else(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, cancelled=1))
    assert roost("wait", "-q") == (1, "", "")
    ended = roost("wait", "--json")
    assert (ended.code, ended.err) == (1, "")
    assert json.loads(ended.out)["runs"][0]["counts"]["cancelled"] == 1


def test_at_a_terminal_there_is_a_bar_and_ctrl_c_leaves_the_run_alone(node: FakeNode) -> None:
    node.serve_runs(run(5, done=1, running=2))
    with Terminal("wait") as terminal:
        terminal.read_until("1/3")
        terminal.type("\x03")
        assert terminal.ended() == 130
        assert "come back with 'roost wait 5'" in terminal.read_until("roost wait 5")


def test_it_is_told_what_was_taken_over(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, done=3) | {"taken_over": 2})
    assert roost("wait").err.startswith("5-kedova: all 3 done (2 taken over); ")
    node.serve_runs(run(5, done=3, cancelled=1) | {"taken_over": 2})
    node.answers["GET /v1/runs/5-kedova/failures"] = {"failures": []}
    assert roost("wait").err.startswith("5-kedova: 3 done, 1 cancelled of 4 (2 taken over)\n")


def test_a_task_is_waited_for_alone_and_one_that_is_not_there_is_refused(roost: Roost, node: FakeNode) -> None:
    shown = run(5, done=3, failed=1)
    shown["steps"] = [step("first", done=3), step("second", failed=1)]
    node.serve_runs(shown)
    node.answers["GET /v1/runs/5-kedova/failures"] = {"failures": []}
    assert roost("wait", "5/first") == (0, "", "5-kedova: all 3 done; 'roost get 5' prints the results\n")
    assert roost("wait", "5/second").code == 1
    assert roost("wait", "5/nope") == (3, "", "roost: there is no task 'nope'\n")
