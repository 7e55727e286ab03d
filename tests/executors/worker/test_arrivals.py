"""What arrives at the ports of a lease, element by element."""

import pickle
from typing import Any

import msgspec
import pytest

from roost.executors.order import EachPort, SharedInput
from roost.executors.worker.arrivals import Arrivals, Unstarted
from roost.model.errors import InvalidInput
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.task import EdgeKind, PortType
from roost.wire.values import encode_item


def element(index: int, *each: bytes) -> Unstarted:
    return (index, None, each)


def from_outside(kind: EdgeKind, results: dict[int, Any], levels: int = 1, pick: str = "") -> Arrivals:
    """Let the results of elements outside a pool arrive at the port p."""
    values = tuple(encode_item(results[parent]) for parent in sorted(results))
    return Arrivals([], [SharedInput("p", kind, "key", values, pick, levels=levels, parents=RangeSet.of(results))])


def test_every_element_finds_a_result_of_its_own() -> None:
    arrivals = Arrivals([EachPort("a", ()), EachPort("b", (), pick="x")], [])
    found = element(4, encode_item(1), encode_item({"x": 2}))
    assert (arrivals.value("a", found), arrivals.value("b", found)) == (1, 2)
    assert arrivals.is_own("a")
    assert not arrivals.same_for_all("a")


def test_what_lies_below_an_element_arrives_as_a_list_in_order() -> None:
    arrivals = Arrivals([EachPort("g", (), EdgeKind.GATHER, pick="n")], [])
    packed = msgspec.msgpack.encode([encode_item({"n": number}) for number in (3, 1, 2)])
    assert arrivals.value("g", element(0, packed)) == [3, 1, 2]
    assert arrivals.value("g", element(0, msgspec.msgpack.encode([]))) == []
    assert len(arrivals.results("g", element(0, packed))) == 3
    assert not arrivals.is_own("g")


def test_the_type_of_a_port_at_which_all_arrive_is_that_of_their_list() -> None:
    packed = msgspec.msgpack.encode([encode_item(1)])
    lists = Arrivals([EachPort("g", (), EdgeKind.GATHER, type=PortType.ARRAY)], [])
    assert lists.value("g", element(0, packed)) == [1]
    numbers = Arrivals([EachPort("g", (), EdgeKind.GATHER, type=PortType.NUMBER)], [])
    with pytest.raises(InvalidInput, match="the port 'g' takes Number, and Array"):
        numbers.value("g", element(0, packed))


def test_all_elements_find_the_same_list_of_all_and_each_a_copy() -> None:
    arrivals = Arrivals([], [SharedInput("all", EdgeKind.ALL, "k", (encode_item([1]), encode_item([2])))])
    first = arrivals.value("all", element(0))
    first[0].append("mine")
    assert arrivals.value("all", element(1)) == [[1], [2]]
    assert arrivals.same_for_all("all")


def test_a_value_that_cannot_change_is_opened_once() -> None:
    arrivals = Arrivals([], [SharedInput("one", EdgeKind.BROADCAST, "k", (pickle.dumps("x" * 100),))])
    assert arrivals.value("one", element(0)) is arrivals.value("one", element(1))


def test_an_item_of_the_list_arrives_at_each_place_in_a_block() -> None:
    arrivals = from_outside(EdgeKind.SPREAD, {0: ["a", "b"], 2: ["c"]})
    indices = (0, 1, 2 * POOL_BLOCK)
    assert [arrivals.value("p", element(index)) for index in indices] == ["a", "b", "c"]
    assert not arrivals.same_for_all("p")


def test_a_part_of_an_item_is_picked() -> None:
    arrivals = from_outside(EdgeKind.SPREAD, {0: [{"n": 1}, {"n": 2}]}, pick="n")
    assert [arrivals.value("p", element(index)) for index in (0, 1)] == [1, 2]


def test_an_element_cannot_change_an_item_under_the_feet_of_another_attempt() -> None:
    arrivals = from_outside(EdgeKind.SPREAD, {0: [[1]]})
    arrivals.value("p", element(0)).append("mine")
    assert arrivals.value("p", element(0)) == [1]


def test_a_list_that_is_too_short_is_missed() -> None:
    with pytest.raises(InvalidInput, match="the list that arrived has 1 items, and this element takes item 3"):
        from_outside(EdgeKind.SPREAD, {0: ["a"]}).value("p", element(3))


def test_all_in_a_block_find_the_result_of_the_element_outside() -> None:
    arrivals = from_outside(EdgeKind.EACH, {1: "one", 3: "three"})
    found = [arrivals.value("p", element(index)) for index in (POOL_BLOCK, POOL_BLOCK + 9, 3 * POOL_BLOCK)]
    assert found == ["one", "one", "three"]
    assert not arrivals.is_own("p")


def test_two_pools_further_out_is_found_as_well() -> None:
    arrivals = from_outside(EdgeKind.EACH, {2: "two", 0: "none"}, levels=2)
    assert arrivals.value("p", element((2 * POOL_BLOCK + 5) * POOL_BLOCK + 7)) == "two"
    assert arrivals.value("p", element(7)) == "none"


def test_a_port_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidInput, match="name the port 'gone', which the task does not have"):
        Arrivals([], []).value("gone", element(0))
    assert not Arrivals([], [])
