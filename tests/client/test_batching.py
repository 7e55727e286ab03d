from typing import Any

from roost.client.batching import BYTES_PER_MESSAGE, CALLS_PER_MESSAGE, CALLS_WAITING_MAX, Batcher, Call
from roost.client.futures import RoostFuture
from roost.client.pickling import Code
from roost.model.ids import BlobHash


class Nobody:
    def cancel_call(self, future: RoostFuture[Any]) -> None:
        pass

    def wait_until_accepted(self, future: RoostFuture[Any]) -> None:
        pass


def code(name: str) -> Code:
    return Code(BlobHash(name), name.encode(), name)


def filled(*calls: tuple[str, bytes]) -> Batcher:
    batcher = Batcher()
    for name, item in calls:
        batcher.add(Call(code(name), item, RoostFuture(Nobody())))
    return batcher


def test_neighbours_with_the_same_function_become_one_group() -> None:
    groups = filled(("f", b"1"), ("f", b"2"), ("g", b"3"), ("f", b"4")).take()
    assert [(group.code.name, group.items) for group in groups] == [("f", [b"1", b"2"]), ("g", [b"3"]), ("f", [b"4"])]


def test_taking_empties_the_batcher() -> None:
    batcher = filled(("f", b"1"))
    assert batcher
    batcher.take()
    assert not batcher
    assert batcher.take() == []


def test_a_message_holds_no_more_than_so_many_calls() -> None:
    batcher = filled(*[("f", b"x")] * (CALLS_PER_MESSAGE + 10))
    assert len(batcher.take()[0].items) == CALLS_PER_MESSAGE
    assert len(batcher.take()[0].items) == 10


def test_a_message_holds_no_more_than_so_many_bytes_but_at_least_one_call() -> None:
    batcher = filled(*[("f", b"x" * (2 * BYTES_PER_MESSAGE))] * 2)
    assert len(batcher.take()[0].items) == 1
    assert len(batcher.take()[0].items) == 1


def test_calls_that_were_cancelled_while_they_waited_are_left_out() -> None:
    batcher = filled(("f", b"1"))
    future: RoostFuture[Any] = RoostFuture(Nobody())
    batcher.add(Call(code("f"), b"2", future))
    future.cancel()
    assert batcher.take()[0].items == [b"1"]


def test_a_batcher_is_full_after_very_many_calls_and_no_longer_when_they_are_gone() -> None:
    batcher = filled(*[("f", b"x")] * CALLS_WAITING_MAX)
    assert batcher.is_full
    assert len(batcher.take_all()) == CALLS_WAITING_MAX
    assert not batcher.is_full
