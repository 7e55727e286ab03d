"""The checker of promise 2 notices a second result, a wrong one, and a token that does not grow."""

import pytest

from roost.core.actions import Notify, Start, TaskChanged
from roost.core.queue.replica import TaskEntry
from roost.core.queue.tokens import Tokens
from roost.model.elements import Elements
from roost.model.ids import LeaseId, task_id
from roost.model.record import TaskRecord
from roost.model.segments import pack
from roost.model.states import Cancelled, Done, Retried
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from roost.sim.liars import result_of
from tests.core.harness import ASH, RUN, Bench, ranges, task
from tests.lone.one_result import OneResult
from tests.lone.worlds import live_through
from tests.tokens import attempt

A = task_id(RUN, "a")


class Stand:
    """A checker, and a disk that says what the test wants."""

    def __init__(self) -> None:
        self.checker, self.node, self.disk = OneResult(), Bench().node, SimDisk(ASH)
        self.node.queue.replica.tasks[A] = TaskEntry.fresh(task("a"))
        self.disk.flushed.tasks[A] = TaskRecord(task("a"))

    def on_disk(self, state, value: bytes) -> None:
        self.disk.flushed.tasks[A] = TaskRecord(task("a"), Elements({state: ranges("0")}))
        self.disk.flushed.made = {(A, state.token, ASH): (pack(0, [value]),)}

    def tell(self, word: str) -> None:
        self.checker.on_action(Notify(TaskChanged(A, word, ranges("0"))), self.node, self.disk)

    def start(self, token: int) -> None:
        start = Start(LeaseId(1), 1, task("a"), ranges("0"), attempt(token))
        self.checker.on_action(start, self.node, self.disk)


def test_it_is_content_with_one_result_that_is_told_twice() -> None:
    stand = Stand()
    stand.start(1)
    stand.on_disk(Done(attempt(1), ASH), result_of(A, 0))
    stand.tell("done")
    stand.checker.on_crash()
    stand.tell("done")
    stand.checker.at_rest(stand.node, stand.disk)


def test_it_notices_a_result_that_is_told_and_not_on_disk() -> None:
    with pytest.raises(Broken, match="is told done and is None on disk"):
        Stand().tell("done")


def test_it_is_content_if_the_disk_knows_by_then_that_it_was_sent_back() -> None:
    stand = Stand()
    stand.on_disk(Retried(0, attempt(1), edition=1), b"")
    stand.tell("done")
    stand.on_disk(Retried(0, attempt(1), edition=0), b"")
    with pytest.raises(Broken, match="is told done and is Retried"):
        stand.tell("done")


def test_it_notices_the_result_of_another_element() -> None:
    stand = Stand()
    stand.on_disk(Done(attempt(1), ASH), b"something else")
    with pytest.raises(Broken, match="its result on disk is"):
        stand.tell("done")


def test_it_notices_a_second_result() -> None:
    stand = Stand()
    stand.on_disk(Done(attempt(1), ASH), result_of(A, 0))
    stand.tell("done")
    stand.on_disk(Done(attempt(2), ASH), result_of(A, 0))
    with pytest.raises(Broken, match="and has another now"):
        stand.tell("done")
    with pytest.raises(Broken, match=r"was done under token 0\.1\.0\.1 and is now"):
        stand.checker.at_rest(stand.node, stand.disk)


@pytest.mark.parametrize("word", ["done", "cancelled"])
def test_it_notices_what_is_started_after_its_end(word: str) -> None:
    stand = Stand()
    stand.on_disk(Done(attempt(1), ASH) if word == "done" else Cancelled(attempt(1)), result_of(A, 0))
    stand.tell(word)
    with pytest.raises(Broken, match="is started again"):
        stand.start(2)


def test_it_notices_a_token_that_does_not_grow() -> None:
    stand = Stand()
    stand.start(5)
    stand.checker.on_crash()
    with pytest.raises(Broken, match=r"the token 0\.1\.0\.5 does not grow"):
        stand.start(5)


def test_it_notices_a_node_whose_lives_all_count_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Tokens.__init__
    monkeypatch.setattr(Tokens, "__init__", lambda tokens, life: real(tokens, 1))
    with pytest.raises(Broken, match="does not grow"):
        live_through()
