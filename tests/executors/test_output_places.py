"""Outputs of elements that share a folder."""

from typing import Any

import pytest

from roost.executors.output_places import check_output_places
from roost.model.errors import InvalidInput
from roost.model.limits import OUTPUT_ITEMS_COMPARED_MAX
from roost.model.ranges import ONE, RangeSet
from roost.model.task import Command, EdgeKind

PORTS = {"x": EdgeKind.EACH}
THREE = RangeSet.span(1, 4)


def command(path: str, cwd: str | None = "/data", program: str = "") -> Command:
    return Command(("true",), cwd, outputs={"f": path}, program=program)


@pytest.mark.parametrize(
    ("given", "elements", "items"),
    [
        (Command(("true",), "/data"), THREE, None),
        (command("o.txt", None), THREE, None),
        (command("o.txt"), ONE, None),
        (command("o.txt", "/data/{i}"), THREE, None),
        (command("out/{i}.txt"), THREE, None),
        (command("out/{i}.txt"), None, None),
        (command("{item.a}.txt"), THREE, [{"a": 1}, {"a": 2}, {"a": 3}]),
        (command("{/.}.png"), THREE, ["in/a.jpg", "in/b.jpg", "c.jpg"]),
        (command("o.txt", "/data/{item}"), THREE, ["a", "b", "c"]),
        (command("{i}-{needs.x}", program="fit"), THREE, None),
    ],
)
def test_elements_that_keep_apart_may_run(given: Command, elements: RangeSet | None, items: list[Any] | None) -> None:
    check_output_places(given, elements, items, PORTS)


@pytest.mark.parametrize(
    ("given", "elements", "items"),
    [
        (command("o.txt"), THREE, None),
        (command("o.txt"), None, None),
        (command("{needs.x}.txt"), THREE, None),
        (command("{run}.txt"), THREE, None),
        (command("{{i}}.txt"), THREE, None),
        (command("o.txt"), THREE, ["a", "b", "c"]),
        (command("{item.a}.txt"), THREE, [{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 2}]),
        (command("{/.}.png"), THREE, ["in/a.jpg", "out/a.jpg", "c.jpg"]),
        (command("{item}"), THREE, ["a", "./a", "b"]),
        (command("{item}"), RangeSet.span(0, OUTPUT_ITEMS_COMPARED_MAX + 1), range(OUTPUT_ITEMS_COMPARED_MAX + 1)),
        (command("o.txt", None, program="fit"), THREE, None),
    ],
)
def test_elements_that_would_write_one_file_are_refused(
    given: Command, elements: RangeSet | None, items: list[Any] | None
) -> None:
    with pytest.raises(InvalidInput, match=r"its elements share the .* put \{i\} into the path"):
        check_output_places(given, elements, items, PORTS)


def test_paths_that_cross_or_collapse_are_one_file_too() -> None:
    crossing = Command(("make",), "/data", outputs={"f": "x{i}.txt", "g": "x1{i}.txt"})
    with pytest.raises(InvalidInput, match=r"the output 'g' to one file there"):
        check_output_places(crossing, RangeSet.of([1, 11]), None, {})
    check_output_places(crossing, RangeSet.of([1, 2]), None, {})
    collapsing = Command(("make",), "/data/{i}/..", outputs={"f": "o.txt"})
    for elements in (THREE, None):
        with pytest.raises(InvalidInput, match="one file there"):
            check_output_places(collapsing, elements, None, {})


def test_the_refusal_says_what_and_the_way_out() -> None:
    with pytest.raises(InvalidInput) as caught:
        check_output_places(command("o.txt"), THREE, None, {})
    assert str(caught.value) == (
        "its elements share the folder '/data', and several would write the output 'f' to one file there, 'o.txt'; "
        "leave out the folder (cwd), so that each runs in one of its own, or put {i} into the path"
    )
