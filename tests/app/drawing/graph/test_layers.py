"""Layers, orders and places."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.app.drawing.graph.layers import arranged, layer_numbers, nearest_places
from tests.app.drawing.graph.shapes import graph, random_graph


def test_every_step_is_below_all_its_sources() -> None:
    found = random_graph(3, 200)
    number = layer_numbers(found)
    assert all(number[link.source] < number[link.target] for link in found.links)
    assert layer_numbers(graph("a > b > c", "a > c", "x > c")) == {"a": 0, "b": 1, "c": 2, "x": 0}


def test_a_circle_does_not_hang() -> None:
    assert set(layer_numbers(graph("a > b > c > a", "c > d"))) == {"a", "b", "c", "d"}


def test_a_link_that_passes_layers_passes_a_knot_in_each() -> None:
    layout = arranged(
        ["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")], dict.fromkeys("abcd", 5.0), 2
    )
    assert layout.layers == [["a"], ["b", ("a", 1)], ["c", ("a", 2)], ["d"]]
    assert layout.down[("a", 2)] == ["d"]


def test_links_of_one_source_share_their_knots() -> None:
    links = [("a", "b"), ("b", "c"), ("c", "d"), ("c", "e"), ("a", "d"), ("a", "e")]
    layout = arranged(list("abcde"), links, dict.fromkeys("abcde", 3.0), 1)
    assert [item for row in layout.layers for item in row if isinstance(item, tuple)] == [("a", 1), ("a", 2)]


def test_crossed_links_are_uncrossed() -> None:
    layout = arranged(list("abxy"), [("a", "y"), ("b", "x")], dict.fromkeys("abxy", 3.0), 1)
    above, below = layout.layers
    assert [layout.down[item] for item in above] == [[item] for item in below]


def test_the_same_graph_is_always_drawn_the_same_way() -> None:
    found = random_graph(7, 60)
    links = [(link.source, link.target) for link in found.links]
    keys = [step.key for step in found.steps]
    first, second = (arranged(keys, links, dict.fromkeys(keys, 8.0), 2) for _ in range(2))
    assert (first.layers, first.middle) == (second.layers, second.middle)


def test_steps_of_a_layer_do_not_overlap_and_begin_at_the_left() -> None:
    found = random_graph(5, 80)
    keys = [step.key for step in found.steps]
    widths = {key: 5.0 + len(key) for key in keys}
    layout = arranged(keys, [(link.source, link.target) for link in found.links], widths, 2)
    for row in layout.layers:
        for left, right in pairwise(row):
            apart = (widths.get(left, 1.0) + widths.get(right, 1.0)) / 2 + 2
            assert layout.middle[right] - layout.middle[left] >= apart - 1e-6
    assert min(layout.middle[key] - widths[key] / 2 for key in keys) >= -1e-6


def test_a_source_stands_over_the_middle_of_its_targets() -> None:
    layout = arranged(list("abcd"), [("a", "b"), ("a", "c"), ("a", "d")], dict.fromkeys("abcd", 4.0), 2)
    assert layout.middle["a"] == pytest.approx(layout.middle["c"])


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.floats(0, 10))
def test_places_are_in_order_and_apart_and_kept_if_they_can_be(wanted: list[float], distance: float) -> None:
    places = nearest_places(wanted, [distance] * (len(wanted) - 1))
    assert all(right - left >= distance - 1e-6 for left, right in pairwise(places))
    if all(right - left >= distance for left, right in pairwise(wanted)):
        assert places == pytest.approx(wanted)
