import math
from typing import Any

import pytest

from roost.client.requirements import count_of, length_of, needs_of, policy_named, priority_of, retries_of
from roost.client.steps import command, script
from roost.client.workflow import Workflow, task
from roost.model.errors import InvalidInput
from roost.model.limits import CPUS_MAX, MEMORY_BYTES_MAX, RETRIES_MAX, TIME_LIMIT_S_MAX
from roost.model.task import Needs, Priority


class Whole:
    """A whole number of another library."""

    def __index__(self) -> int:
        return 3


def test_needs_are_read_as_people_write_them() -> None:
    assert needs_of(1, None, None) == Needs()
    assert needs_of(0.5, 2048, 1.5) == Needs.of(0.5, 2048, 1.5)
    assert needs_of(1, "2KiB", "2min") == Needs.of(1.0, 2048, 120.0)


def test_what_the_node_must_be_is_a_condition() -> None:
    assert needs_of(1, None, None, ' os == "linux" ') == Needs.of(condition='os == "linux"')
    with pytest.raises(ValueError, match=r"require: column 1: no node says 'oss' of itself; did you mean 'os'?"):
        needs_of(1, None, None, "oss")


@pytest.mark.parametrize("cpus", [0, -1, math.nan, math.inf, CPUS_MAX + 1, None, "two"])
def test_processors_are_a_number_above_zero(cpus: Any) -> None:
    with pytest.raises(ValueError, match=r"cpus is .*; use a number above zero"):
        needs_of(cpus, None, None)


@pytest.mark.parametrize("memory", [-1, 1.5, MEMORY_BYTES_MAX + 1])
def test_memory_is_a_number_of_bytes(memory: Any) -> None:
    with pytest.raises(ValueError, match=r"memory is .*; use a number of bytes"):
        needs_of(1, memory, None)


@pytest.mark.parametrize("limit", [0, -1, math.nan, math.inf, TIME_LIMIT_S_MAX + 1, ()])
def test_a_time_limit_is_above_zero(limit: Any) -> None:
    with pytest.raises(ValueError, match=r"time_limit is .*; use seconds above zero"):
        needs_of(1, None, limit)


@pytest.mark.parametrize(("memory", "limit"), [("much", None), (None, "long"), (None, "0s")])
def test_text_that_means_nothing_is_refused_with_an_example(memory: Any, limit: Any) -> None:
    with pytest.raises(ValueError, match="write for example") as caught:
        needs_of(1, memory, limit)
    assert isinstance(caught.value, InvalidInput)


def test_a_length_is_read_as_a_time_limit_is() -> None:
    assert [length_of(given) for given in (None, 1.5, "2min")] == [None, 1.5, 120.0]
    with pytest.raises(ValueError, match=r"length is 0; use seconds above zero"):
        length_of(0)
    with pytest.raises(ValueError, match="write for example"):
        length_of("long")


@pytest.mark.parametrize(
    "made",
    [task(length="9s")(dict), command("true", length=9), script("function f() {}", entry="f", length="9s")],
)
def test_steps_have_a_length(made: Any) -> None:
    with Workflow("w"):
        handle = made()
    assert handle.flow.steps[handle.name].options.length_s == 9.0


@pytest.mark.parametrize(
    "made",
    [task(require="gpu")(dict), command("true", require="gpu"), script("function f() {}", entry="f", require="gpu")],
)
def test_steps_say_what_their_node_must_be(made: Any) -> None:
    with Workflow("w"):
        handle = made()
    assert handle.flow.steps[handle.name].options.needs == Needs.of(condition="gpu")


def test_unknown_priorities_are_refused() -> None:
    assert priority_of("low") is Priority.LOW
    with pytest.raises(ValueError, match="use low or interactive"):
        priority_of("urgent")


@pytest.mark.parametrize("retries", [-1, 1.0, None, "1", RETRIES_MAX + 1])
def test_retries_are_a_whole_number(retries: Any) -> None:
    assert retries_of(RETRIES_MAX) == RETRIES_MAX
    with pytest.raises(ValueError, match="whole number from 0 to 1,000"):
        retries_of(retries)


def test_a_count_is_one_or_more() -> None:
    counts: list[Any] = [None, 1, Whole()]
    assert [count_of("chunksize", number) for number in counts] == [None, 1, 3]
    with pytest.raises(ValueError, match="chunksize is 0; use 1 or more"):
        count_of("chunksize", 0)


@pytest.mark.parametrize("wrong", [{"cpus": 0}, {"retries": -1}, {"time_limit": 0}])
def test_steps_of_workflows_are_checked_where_they_are_written(wrong: Any) -> None:
    for make in (
        lambda: task(**wrong),
        lambda: command("true", **wrong),
        lambda: script("function weevil_main() {}", **wrong),
    ):
        with pytest.raises(ValueError, match="use "):
            make()


def test_a_policy_is_one_of_those_that_there_are() -> None:
    assert [policy_named(name) for name in (None, "", "bfgc")] == ["", "", "bfgc"]
    with pytest.raises(ValueError, match=r"there is no policy 'best'; there are fcfs"):
        policy_named("best")
