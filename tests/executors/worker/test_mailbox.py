"""The worker's side of the channel, without its thread."""

import pickle
import socket
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from roost.executors.order import Order, SharedInput
from roost.executors.worker import mailbox as mailbox_module
from roost.executors.worker.loading import Functions
from roost.executors.worker.mailbox import FLUSH_MANY, FLUSH_MAX_S, FLUSH_S, Mailbox
from roost.executors.worker.messages import (
    FROM_CHILD,
    Done,
    Failed,
    Forget,
    FromChild,
    Hold,
    Keep,
    Returned,
    Stop,
    Stopped,
)
from roost.executors.worker.raised import PYTHON
from roost.model.ids import BlobHash
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.segments import pack
from roost.model.task import EdgeKind, Failure, Function, Script
from roost.wire.frames import FrameReader
from tests.executors.lab import order_of

WORK = Function(BlobHash("code"), PYTHON)


class Office:
    """A mailbox and the other end of its channel."""

    def __init__(self) -> None:
        self.node, channel = socket.socketpair()
        self.channel = channel
        self.mailbox = Mailbox(channel, Functions())
        self.mailbox._handle(Keep("code", (b"pickle",)))

    def lease(self, name: int, *bounds: int, items: tuple[bytes, ...] = ()) -> None:
        packed = (pack(bounds[0], list(items)),) if items else ()
        self.mailbox._handle(order_of(WORK, *bounds, lease=name, items=packed))

    def sent(self) -> list[FromChild]:
        data = self.node.recv(1 << 20)
        return [part for message in FrameReader().feed(data) for part in FROM_CHILD.decode(message)]


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.node.close()
    office.channel.close()


def test_leases_arrive_with_their_elements(office: Office) -> None:
    office.lease(1, 3, 5, items=(b"a", b"b"))
    office.lease(2, 0, 1)
    lease = office.mailbox.next()
    assert list(lease.todo) == [(3, b"a", ()), (4, b"b", ())]
    assert lease.code == ("code", b"pickle")
    lease.todo.clear()
    assert office.mailbox.finish(lease)
    assert list(office.mailbox.next().todo) == [(0, None, ())]


def test_a_lease_of_scripts_keeps_items_and_arguments_apart(office: Office) -> None:
    office.mailbox._handle(Keep("arguments", (b"[1]",)))
    script = Script(BlobHash("code"), "job", arguments=BlobHash("arguments"))
    office.mailbox._handle(order_of(script, 0, 1, lease=1, items=(pack(0, [b'"x"']),)))
    office.mailbox._handle(order_of(script, 5, 6, lease=2))
    for expected in ([(0, b'"x"', ())], [(5, None, ())]):
        lease = office.mailbox.next()
        assert (list(lease.todo), lease.arguments, lease.initializer) == (expected, b"[1]", None)


def test_more_elements_of_a_lease_that_is_here_join_it(office: Office) -> None:
    office.lease(1, 0, 2)
    lease = office.mailbox.next()
    office.lease(1, 2, 4)
    assert [element[0] for element in lease.todo] == [0, 1, 2, 3]
    assert not office.mailbox.finish(lease)


def test_what_a_lease_names_may_be_forgotten_once_it_is_here(office: Office) -> None:
    office.lease(1, 0, 1)
    office.mailbox._handle(Forget(("code",)))
    assert office.mailbox.next().code[1] == b"pickle"


def test_results_go_before_what_comes_after_them(office: Office) -> None:
    office.lease(1, 0, 5)
    lease = office.mailbox.next()
    for index in (0, 1, 3):
        lease.todo.popleft()
        office.mailbox.indices.append(index)
        office.mailbox.values.append(b"%d" % index)
    office.mailbox.send(Failed(1, 2, Failure("bad")))
    done, failed = office.sent()
    assert isinstance(done, Done)
    assert done.segments == (pack(0, [b"0", b"1"]), pack(3, [b"3"]))
    assert failed == Failed(1, 2, Failure("bad"))


def test_the_more_results_leave_together_the_longer_the_next_wait_up_to_a_limit_until_few_come_in_time(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(mailbox_module, "monotonic", lambda: now)
    office.lease(1, 0, 10 * FLUSH_MANY)
    office.mailbox.next()
    waits = []
    for count, is_due in (*[(FLUSH_MANY, True)] * 7, (1, False), (1, True), (FLUSH_MANY, True)):
        now = office.mailbox.flush_at if is_due else now
        office.mailbox.indices += range(count)
        office.mailbox.values += [b""] * count
        office.mailbox.flush()
        waits.append(office.mailbox.flush_at - now)
    assert waits == pytest.approx([0.02, 0.04, 0.08, 0.16, 0.32, FLUSH_MAX_S, FLUSH_MAX_S, FLUSH_MAX_S, FLUSH_S, 0.02])


def test_a_stop_gives_back_what_has_not_begun_after_all_results(office: Office) -> None:
    office.lease(1, 0, 5)
    lease = office.mailbox.next()
    lease.todo.popleft()
    office.mailbox.indices.append(0)
    office.mailbox.values.append(b"0")
    lease.todo.popleft()
    office.mailbox._handle(Stop(1, RangeSet.span(0, 4), "kill"))
    done, stopped = office.sent()
    assert isinstance(done, Done)
    assert stopped == Stopped(1, RangeSet.span(2, 4))
    assert [element[0] for element in lease.todo] == [4]
    office.mailbox._handle(Stop(99, RangeSet.span(0, 4), "kill"))
    assert office.sent() == [Stopped(99, EMPTY)]


def test_a_lease_can_be_held_and_released(office: Office) -> None:
    office.lease(1, 0, 1)
    lease = office.mailbox.next()
    office.mailbox._handle(Hold(1, on=True))
    assert lease.held
    office.mailbox._handle(Hold(1, on=False))
    office.mailbox.wait_while_held(lease)
    office.mailbox._handle(Hold(99, on=True))


def test_the_lengths_of_lists_that_a_pool_maps_go_with_them(office: Office) -> None:
    order = order_of(WORK, 0, 3)
    office.mailbox._handle(replace(order, spec=replace(order.spec, is_mapped=True)))
    lease = office.mailbox.next()
    for index in range(3):
        office.mailbox.indices.append(index)
        office.mailbox.values.append(pickle.dumps(list(range(index))))
    lease.todo.clear()
    assert office.mailbox.finish(lease)
    (done,) = office.sent()
    assert isinstance(done, Done)
    assert done.lengths == ((0, 0), (1, 1), (2, 2))


def behind(name: int, before: int) -> Order:
    ports = (SharedInput("x", EdgeKind.BROADCAST, "", ()),)
    return order_of(WORK, 0, 1, lease=name, shared=ports, behind=before)


def test_a_lease_behind_another_takes_its_result(office: Office) -> None:
    office.lease(1, 0, 1)
    office.mailbox._handle(behind(2, 1))
    first = office.mailbox.next()
    first.todo.clear()
    office.mailbox.keep(0, pickle.dumps("made"))
    assert office.mailbox.finish(first)
    second = office.mailbox.next()
    assert second.lease == 2
    assert second.ports.value("x", second.todo[0]) == "made"


def test_a_lease_behind_one_without_a_result_is_given_back(office: Office) -> None:
    office.lease(1, 0, 1)
    office.mailbox._handle(behind(2, 1))
    office.mailbox._handle(behind(3, 2))
    office.lease(4, 7, 8)
    failed = office.mailbox.next()
    failed.todo.clear()
    office.mailbox.send(Failed(1, 0, Failure("it raised")))
    assert office.mailbox.finish(failed)
    assert office.mailbox.next().lease == 4
    assert office.sent()[1:] == [Returned(2, ONE), Returned(3, ONE)]


def test_results_of_arrays_and_large_ones_are_not_kept_for_others(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox_module, "_MADE_BYTES_MAX", 10)
    for name, bounds, value in ((1, (0, 2), b"x"), (2, (0, 1), bytes(11))):
        office.lease(name, *bounds)
        lease = office.mailbox.next()
        lease.todo.clear()
        office.mailbox.keep(0, value)
        assert office.mailbox.finish(lease)
        office.mailbox._handle(behind(10 + name, name))
    office.lease(20, 0, 1)
    assert office.mailbox.next().lease == 20
