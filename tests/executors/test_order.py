"""Orders in parts, and as processes hear of them."""

import pytest

from roost.executors import order as order_module
from roost.executors.order import EachPort, SharedInput, in_parts, restricted, told
from roost.model.ids import BlobHash
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Command, EdgeKind
from tests.executors.lab import Orders

WORK = Command(("true",))


def test_a_small_order_stays_whole() -> None:
    order = Orders().make(WORK, 5, items=[b"x"] * 5)
    assert list(in_parts(order)) == [order]


def test_a_large_order_is_split_with_all_its_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order_module, "INPUT_BYTES", 40)
    values = [bytes([65 + index]) * 10 for index in range(7)]
    order = Orders().make(WORK, 7, start=3, items=values, each=(EachPort("p", (pack(3, values),)),))
    parts = list(in_parts(order))
    assert len(parts) > 2
    assert [index for part in parts for index in part.ranges] == list(range(3, 10))
    for part in parts:
        wanted = [values[index - 3] for index in part.ranges]
        assert [value for segment in part.items for value in segment.values()] == wanted
        assert [value for segment in part.each[0].segments for value in segment.values()] == wanted
        assert part.lease == order.lease


def test_one_element_is_never_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order_module, "INPUT_BYTES", 4)
    order = Orders().make(WORK, 1, items=[b"much too long"])
    assert list(in_parts(order)) == [order]


def test_an_order_is_restricted_with_its_segments() -> None:
    order = Orders().make(WORK, 4, items=[b"a", b"b", b"c", b"d"])
    part = restricted(order, RangeSet.parse("1-2"))
    assert (part.ranges, part.items) == (RangeSet.parse("1-2"), (pack(1, [b"b", b"c"]),))
    assert restricted(order, order.ranges) is order


def test_a_process_is_told_of_an_order_without_what_it_was_sent_before() -> None:
    items, blobs = [b"x"] * 2, ((BlobHash("code"), b"pickle"),)
    shared = SharedInput("p", EdgeKind.BROADCAST, "k", (b"value",), "part")
    order = told(Orders().make(WORK, 2, items=items, shared=(shared,), blobs=blobs))
    assert (order.blobs, order.shared) == ((), (SharedInput("p", EdgeKind.BROADCAST, "k", (), "part"),))
    assert order.items == (pack(0, items),)
