"""Messages survive the way to a process and back."""

from roost.executors.order import EachPort, SharedInput
from roost.executors.worker.messages import (
    ENCODER,
    FROM_CHILD,
    TO_CHILD,
    Done,
    Failed,
    Forget,
    Hold,
    Keep,
    Progress,
    Ready,
    Returned,
    Stop,
    Stopped,
)
from roost.model.ids import BlobHash, LeaseId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import pack
from roost.model.task import Command, EdgeKind, Failure, Protocol, Script
from tests.executors.lab import order_of

SEGMENTS = (pack(3, [b"a", b"b"]),)


def test_all_messages_to_a_process() -> None:
    parents = RangeSet((1, 2, 4, 6))
    shared = (SharedInput("p", EdgeKind.SPREAD, "k", (), levels=1, parents=parents),)
    each = (EachPort("q", SEGMENTS),)
    command = Command(("x",), cwd="/", env={"A": "b"}, stdin="s", protocol=Protocol.LAN, outputs={"o": "p"})
    messages = [
        Keep("k", (b"1",)),
        Forget(("k",)),
        order_of(command, 3, 5, items=SEGMENTS, each=each, shared=shared, again=True),
        order_of(Script(BlobHash("code"), "job"), 3, 5, 8, 9, behind=LeaseId(7)),
        Stop(1, RangeSet((3, 4)), "kill"),
        Hold(1, on=True),
    ]
    assert TO_CHILD.decode(ENCODER.encode(messages)) == messages


def test_all_messages_from_a_process() -> None:
    messages = [
        Ready(),
        Done(1, SEGMENTS, 0.5),
        Failed(1, 3, Failure("bad", exit_code=1)),
        Returned(1, RangeSet((3, 4, 7, 9))),
        Progress(1, 3, 0.5, "half"),
        Stopped(1, EMPTY),
    ]
    assert FROM_CHILD.decode(ENCODER.encode(messages)) == messages
