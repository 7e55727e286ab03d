"""`roost submit`."""

import json
from typing import Any

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, run

ACCEPTED = {"run": "5-kedova", "number": 5, "tasks": ["5-kedova/echo"], "warnings": []}


def posted(node: FakeNode) -> dict[str, Any]:
    (submission,) = node.posted("/v1/runs")
    task: dict[str, Any] = submission["tasks"][0]
    return task


@pytest.fixture(autouse=True)
def accepting(node: FakeNode) -> None:
    node.answers["POST /v1/runs"] = (201, ACCEPTED)


def test_only_the_id_is_on_stdout(roost: Roost) -> None:
    ended = roost("submit", "--", "echo", "hi")
    assert (ended.code, ended.out) == (0, "5-kedova\n")
    assert "roost wait 5" in ended.err
    assert roost("submit", "-q", "--", "echo", "hi").err == ""


def test_options_of_the_command_are_not_ours(roost: Roost, node: FakeNode) -> None:
    roost("submit", "--array", "1-10", "echo", "--array", "{i}", "--json")
    assert posted(node)["command"]["argv"] == ["echo", "--array", "{i}", "--json"]
    assert posted(node)["array"] == "1-10"


def test_runs_to_wait_for_are_asked_for_by_selector(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(3, "bobaba"), run(4, "dodada"))
    roost("submit", "--after", "3,4", "--", "echo")
    assert [edge["source"] for edge in posted(node)["edges"]] == ["3-bobaba", "4-dodada"]


def test_a_dry_run_as_json_has_the_request_and_the_commands(roost: Roost, node: FakeNode) -> None:
    ended = roost("submit", "--dry-run", "--json", "--", "echo", "{1}", "x\udcff", ":::", "a", "b")
    told = json.loads(ended.out)
    assert told["tasks"][0]["items"] == ["a", "b"]
    assert told["commands"] == [["echo", "a", "x\U0010feff"], ["echo", "b", "x\U0010feff"]]
    assert node.asked == []


@pytest.mark.usefixtures("no_programs")
def test_a_missing_program_is_refused_before_anything_is_asked(roost: Roost, node: FakeNode) -> None:
    ended = roost("submit", "--", "convert")
    assert (ended.code, ended.out) == (2, "")
    assert "no program 'convert'" in ended.err
    assert node.asked == []


def test_no_command_is_wrong_usage(roost: Roost) -> None:
    assert roost("submit").code == 2
    assert roost("submit", "--array", "1-3", "--").code == 2


def test_more_disks_are_asked_for_and_fewer_are_told(roost: Roost, node: FakeNode) -> None:
    warning = "it is on 3 disks and not on 5, because no more nodes are there"
    node.answers["POST /v1/runs"] = (201, ACCEPTED | {"warnings": [warning]})
    ended = roost("submit", "--safe", "5", "--", "echo")
    assert (ended.code, ended.out) == (0, "5-kedova\n")
    assert warning in ended.err
    assert node.posted("/v1/runs")[0]["safe"] == 5
    for wrong in ("1", "0", "65", "all"):
        assert roost("submit", "--safe", wrong, "--", "echo").code == 2


def test_a_quorum_is_asked_for_only_if_it_is_wanted(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/runs"] = (201, ACCEPTED)
    assert roost("submit", "--quorum", "--", "echo").code == 0
    assert roost("submit", "--", "echo").code == 0
    with_it, without = node.posted("/v1/runs")
    assert with_it["quorum"] is True
    assert "quorum" not in without


def test_a_dry_run_asks_nothing(roost: Roost, node: FakeNode) -> None:
    ended = roost("submit", "--dry-run", "--", "echo", "{}", ":::", "a", "b", "c", "d", "e")
    assert ended.code == 0
    assert "5 elements" in ended.out
    assert [line.split(None, 1)[1] for line in ended.out.splitlines()[2:]] == [f"echo {value}" for value in "abcde"]
    told = json.loads(roost("submit", "--dry-run", "--json", "--array", "1-3", "--", "echo").out)
    assert told["tasks"][0]["array"] == "1-3"
    assert node.asked == []


def test_json_is_the_nodes_answer(roost: Roost) -> None:
    assert json.loads(roost("submit", "--json", "--", "echo").out) == ACCEPTED


def test_an_index_without_an_array_is_warned_about(roost: Roost) -> None:
    ended = roost("submit", "-q", "--", "echo", "{i}", "--array", "1-10")
    assert ended.code == 0
    assert ended.err == "roost: without an array {i} is 0; options such as --array stand before the command\n"


def test_a_policy_is_named_only_if_it_is_wanted(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/runs"] = (201, ACCEPTED)
    assert roost("submit", "--policy", "bfgc", "--", "echo").code == 0
    assert roost("submit", "--", "echo").code == 0
    with_it, without = node.posted("/v1/runs")
    assert with_it["policy"] == "bfgc"
    assert "policy" not in without


def test_what_its_node_must_be_is_handed_in_and_what_nobody_meets_is_told(roost: Roost, node: FakeNode) -> None:
    warning = "'5-kedova/echo' will wait: no node here meets it; nearest: ash lacks gpu (has none)"
    node.answers["POST /v1/runs"] = (201, ACCEPTED | {"warnings": [warning]})
    ended = roost("submit", "--require", "gpu", "--", "echo")
    assert (ended.code, ended.out) == (0, "5-kedova\n")
    assert f"roost: {warning}\n" in ended.err
    assert posted(node)["require"] == "gpu"


def test_a_requirement_that_cannot_be_read_is_refused_before_anything_is_asked(roost: Roost, node: FakeNode) -> None:
    ended = roost("submit", "--require", "mem >= 8", "--", "echo")
    assert ended.code == 2
    assert "--require: column 8: 8 has no unit and 'mem' is a size; write for example 8GiB or 8MB" in ended.err
    assert node.asked == []
