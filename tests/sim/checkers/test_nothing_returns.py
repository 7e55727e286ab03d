"""The checker of ends notices what a node does with elements that it had told done or cancelled."""

import pytest

from roost.core.actions import Notify, RunChanged
from roost.model.ids import NodeId
from roost.model.states import Done
from roost.sim.checkers.nothing_returns import NothingReturns
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from tests.sim.checkers.meshes import NOWHERE, A, disk_with, stand_in, start, told
from tests.tokens import attempt

N1, N2 = stand_in("n1"), stand_in("n2")


#: The disk of n1, on which all that it tells is.
DISK = disk_with("n1", A, (Done(attempt(1), NodeId("n1")), "0-2"))


def ended(word: str, disk: SimDisk = DISK) -> NothingReturns:
    checker = NothingReturns()
    checker.on_action(told(A, "ready", "0-2"), N1, NOWHERE)
    checker.on_action(start(A, "0-1", 1), N1, NOWHERE)
    checker.on_action(told(A, word, "0-1"), N1, disk)
    return checker


@pytest.mark.parametrize("word", ["done", "cancelled"])
def test_it_notices_what_starts_or_fails_or_is_ready_after_its_end(word: str) -> None:
    checker = ended(word)
    checker.on_end(NodeId("n1"))
    checker.on_action(start(A, "2", 2), N1, NOWHERE)
    with pytest.raises(Broken, match=f"a: 1 was {word} on n1 and is started again"):
        checker.on_action(start(A, "1-2", 2), N1, NOWHERE)
    for back in ("ready", "failed", "added"):
        with pytest.raises(Broken, match=f"a: 0 was {word} on n1 and is {back} again"):
            checker.on_action(told(A, back, "0"), N1, NOWHERE)


def test_what_was_told_by_a_keepers_word_may_begin_again_after_a_life_and_not_before() -> None:
    disk = disk_with("n1", A)
    checker = ended("done", disk)
    with pytest.raises(Broken, match="a: 0 was done on n1 and is started again"):
        checker.on_action(start(A, "0", 2), N1, disk)
    disk.take(disk_with("n1", A, (Done(attempt(1), NodeId("n1")), "1")).flushed)
    checker.on_end(NodeId("n1"))
    checker.on_action(start(A, "0", 2), N1, disk)
    with pytest.raises(Broken, match="a: 1 was done on n1 and is started again"):
        checker.on_action(start(A, "1", 2), N1, disk)


def test_another_node_may_not_have_heard_of_it() -> None:
    ended("done").on_action(start(A, "0-1", 1), N2, NOWHERE)


def test_done_beats_cancelled_and_not_the_other_way_round() -> None:
    checker = ended("cancelled")
    checker.on_action(told(A, "done", "0"), N1, DISK)
    checker.on_action(told(A, "cancelled", "1"), N1, NOWHERE)
    with pytest.raises(Broken, match="was done on n1 and is cancelled again"):
        checker.on_action(told(A, "cancelled", "0"), N1, NOWHERE)


def test_absent_beats_cancelled_and_not_done() -> None:
    ended("cancelled").on_action(told(A, "absent", "0-1"), N1, NOWHERE)
    with pytest.raises(Broken, match="was done on n1 and is absent again"):
        ended("done").on_action(told(A, "absent", "0"), N1, NOWHERE)


def test_a_forgotten_run_that_comes_back_is_told_anew() -> None:
    checker = ended("done")
    checker.on_action(Notify(RunChanged(A.run, "forgotten")), N1, NOWHERE)
    checker.on_action(told(A, "added", "0-1"), N1, NOWHERE)
