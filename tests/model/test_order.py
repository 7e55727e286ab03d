from graphlib import CycleError
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.order import in_order


def test_what_stands_in_order_stays_as_it_is() -> None:
    assert in_order({"c": [], "a": ["c"], "b": ["a", "c"]}) == ["c", "a", "b"]


def test_what_is_needed_comes_right_before_the_first_that_needs_it() -> None:
    assert in_order({"a": ["d", "c"], "b": [], "c": ["e"], "d": [], "e": []}) == ["d", "e", "c", "a", "b"]


def test_what_is_not_there_is_not_waited_for() -> None:
    assert in_order({"a": ["x"], "b": ["a", "y"]}) == ["a", "b"]


def test_a_circle_is_told() -> None:
    with pytest.raises(CycleError) as caught:
        in_order({"a": [], "b": ["a", "c"], "c": ["d"], "d": ["b"]})
    assert set(caught.value.args[1]) == {"b", "c", "d"}


def test_a_long_chain_needs_no_deep_stack() -> None:
    count = 100_000
    assert in_order({at: [at + 1] for at in range(count)}) == list(range(count - 1, -1, -1))


@given(st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 8), max_size=4)))
def test_all_come_behind_their_sources_or_there_is_a_circle(sources: dict[int, list[int]]) -> None:
    try:
        order = in_order(sources)
    except CycleError as error:
        circle = error.args[1]
        assert all(one in sources[next_] or next_ in sources[one] for one, next_ in pairwise(circle))
        return
    assert sorted(order) == sorted(sources)
    places = {key: at for at, key in enumerate(order)}
    for key, needed in sources.items():
        assert all(places[source] < places[key] for source in needed if source in places)
