"""Messages survive the way to a process and back."""

from roost.executors.worker.messages import (
    ENCODER,
    FROM_CHILD,
    TO_CHILD,
    CommandLease,
    Done,
    EachPort,
    Failed,
    Forget,
    FunctionLease,
    Hold,
    Keep,
    Progress,
    Ready,
    Returned,
    SharedPort,
    Stop,
    Stopped,
)
from roost.model.segments import pack
from roost.model.task import Command, EdgeKind, Failure, Protocol
from tests.tokens import attempt

SEGMENTS = (pack(3, [b"a", b"b"]),)


def test_all_messages_to_a_process() -> None:
    shared = (SharedPort("p", EdgeKind.ALL, "k"),)
    each = (EachPort("q", SEGMENTS),)
    command = Command(("x",), cwd="/", env={"A": "b"}, stdin="s", protocol=Protocol.LAN, outputs={"o": "p"})
    messages = [
        Keep("k", (b"1",), last=False),
        Forget(("k",)),
        CommandLease(1, "1-bababa/t", attempt(2), True, (3, 5), SEGMENTS, each, shared, True, 4, command, True, 1.5),
        FunctionLease(1, "1-bababa/t", attempt(2), False, (3, 5), SEGMENTS, each, shared, False, "code", None, "start"),
        Stop(1, (3, 4), "kill"),
        Hold(1, on=True),
    ]
    assert TO_CHILD.decode(ENCODER.encode(messages)) == messages


def test_all_messages_from_a_process() -> None:
    messages = [
        Ready(),
        Done(1, SEGMENTS, 0.5),
        Failed(1, 3, Failure("bad", exit_code=1)),
        Returned(1, (3, 4, 7, 9)),
        Progress(1, 3, 0.5, "half"),
        Stopped(1, ()),
    ]
    assert FROM_CHILD.decode(ENCODER.encode(messages)) == messages
