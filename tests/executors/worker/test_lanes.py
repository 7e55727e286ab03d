"""The queues of the launcher."""

from collections import deque

from roost.executors.worker.inputs import Shared, Unstarted
from roost.executors.worker.lanes import Lane, QueuedLease, give_back
from roost.executors.worker.messages import CommandLease
from roost.model.errors import InvalidInput
from roost.model.ranges import RangeSet
from roost.model.task import Command
from tests.tokens import attempt


def queued(lease: int, *bounds: int, word: str = "x") -> QueuedLease:
    message = CommandLease(
        lease, "1-bababa/t", attempt(1), False, bounds, (), (), (), False, 0, Command(("echo", word)), False, None
    )
    return QueuedLease(message, Shared(), {})


def test_leases_and_elements_come_in_order() -> None:
    lane = Lane(0)
    lane.leases.extend([queued(1, 5, 7), queued(2, 0, 1)])
    taken = []
    while (entry := lane.next()) is not None:
        taken.append((entry[0].lease, entry[1][0]))
    assert taken == [(1, 5), (1, 6), (2, 0)]
    assert not lane.leases


def test_a_lease_that_is_held_holds_those_behind_it() -> None:
    lane = Lane(0)
    lane.leases.extend([queued(1, 0, 1), queued(2, 0, 1)])
    lane.leases[0].held = True
    assert lane.next() is None
    lane.leases[0].held = False
    assert lane.next() is not None


def test_what_has_not_begun_can_be_given_back() -> None:
    todo: deque[Unstarted] = deque((index, None, ()) for index in range(6))
    assert give_back(todo, RangeSet.parse("1,4-9")) == RangeSet.parse("1,4-5")
    assert [entry[0] for entry in todo] == [0, 2, 3]
    assert give_back(todo, RangeSet.parse("7")) == RangeSet()


def test_a_command_that_names_what_is_not_there_waits_to_say_so() -> None:
    assert isinstance(queued(1, 0, 1, word="{item}").template, InvalidInput)
