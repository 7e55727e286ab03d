"""Pools as boxes."""

from roost.app.drawing.graph.graph import DrawnStep, Graph, Link
from roost.app.drawing.graph.nesting import Box, nested
from tests.app.drawing.graph.shapes import graph


def shape(box: Box) -> list[object]:
    return [shape(child) if isinstance(child, Box) else child.key for child in box.children]


def links(box: Box) -> list[str]:
    return [f"{link.source} > {link.target}" for link in box.links]


def test_steps_that_are_in_no_pool_stand_free() -> None:
    root = nested(graph("a > b"))
    assert (shape(root), links(root)) == (["a", "b"], ["a > b"])


def test_the_steps_of_a_pool_are_in_a_box_and_links_end_at_it() -> None:
    steps = [DrawnStep("list", "list"), DrawnStep("fit", "fit", pool="list"), DrawnStep("score", "score", pool="list")]
    root = nested(graph("list > fit > score > best", steps=steps))
    assert shape(root) == ["list", ["fit", "score"], "best"]
    assert links(root) == ["list > pool list", "pool list > best"]
    (box,) = (child for child in root.children if isinstance(child, Box))
    assert (box.label, links(box)) == ("for each of list", ["fit > score"])


def test_a_pool_that_is_a_node_of_its_own_is_its_own_box() -> None:
    steps = [DrawnStep("p", "p", "pool"), DrawnStep("inner", "inner", pool="p")]
    root = nested(graph("a > p > z", "p > inner", steps=steps))
    assert shape(root) == [["inner"], "a", "z"]
    assert links(root) == ["a > p", "p > z"]


def test_pools_nest() -> None:
    steps = [
        DrawnStep("list", "list"),
        DrawnStep("fit", "fit", pool="list"),
        DrawnStep("deep", "deep", pool="fit"),
        DrawnStep("score", "score", pool="list"),
    ]
    root = nested(graph("list > fit > deep > score > best", steps=steps))
    assert shape(root) == ["list", ["fit", ["deep"], "score"], "best"]
    (outer,) = (child for child in root.children if isinstance(child, Box))
    assert links(outer) == ["fit > pool fit", "pool fit > score"]


def test_a_pool_with_something_outside_between_its_steps_is_not_drawn_as_a_box() -> None:
    steps = [DrawnStep("list", "list"), DrawnStep("one", "one", pool="list"), DrawnStep("two", "two", pool="list")]
    root = nested(graph("list > one > outside > two", "list > two", steps=steps))
    assert shape(root) == ["list", "one", "two", "outside"]
    assert "outside > two" in links(root)


def test_a_pool_that_would_be_in_itself_stands_free() -> None:
    steps = [DrawnStep("a", "a", pool="b"), DrawnStep("b", "b", pool="a")]
    root = nested(Graph("odd", steps, [Link("a", "b")]))
    assert sorted(key for key in _all_keys(root)) == ["a", "b"]


def _all_keys(box: Box) -> list[str]:
    return [key for child in box.children for key in (_all_keys(child) if isinstance(child, Box) else [child.key])]
