"""When machines are there, in one world after the other."""

from itertools import islice, pairwise

import pytest

from roost.lab.what_if.lives import Lived, life_of
from roost.lab.what_if.machines import Drawn, Life, Machine, Replayed, Stays
from roost.model.online import Stretch
from roost.model.task import CPUS
from roost.policy.reliability import Exponential

LEAVES = Drawn(Exponential(1 / 8.0), Exponential(1 / 16.0))
LOG = Replayed((Stretch(0.0, 10.0), Stretch(20.0, 30.0)), 40.0)


def life(of: Life, at: int = 0, seed: str = "1", starts_at_s: float | None = None) -> Lived:
    return life_of(Machine("any", {CPUS: 1.0}, 1.0, of), at, seed, starts_at_s)


def test_who_stays_is_there_and_nothing_changes() -> None:
    lived = life(Stays())
    assert (lived.since_s, list(lived.changes), lived.past.times) == (0.0, [], 0)


def test_who_never_leaves_by_its_rate_stays_as_well() -> None:
    assert list(life(Drawn(Exponential(0.0), Exponential(1.0))).changes) == []


def test_a_machine_is_found_at_any_point_of_its_ways() -> None:
    there = sum(life(LEAVES, seed=str(seed)).since_s is not None for seed in range(2000))
    assert there / 2000 == pytest.approx(1 / 3, abs=0.03)


def test_changes_come_after_the_beginning_one_after_the_other_and_last_as_long_as_they_should() -> None:
    lived = life(LEAVES)
    changes = list(islice(lived.changes, 4001))
    assert changes[0] > 0.0
    assert all(before < after for before, after in pairwise(changes))
    first_up = 0 if lived.since_s is None else 1
    lengths = [after - before for before, after in pairwise(changes)]
    assert sum(lengths[first_up::2]) / len(lengths[first_up::2]) == pytest.approx(8.0, rel=0.1)
    assert sum(lengths[1 - first_up :: 2]) / len(lengths[1 - first_up :: 2]) == pytest.approx(16.0, rel=0.1)


def test_a_node_that_lives_now_is_there_at_the_beginning() -> None:
    of = Drawn(LEAVES.up, LEAVES.away, is_there=True)
    assert all((life(of, seed=str(seed)).since_s or 1.0) <= 0.0 for seed in range(200))


def test_the_past_has_ended_before_this_time_began_and_is_as_long_as_is_remembered() -> None:
    lived = life(Drawn(LEAVES.up, LEAVES.away, is_there=True, past=5))
    assert lived.since_s is not None
    assert 0 < lived.past.times <= 5
    assert all(stay.ended_s <= lived.since_s for stay in lived.past.stretches)
    assert life(Drawn(LEAVES.up, LEAVES.away, past=0)).past.times == 0


def test_the_place_and_the_world_decide_and_no_name() -> None:
    def first(name: str, at: int, seed: str) -> list[float]:
        return list(islice(life_of(Machine(name, {CPUS: 1.0}, 1.0, LEAVES), at, seed).changes, 5))

    assert first("ash", 0, "1") == first("elm", 0, "1")
    assert first("ash", 0, "1") != first("ash", 1, "1")
    assert first("ash", 0, "1") != first("ash", 0, "2")


def test_a_log_is_lived_through_as_it_is_and_begins_again() -> None:
    lived = life(LOG, starts_at_s=0.0)
    assert lived.since_s == 0.0
    # Away from 30 to 40, where it begins again: there until 50.
    assert list(islice(lived.changes, 6)) == [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]


def test_a_world_may_begin_in_the_middle_of_a_log() -> None:
    lived = life(LOG, starts_at_s=25.0)
    assert lived.since_s == -5.0
    assert lived.past.stretches == (Stretch(-25.0, -15.0),)
    assert list(islice(lived.changes, 3)) == [5.0, 15.0, 25.0]
    lived = life(LOG, starts_at_s=15.0)
    assert lived.since_s is None
    assert next(lived.changes) == 5.0


def test_who_is_there_at_both_ends_of_a_log_does_not_leave_between_them() -> None:
    log = Replayed((Stretch(0.0, 10.0), Stretch(20.0, 40.0)), 40.0)
    assert list(islice(life(log, starts_at_s=0.0).changes, 4)) == [10.0, 20.0, 50.0, 60.0]
    assert list(life(Replayed((Stretch(0.0, 40.0),), 40.0)).changes) == []


def test_all_machines_of_a_log_begin_at_the_same_moment_of_it() -> None:
    other = Replayed((Stretch(10.0, 20.0), Stretch(30.0, 40.0)), 40.0)
    for seed in range(20):
        one, two = (life(log, at, str(seed)) for at, log in enumerate((LOG, other)))
        assert (one.since_s is None) != (two.since_s is None), "one is there just when the other is not"
