from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.api.python_session import (
    Blame,
    Cancel,
    Ended,
    Failures,
    FromClient,
    FromNode,
    Hello,
    Look,
    Named,
    NameRun,
    NewTask,
    Refused,
    Results,
    Seal,
    Seen,
    Submit,
    Taken,
    Watch,
    Watched,
    Welcome,
    decode_from_client,
    decode_from_node,
    encode_message,
)
from roost.model.errors import PeerError
from roost.model.ids import BlobHash, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Command, Edge, EdgeKind, Failure, Function, Needs, Priority, Reuse, RunKind

RUN, TASK = RunId("5-kedova"), TaskId("5-kedova/f-1")
RANGES = RangeSet.parse("0-9,20")
FULL = NewTask(
    TASK,
    Function(BlobHash("ab"), "3.11", "f", BlobHash("cd"), BlobHash("ef")),
    RANGES,
    (pack(0, [b"x"] * 10), pack(20, [b""])),
    (Edge(TaskId("5-kedova/e"), EdgeKind.EACH, "p0"),),
    Needs.of(0.5, 2**20, 1.5),
    Priority.INTERACTIVE,
    3,
    TaskId("5-kedova/e"),
    1,
    True,
    b"[1]",
    Reuse.PURE,
)
FROM_CLIENT: list[FromClient] = [
    Hello(1, "client", "owner", "host", resumed=True),
    NameRun(1),
    Submit(2, RUN, "name", RunKind.SESSION, (FULL,), ((BlobHash("ab"), b"\x00\xff"),), (TASK,)),
    Submit(3, RUN, "name", RunKind.FLOW, (NewTask(TASK, Command(("sort", "-u")), RANGES),)),
    Watch(4, TASK, RANGES),
    Watch(5, TASK),
    Cancel(6, TASK, RANGES),
    Cancel(7, RUN),
    Look(8, RUN, ended=True),
    Seal(9, RUN),
]
FROM_NODE: list[FromNode] = [
    Welcome(1, "ash", "3.11"),
    Named(1, RUN),
    Taken(2, 11, ("a warning",)),
    Watched(3, RANGES, command=True),
    Seen(4, "done", {"done": 11}),
    Refused(5, Blame.SEALED, "no more tasks"),
    Results(TASK, (pack(0, [b"a", b"b"]),)),
    Failures(TASK, ((3, Failure("exit code 3", exit_code=3, detail="last line")),)),
    Ended(TASK, "cancelled", RANGES),
]


@pytest.mark.parametrize("message", FROM_CLIENT)
def test_messages_of_a_client_come_back_as_they_were(message: FromClient) -> None:
    assert decode_from_client(encode_message(message)) == message


@pytest.mark.parametrize("message", FROM_NODE)
def test_messages_of_a_node_come_back_as_they_were(message: FromNode) -> None:
    assert decode_from_node(encode_message(message)) == message


def test_neither_side_takes_the_other_sides_messages() -> None:
    with pytest.raises(PeerError):
        decode_from_client(encode_message(Named(1, RUN)))
    with pytest.raises(PeerError):
        decode_from_node(encode_message(NameRun(1)))


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_with_an_error_of_ours(data: bytes) -> None:
    for decode in (decode_from_client, decode_from_node):
        with suppress(PeerError):
            decode(data)


@given(st.sampled_from(FROM_CLIENT), st.data())
def test_damaged_messages_are_read_or_refused_but_never_break_anything(
    message: FromClient, data: st.DataObject
) -> None:
    good = bytearray(encode_message(message))
    at = data.draw(st.integers(0, len(good) - 1))
    good[at] = data.draw(st.integers(0, 255))
    with suppress(PeerError):
        decode_from_client(bytes(good))
