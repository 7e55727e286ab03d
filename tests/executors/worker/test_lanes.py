"""The queues of the launcher."""

from roost.executors.worker.lanes import Lane, QueuedLease
from roost.executors.worker.lease import Kept
from roost.model.errors import InvalidInput
from roost.model.task import Command
from tests.executors.lab import order_of


def queued(lease: int, *bounds: int, word: str = "x") -> QueuedLease:
    return QueuedLease(order_of(Command(("echo", word)), *bounds, lease=lease), Kept(), {})


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


def test_a_command_that_names_what_is_not_there_waits_to_say_so() -> None:
    assert isinstance(queued(1, 0, 1, word="{item}").template, InvalidInput)
