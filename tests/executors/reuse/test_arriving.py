"""What arrives counts by content: what later tasks can see of it, and nothing else."""

import pickle

import pytest

from roost.executors.order import EachPort, SharedInput
from roost.executors.reuse.arriving import Ports, content_digest
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Command, EdgeKind, PortType
from roost.wire.values import CommandResult, encode_command_result
from tests.executors.lab import Orders

WORK = Command(("true",))


def result(**fields: object) -> bytes:
    return encode_command_result(CommandResult(**fields))  # type: ignore[arg-type]  # the fields as they come


def test_how_long_a_command_took_and_what_it_complained_of_does_not_count() -> None:
    plain = result(stdout=b"x", files={"f": ("ab", 2)})
    assert content_digest(plain) == content_digest(
        result(stdout=b"x", stderr=b"warned", duration_s=3.0, peak_memory_bytes=9, files={"f": ("ab", 2)})
    )


@pytest.mark.parametrize(
    "other",
    [
        result(stdout=b"y", files={"f": ("ab", 2)}),
        result(stdout=b"x", files={"f": ("cd", 2)}),
        result(stdout=b"x", files={"g": ("ab", 2)}),
        result(stdout=b"x"),
        result(stdout=b"x", stdout_whole=("ab", 9), files={"f": ("ab", 2)}),
        result(stdout=b"x", datasets=("d",), files={"f": ("ab", 2)}),
        pickle.dumps("x"),
        b'"x"',
    ],
)
def test_output_files_and_datasets_count(other: bytes) -> None:
    assert content_digest(other) != content_digest(result(stdout=b"x", files={"f": ("ab", 2)}))


def test_each_element_has_its_own_and_all_share_the_rest() -> None:
    each = EachPort("own", (pack(0, [b"1", b"2"]),))
    shared = SharedInput("all", EdgeKind.ALL, "k", (b"3", b"4"))
    common, rows = Ports().of_order(Orders().make(WORK, 2, each=(each,), shared=(shared,)))
    assert set(common) == {"all"}
    assert [set(row) for row in rows] == [{"own"}] * 2
    assert rows[0] != rows[1]


def test_what_a_port_picks_and_takes_counts() -> None:
    found = set()
    for pick, kind in (("", PortType.ANY), ("a", PortType.ANY), ("", PortType.NUMBER)):
        shared = SharedInput("p", EdgeKind.BROADCAST, "k", (b"3",), pick, kind)
        found.add(Ports().of_order(Orders().make(WORK, shared=(shared,)))[0]["p"])
    assert len(found) == 3


def spread(data: bytes) -> list[bytes]:
    """Return the digests of what the three elements of a block get of a list."""
    parents = RangeSet.span(1, 2)
    shared = SharedInput("p", EdgeKind.SPREAD, repr(data), (data,), levels=1, parents=parents)
    order = Orders().make(WORK, 3, start=POOL_BLOCK, shared=(shared,))
    return [row["p"] for row in Ports().of_order(order)[1]]


def test_an_item_of_a_list_counts_by_itself() -> None:
    before, after = spread(b"[1, 2, 3]"), spread(b"[9, 1, 3]")
    assert before[2] == after[2]
    assert before[0] == after[1]
    assert before[1] not in after


def test_the_list_of_a_function_counts_as_a_whole_because_the_node_does_not_open_it() -> None:
    before, after = spread(pickle.dumps([1, 2, 3])), spread(pickle.dumps([9, 2, 3]))
    assert len({*before, *after}) == 6


def test_what_only_says_how_many_there_are_does_not_count() -> None:
    shared = SharedInput("", EdgeKind.SPREAD, "k", (b"[1]",), levels=1, parents=RangeSet.span(0, 1))
    assert Ports().of_order(Orders().make(WORK, shared=(shared,))) == ({}, [{}])
