"""One run in full."""

import json
from typing import Any

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, run, step

FAILURE = {
    "task": "5-kedova/echo",
    "index": 7,
    "path": "7",
    "reason": "exit code 3",
    "exit_code": 3,
    "signal": None,
    "peak_memory_bytes": 1,
    "duration_s": 0.1,
    "detail": "one\ntwo\nthree\nfour",
}


def test_steps_counts_and_failures_are_shown(roost: Roost, node: FakeNode) -> None:
    shown = run(5, failed=1, done=2)
    node.serve_runs(shown)
    node.answers["GET /v1/runs/5-kedova/failures"] = {"failures": [FAILURE]}
    out = roost("show", "5").out
    assert "2 done, 1 failed" in out
    assert "echo {i}" in out
    assert "echo element 7: exit code 3" in out
    assert "four" in out
    assert "one" not in out.split("exit code 3")[1].split("four")[0]
    assert "roost retry 5" in out


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("each", "element by element from make"),
        ("all", "with all results of make"),
        ("broadcast", "with the result of make"),
        ("spread", "item by item from make"),
        ("after", "after make"),
    ],
)
def test_edges_and_terms_are_words(roost: Roost, node: FakeNode, kind: str, words: str) -> None:
    shown: dict[str, Any] = run(5, done=1)
    more = {
        "edges": [{"source": "5-kedova/make", "kind": kind, "port": "x"}],
        "memory_bytes": 1 << 30,
        "time_limit_s": 90.0,
        "length_s": 20.0,
        "require": "cores >= 4",
        "retries": 2,
        "policy": "bfgc",
        "ranges": {"done": ",".join(map(str, range(0, 100, 2)))},
    }
    shown["steps"] = [step("use", done=1) | more]
    node.serve_runs(shown)
    out = roost("show").out
    assert words in out
    assert "1 CPU, low priority, 1.0 GiB, at most 1 min 30 s, about 20.0 s, requires cores >= 4, 2 retries" in out
    assert "chosen by bfgc" in " ".join(out.split())
    assert "..." in out


def test_who_made_the_results_is_told_where_there_were_several(roost: Roost, node: FakeNode) -> None:
    shown: dict[str, Any] = run(5, done=3)
    shown["steps"] = [step("mine", done=3), step("ours", done=1_500) | {"done_on": {"ash": 1_400, "elm": 100}}]
    node.serve_runs(shown)
    assert [line for line in roost("show").out.splitlines() if "done on" in line] == ["  done on ash 1,400, elm 100"]


def test_what_was_taken_over_is_counted(roost: Roost, node: FakeNode) -> None:
    shown: dict[str, Any] = run(5, done=412) | {"taken_over": 400}
    shown["steps"] = [step("made", done=12), step("taken", done=400) | {"taken_over": 400}]
    node.serve_runs(shown)
    lines = [line for line in roost("show").out.splitlines() if "taken over" in line]
    assert lines == ["elements  412 done  (400 taken over)", "taken  400 done  (400 taken over)"]


def test_json_is_one_object_for_each_run(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(4, "bobaba", done=1), run(5, done=3))
    assert json.loads(roost("show", "--json").out)["counts"]["done"] == 3
    lines = roost("show", "4", "5", "--json").out.splitlines()
    assert [json.loads(line)["number"] for line in lines] == [4, 5]


def test_an_unknown_run_has_its_own_code(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5))
    assert roost("show", "99") == (3, "", "roost: there is no run '99'; 'roost ps' lists them\n")


def test_a_run_that_goes_on_says_how_long_it_will_take(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5, running=1, done=2))
    node.answers["GET /v1/runs/5-kedova/outlook"] = {
        "low_s": None,
        "high_s": None,
        "why": "no element has finished yet",
    }
    assert "time      no element has finished yet" in roost("show").out
    node.serve_runs(run(5, done=3))
    assert "time " not in roost("show").out


def test_a_task_is_shown_alone_and_one_that_is_not_there_is_refused(roost: Roost, node: FakeNode) -> None:
    shown: dict[str, Any] = run(5, done=3, ready=2)
    shown["steps"] = [step("first", done=3), step("second", ready=2)]
    node.serve_runs(shown)
    out = roost("show", "5/first").out
    assert "elements  3 done\n" in out
    assert "second" not in out
    told = json.loads(roost("show", "5/second", "--json").out)
    assert ([one["name"] for one in told["steps"]], told["counts"]["total"]) == (["second"], 2)
    assert roost("show", "5/nope").code == 3
    assert "leave '/first' out" in roost("show", "5/first", "--graph").err
