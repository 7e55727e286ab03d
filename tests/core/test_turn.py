"""What every machine has at hand while one event is handled."""

from roost.core.actions import Archive, Persist
from roost.core.clock_bounds import ClockBounds
from roost.core.facts import NeighboursMet
from roost.core.tickets import Note, Tickets
from roost.core.turn import Turn
from roost.model.vitals import AT_EASE, Vitals
from tests.core.harness import ASH, RUN, task

A = task("a").id


def turn() -> Turn:
    return Turn(ASH, 1, ClockBounds(ASH), Tickets())


def test_actions_gather_in_the_order_in_which_they_are_asked_for_and_begin_anew_with_each_event() -> None:
    now = turn()
    first = now.begin(5.0)
    now.act(Archive((A,)))
    now.persist(Note((A,)), NeighboursMet(()))
    assert first == [Archive((A,)), Persist(1, (NeighboursMet(()),), urgent=False)]
    assert now.begin(6.0) == []
    assert len(first) == 2, "what was handed out stays as it is"


def test_time_never_runs_backwards() -> None:
    now = turn()
    now.begin(5.0)
    now.begin(4.0)
    assert now.now == 5.0


def test_all_that_ends_in_one_turn_ends_at_one_moment() -> None:
    now = turn()
    now.begin(5.0)
    ended = now.moment()
    assert now.stamp() > ended
    assert now.moment() == ended
    now.begin(5.0)
    assert now.moment() > ended


def test_what_was_touched_is_looked_at_once_and_stirs() -> None:
    now = turn()
    now.stirred = False
    now.touch(A)
    now.touch(A)
    assert (list(now.take_touched()), now.stirred) == ([A], True)
    assert now.take_touched() == {}


def test_a_change_that_has_landed_has_its_run_looked_at() -> None:
    now = turn()
    note = Note((A,))
    now.persist(note)
    now.landed(note)
    now.look_at(RUN)
    assert list(now.take_looked_at()) == [RUN]
    assert now.take_looked_at() == {}


def test_how_the_machine_is_stirs_only_if_it_was_otherwise_before() -> None:
    now = turn()
    now.stirred = False
    now.feel(AT_EASE)
    assert not now.stirred
    now.feel(Vitals(remaining=0.5))
    assert (now.vitals, now.stirred) == (Vitals(0.5, 0.0, 1.0), True)
