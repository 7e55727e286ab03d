from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import roost
from roost.client.connect import attach, connect, script_name, shared_conversation
from roost.core.events import Submitted
from roost.model.errors import InvalidInput, Unavailable
from roost.model.ids import NodeId
from roost.model.task import Function, Needs, Priority
from roost.runtime.home import Home, NodeAddress
from roost.wire.values import decode_variables
from tests.client.functions import add, double
from tests.client.small_node import TOKEN, SmallNode


@pytest.fixture
def home(node: SmallNode, tmp_path: Path) -> Iterator[Path]:
    """A home that the small node seems to live in."""
    place = Home(tmp_path / "home")
    place.create()
    with place.locked():
        holder = place.holder()
        assert holder is not None
        place.token.write_text(TOKEN)
        place.token.chmod(0o600)
        place.write_node(NodeAddress(holder, node.find().url, NodeId("ash"), "0", 0.0))
        yield place.path
        shared_conversation(place.path).close()


def test_connecting_gives_a_pool_with_the_options_of_every_call(node: SmallNode, home: Path) -> None:
    with connect(
        "sums", home=home, cpus=2, memory="1GiB", retries=1, priority="interactive", time_limit="5min", length=9,
        require="mem >= 1b", initializer=add, initargs=(1, 2), quorum=True, policy="bfgc", env={"LEVEL": "2"},
    ) as pool:  # fmt: skip
        assert pool.submit(double, 2).result(10) == 4
    submitted = next(request for request in node.service.asked if isinstance(request, Submitted))
    task = submitted.tasks[0]
    assert (submitted.run.name, submitted.quorum) == ("sums", True)
    assert task.needs == Needs.of(2.0, 2**30, 300.0, "mem >= 1b")
    assert (task.priority, task.retries, task.stated_s) == (Priority.INTERACTIVE, 1, 9.0)
    assert task.policy == "bfgc"
    assert isinstance(task.work, Function)
    assert task.work.initializer in dict(submitted.blobs)
    assert task.work.variables is not None
    assert decode_variables(dict(submitted.blobs)[task.work.variables])[b"LEVEL"] == b"2"


def test_attaching_needs_no_pool(home: Path) -> None:
    with connect(home=home) as pool:
        future_id = pool.submit(double, 21).id
    assert attach(future_id, home=home).result(10) == 42
    assert shared_conversation(home) is shared_conversation(home)


def test_without_a_node_and_without_starting_one_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"no node runs in .*; start one with 'roost up'"):
        connect(home=tmp_path, start=False)


@pytest.mark.parametrize(
    "wrong",
    [{"cpus": -1}, {"retries": -1}, {"time_limit": 0}, {"memory": "much"}, {"priority": "urgent"}, {"policy": "best"}],
)
def test_a_value_that_cannot_be_is_a_value_error_before_anything_is_started(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"; (use|write|there are)") as caught:
        connect(home=tmp_path / "home", **wrong)
    assert isinstance(caught.value, InvalidInput)
    assert not (tmp_path / "home").exists()


def test_a_pool_without_a_name_is_named_after_its_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["folder/analysis.py"])
    assert script_name() == "analysis"
    monkeypatch.setattr("sys.argv", ["-c"])
    assert script_name() == "python"


def test_the_package_gives_the_same_names() -> None:
    assert roost.connect is connect
    assert roost.attach is attach
