"""What waits, and in which order."""

from msgspec.structs import replace

from roost.lab.what_if.board import LOOK_MAX, Board, Claim
from roost.lab.what_if.work import Task
from roost.model.ranges import RangeSet
from roost.model.task import Priority
from tests.lab.what_if.asking import array


def board_of(*tasks: Task) -> Board:
    board = Board(tasks)
    for entry in board.entries:
        board.add(entry.at, entry.elements, 0.0)
    return board


def order(board: Board, now: float = 0.0) -> list[str]:
    return [entry.task.name for entry in board.first(now)]


def test_tasks_wait_in_the_order_in_which_they_were_handed_in_but_interactive_ones_first() -> None:
    urgent = replace(array("c", 1.0), priority=Priority.INTERACTIVE)
    assert order(board_of(array("a", 1.0), array("b", 1.0), urgent)) == ["c", "a", "b"]


def test_a_task_leaves_the_queue_when_all_of_it_is_taken_and_comes_back_to_its_place() -> None:
    board = board_of(array("a", 1.0, 1.0), array("b", 1.0))
    board.take(0, RangeSet.span(0, 1))
    assert order(board) == ["a", "b"]
    board.take(0, RangeSet.span(1, 2))
    assert order(board) == ["b"]
    board.add(0, RangeSet.span(1, 2), 5.0)
    assert order(board) == ["a", "b"]
    board.take(0, RangeSet.span(1, 2))
    board.take(1, RangeSet.span(0, 1))
    assert board.is_empty


def test_nobody_looks_beyond_a_bound() -> None:
    assert len(order(board_of(*(array(f"a{at}", 1.0) for at in range(LOOK_MAX + 5))))) == LOOK_MAX


def test_users_take_turns_by_what_they_have_had() -> None:
    tasks = [replace(array(name, 1.0), owner=owner, stated_s=10.0) for name, owner in zip("abcd", "xxyy", strict=True)]
    board = board_of(*tasks)
    assert order(board) == ["a", "c", "b", "d"]
    board.used(board.entries[0], 100.0, 1.0)
    assert order(board, 1.0) == ["c", "d", "a", "b"]
    board.hold(board.entries[2], 20)
    assert order(board, 1.0) == ["a", "b", "c", "d"]


def test_a_bid_keeps_elements_from_all_who_bid_no_better() -> None:
    (entry,) = board_of(array("a", 1.0, 1.0)).entries
    entry.claims = [Claim(RangeSet.span(0, 1), -1.0, 0), Claim(RangeSet.span(1, 2), -3.0, 1)]
    entry.claimed = RangeSet.span(0, 2)
    assert str(entry.ready_for(0.0)) == ""
    assert str(entry.ready_for(-2.0)) == "0"
    assert str(entry.ready_for(-1.0)) == ""
    assert str(entry.ready_for(-4.0)) == "0-1"


def test_nobody_takes_from_others_what_nobody_bids_for_either() -> None:
    (entry,) = board_of(array("a", 1.0, 1.0)).entries
    entry.claims, entry.claimed = [Claim(RangeSet.span(0, 1), 5.0, 0)], RangeSet.span(0, 1)
    assert str(entry.ready_for(1.0)) == "1"
