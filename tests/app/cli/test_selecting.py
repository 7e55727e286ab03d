"""From typed words to runs and their parts."""

from pathlib import Path

import click
import pytest

from roost.app.cli.main import cli
from roost.app.cli.selecting import Chosen, checked_elements, choose, complete_runs, find_node
from roost.client.control import node_of
from roost.model.errors import InvalidInput, NotFound
from roost.runtime.home import Home
from tests.app.cli.fake_node import FakeNode, run


def chosen(node: FakeNode, *words: str, task: str | None = None) -> Chosen:
    with node_of(Home(node.home)) as control:
        return choose(control, words, task)


def test_no_word_means_the_last_run(node: FakeNode) -> None:
    node.serve_runs(run(4, "bobaba"), run(5))
    assert [found["number"] for found in chosen(node).runs] == [5]


def test_several_words_are_one_selector_and_runs_come_oldest_first(node: FakeNode) -> None:
    node.serve_runs(run(5), run(4, "bobaba"))
    assert [found["number"] for found in chosen(node, "5", "4").runs] == [4, 5]
    assert node.asked[-1].query["select"] == "5,4"


def test_a_task_may_be_named_with_its_run(node: FakeNode) -> None:
    node.serve_runs(run(5))
    assert chosen(node, "5/resize").task == "resize"
    assert chosen(node, "5", task="resize").task == "resize"
    with pytest.raises(InvalidInput, match="name one of them"):
        chosen(node, "5/resize", task="other")


def test_without_any_run_the_sentence_says_how_to_make_one(node: FakeNode) -> None:
    node.serve_runs()
    with pytest.raises(NotFound, match="no runs yet"):
        chosen(node)


def test_a_set_of_elements_is_checked_before_anything_is_asked() -> None:
    assert checked_elements("1-5") == "1-5"
    assert checked_elements(None) is None
    with pytest.raises(InvalidInput, match="not a set of indices"):
        checked_elements("one")


def test_the_connection_is_closed_with_the_command(node: FakeNode) -> None:
    node.answers["GET /v1/status"] = {}
    with click.Context(cli) as ctx, ctx.scope():
        control = find_node()
        control.get("/v1/status")
    assert control._connection is None


def test_the_shell_is_offered_words_and_run_ids(node: FakeNode) -> None:
    node.serve_runs(run(4, "bobaba"), run(5))
    ctx, argument = click.Context(cli), click.Argument(["runs"])
    assert [item.value for item in complete_runs(ctx, argument, "")] == ["last", "all", "5-kedova", "4-bobaba"]
    assert [item.value for item in complete_runs(ctx, argument, "5")] == ["5-kedova"]


def test_without_a_node_completion_is_silent(home: Path) -> None:
    assert [item.value for item in complete_runs(click.Context(cli), click.Argument(["runs"]), "l")] == ["last"]
