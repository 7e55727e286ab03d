"""The node's end of a session, spoken to by a plain WebSocket client."""

import pickle
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, TypeVar

import msgspec
import pytest
from websockets.sync.client import connect

from roost.api.python_session import (
    SESSION_VERSION,
    Blame,
    Cancel,
    Ended,
    FromClient,
    FromNode,
    Hello,
    Look,
    LookAt,
    Named,
    NameRun,
    NewTask,
    Refused,
    Results,
    Seal,
    Seen,
    Submit,
    Taken,
    Together,
    Watch,
    Watched,
    Welcome,
    decode_from_node,
    encode_message,
)
from roost.app.intake.work import blob_hash
from roost.app.web.python_session import seal_earlier_sessions
from roost.core.events import Submitted
from roost.model.errors import Unavailable
from roost.model.ids import BlobHash, RunId, TaskId, task_id
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Command, Edge, EdgeKind, Function, RunKind, Value
from tests.client.small_node import TOKEN, SmallNode

T = TypeVar("T", bound=FromNode)
CODE = pickle.dumps(abs)
BLOB = blob_hash(CODE)


class Client:
    def __init__(self, node: SmallNode, client: str = "me", *, resumed: bool = False, greet: bool = True) -> None:
        url = node.find().url.replace("http", "ws") + "/v1/session"
        headers = {"Authorization": f"Bearer {TOKEN}"}
        self._opened = ExitStack()
        self._received: list[FromNode] = []
        self.socket = self._opened.enter_context(connect(url, additional_headers=headers, compression=None))
        if greet:
            self.send(Hello(SESSION_VERSION, client, "owner", "host", resumed))
            self.receive(Welcome)

    def close(self) -> None:
        self._opened.close()

    def send(self, *messages: FromClient) -> None:
        for message in messages:
            self.socket.send(encode_message(message))

    def receive(self, kind: type[T]) -> T:
        message = self.receive_any()
        assert isinstance(message, kind), message
        return message

    def receive_any(self) -> FromNode:
        if not self._received:
            data = self.socket.recv(10)
            assert isinstance(data, bytes)
            message = decode_from_node(data)
            parts = message.messages if isinstance(message, Together) else (data,)
            self._received += [decode_from_node(part) for part in parts]
        return self._received.pop(0)

    def name_run(self) -> RunId:
        self.send(NameRun(1))
        return self.receive(Named).run


@pytest.fixture
def node() -> Iterator[SmallNode]:
    with SmallNode() as running:
        yield running


@pytest.fixture
def client(node: SmallNode) -> Iterator[Client]:
    connected = Client(node)
    yield connected
    connected.close()


def submit(run: RunId, name: str = "f", numbers: tuple[int, ...] = (-1, -2), key: int = 2, **more: Any) -> Submit:
    items = (pack(0, [pickle.dumps(((number,), {})) for number in numbers]),)
    new = NewTask(task_id(run, name), Function(BLOB, "3.11", "abs"), RangeSet.span(0, len(numbers)), items)
    return Submit(key, run, "test", more.pop("kind", RunKind.SESSION), (new,), ((BLOB, CODE),), **more)


def values(results: Results) -> list[Any]:
    return [pickle.loads(value) for segment in results.segments for value in segment.values()]


def test_a_session_of_another_version_is_refused_with_a_sentence(node: SmallNode) -> None:
    client = Client(node, greet=False)
    client.send(Hello(SESSION_VERSION + 1, "me", "owner", "host"))
    refused = client.receive(Refused)
    assert (refused.key, refused.blame) == (-1, Blame.INVALID)
    assert "restart the node" in refused.message
    client.close()


@pytest.mark.parametrize("first", [b"", b"\xff\xff", encode_message(NameRun(1)), "a text"])
def test_a_session_that_does_not_begin_with_a_hello_is_refused(node: SmallNode, first: bytes | str) -> None:
    client = Client(node, greet=False)
    client.socket.send(first)
    assert client.receive(Refused).key == -1
    client.close()


def test_bytes_that_mean_nothing_end_the_session_and_nothing_else(node: SmallNode, client: Client) -> None:
    other = Client(node, "other")
    client.socket.send(b"\xc1\xc1")
    assert client.receive(Refused).key == -1
    assert other.name_run()
    other.close()


def test_a_submission_is_answered_and_its_results_are_pushed(node: SmallNode, client: Client) -> None:
    run = client.name_run()
    client.send(submit(run))
    assert client.receive(Taken) == Taken(2, 2)
    assert values(client.receive(Results)) == [1, 2]
    record = node.service.runs[run]
    assert (record.spec.kind, record.spec.owner, record.spec.host) == (RunKind.SESSION, "owner", "host")
    assert not record.sealed.on


def test_later_tasks_join_the_run_until_it_is_sealed(node: SmallNode, client: Client) -> None:
    run = client.name_run()
    client.send(submit(run, "f"), submit(run, "g", key=3), Seal(4, run))
    kinds = [type(client.receive_any()).__name__ for _ in range(5)]
    assert sorted(kinds) == ["Results", "Results", "Taken", "Taken", "Taken"]
    assert node.service.runs[run].sealed.on
    client.send(submit(run, "h", key=5))
    assert client.receive(Refused).blame is Blame.SEALED


def test_a_run_is_sealed_when_its_client_goes_away_and_goes_on(node: SmallNode, client: Client) -> None:
    node.service.holding = True
    run = client.name_run()
    client.send(submit(run))
    client.receive(Taken)
    client.close()
    again = Client(node, resumed=True)
    assert node.service.runs[run].sealed.on
    again.send(Watch(1, task_id(run, "f")))
    assert again.receive(Watched) == Watched(1, RangeSet.span(0, 2))
    node.do(node.service.work)
    assert values(again.receive(Results)) == [1, 2]
    again.close()


def test_a_submission_that_is_repeated_is_accepted_once(node: SmallNode, client: Client) -> None:
    run = client.name_run()
    client.send(submit(run))
    client.receive(Taken)
    client.receive(Results)
    client.close()
    again = Client(node, resumed=True)
    again.send(submit(run))
    assert again.receive(Taken) == Taken(2, 2)
    assert values(again.receive(Results)) == [1, 2]
    assert len(node.service.specs) == 1
    again.close()


def test_a_flow_is_sealed_at_once_and_its_results_wait_to_be_asked_for(node: SmallNode, client: Client) -> None:
    run = client.name_run()
    client.send(submit(run, kind=RunKind.FLOW), Look(3, run, ended=True))
    assert client.receive(Taken).key == 2
    assert client.receive(Seen) == Seen(3, "done", {"done": 2})
    assert node.service.runs[run].sealed.on
    client.send(Watch(4, task_id(run, "f"), RangeSet.of([1])))
    client.receive(Watched)
    assert values(client.receive(Results)) == [2]


def test_looking_for_the_end_is_answered_at_the_end(node: SmallNode, client: Client) -> None:
    node.service.holding = True
    run = client.name_run()
    client.send(submit(run, kind=RunKind.FLOW))
    client.receive(Taken)
    client.send(Look(3, run, ended=True), Look(4, run))
    assert client.receive(Seen) == Seen(4, "running", {"ready": 2})
    node.do(node.service.work)
    assert client.receive(Seen) == Seen(3, "done", {"done": 2})


def test_cancelling_a_task_or_a_run(node: SmallNode, client: Client) -> None:
    node.service.holding = True
    run = client.name_run()
    client.send(submit(run, numbers=(1, 2, 3)))
    client.receive(Taken)
    client.send(Cancel(3, task_id(run, "f"), RangeSet.of([1])))
    answers = {type(message): message for message in (client.receive_any() for _ in range(2))}
    assert answers == {Taken: Taken(3, 1), Ended: Ended(task_id(run, "f"), "cancelled", RangeSet.of([1]))}
    client.send(Cancel(4, run))
    answers = {type(message): message for message in (client.receive_any() for _ in range(2))}
    assert answers[Taken] == Taken(4, 2)


def test_cancelling_what_does_not_run_and_looking_at_an_element(node: SmallNode, client: Client) -> None:
    node.service.holding = True
    run = client.name_run()
    task = task_id(run, "f")
    client.send(submit(run, numbers=(1, 2, 3)))
    client.receive(Taken)
    node.do(lambda: node.service.begin(task, RangeSet.of([1])))
    client.send(LookAt(3, task, 1), LookAt(4, task, 2))
    assert [client.receive(Seen) for _ in range(2)] == [Seen(3, "running", {}), Seen(4, "ready", {})]
    client.send(Cancel(5, task, unleased=True))
    answers = {type(message): message for message in (client.receive_any() for _ in range(2))}
    assert answers == {Taken: Taken(5, 2), Ended: Ended(task, "cancelled", RangeSet.of([0, 2]))}
    client.send(LookAt(6, TaskId("9-bababa/x"), 0))
    assert client.receive(Refused).blame is Blame.NOT_FOUND


def test_refusals_say_who_is_to_blame_and_change_nothing(node: SmallNode, client: Client) -> None:
    run = client.name_run()
    empty = Submit(
        2, run, "test", RunKind.SESSION, (NewTask(task_id(run, "f"), Function(BlobHash("x"), "3.11"), RangeSet()),)
    )
    client.send(empty)
    assert client.receive(Refused).blame is Blame.NOT_FOUND
    client.send(submit(run, "wrong name"))
    assert client.receive(Refused).blame is Blame.INVALID
    client.send(submit(RunId("../5")))
    assert "id that a node gave" in client.receive(Refused).message
    client.send(msgspec.structs.replace(submit(run), blobs=((BLOB, b"something else"),)))
    assert "another hash" in client.receive(Refused).message
    unknown: list[FromClient] = [
        Watch(3, TaskId("9-bababa/f")),
        Look(4, RunId("9-bababa")),
        Cancel(5, "9-bababa/f"),
    ]
    for question in unknown:
        client.send(question)
        assert client.receive(Refused).blame is Blame.NOT_FOUND
    node.service.refusal = Unavailable("the disk is full")
    client.send(submit(run))
    assert client.receive(Refused) == Refused(2, Blame.UNAVAILABLE, "the disk is full")
    assert node.service.specs == {}


def flow(run: RunId, *tasks: NewTask) -> Submit:
    return Submit(5, run, "flow", RunKind.FLOW, tasks)


def test_a_value_comes_with_its_result_and_a_pool_with_its_mapper(node: SmallNode, client: Client) -> None:
    node.service.holding = True
    run = client.name_run()
    numbers, square = task_id(run, "numbers"), task_id(run, "square")
    pool = NewTask(
        square,
        Value("x"),
        RangeSet.span(0, POOL_BLOCK),
        edges=(Edge(numbers, EdgeKind.SPREAD, "x"),),
        mapper=numbers,
        depth=1,
    )
    one = RangeSet.span(0, 1)
    values_of = [NewTask(numbers, Value("[1,2]"), one, is_mapped=True, result=b"[1,2]")]
    client.send(flow(run, *values_of, pool))
    assert "if, and only if, it is a value" in client.receive(Refused).message
    client.send(flow(run, *values_of, msgspec.structs.replace(pool, work=Command(("x",)))))
    assert client.receive(Taken).elements == 1
    submitted = next(request for request in node.service.asked if isinstance(request, Submitted))
    assert [(task, segment.values(), length) for task, segment, length in submitted.given] == [(numbers, [b"[1,2]"], 2)]
    assert [(task.mapper, task.depth, task.is_mapped) for task in submitted.tasks] == [
        (None, 0, True),
        (numbers, 1, False),
    ]


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (NewTask(TaskId("t"), Value("x"), RangeSet.span(0, 1)), "if, and only if, it is a value"),
        (NewTask(TaskId("t"), Command(("x",)), RangeSet.span(0, 1), result=b"1"), "if, and only if, it is a value"),
        (NewTask(TaskId("t"), Value("x"), RangeSet.span(0, 2), result=b"1"), "there once and waits for nothing"),
        (NewTask(TaskId("t"), Value("x"), RangeSet.span(0, 1), result=b"{"), "cannot be read"),
        (NewTask(TaskId("t"), Value("x"), RangeSet.span(0, 1), result=b"1", is_mapped=True), "it must be a list"),
    ],
)
def test_a_value_that_cannot_be_is_refused(client: Client, task: NewTask, message: str) -> None:
    run = client.name_run()
    client.send(flow(run, msgspec.structs.replace(task, id=task_id(run, "t"))))
    refused = client.receive(Refused)
    assert refused.blame is Blame.INVALID
    assert message in refused.message


def test_sessions_that_an_earlier_life_left_open_are_sealed(node: SmallNode, client: Client) -> None:
    run = client.name_run()
    client.send(submit(run))
    client.receive(Taken)
    assert not node.service.runs[run].sealed.on
    assert node._server is not None
    node.run(seal_earlier_sessions(node._server._runner.app))
    assert node.service.runs[run].sealed.on
