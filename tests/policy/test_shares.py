"""Whose turn it is."""

from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.clock import Stamp
from roost.model.ids import NodeId, TaskId
from roost.policy.order import OrderKey
from roost.policy.shares import DEBT_MAX_S, HALF_LIFE_S, Account, in_turn, on_return


def key(at: int, name: str) -> OrderKey:
    return (at, Stamp(at, 0, NodeId("ash")), TaskId(f"1-bababa/{name}"))


def order(had_s: dict[str, float], **tasks: list[tuple[OrderKey, float]]) -> list[str]:
    return [name.partition("/")[2] for _, _, name in in_turn(had_s, tasks)]


def alike(name: str, count: int, takes_s: float, *, since: int = 0) -> list[tuple[OrderKey, float]]:
    return [(key(since + at, f"{name}{at}"), takes_s) for at in range(count)]


# What was used.


def test_what_was_used_counts_half_after_a_half_life_and_a_quarter_after_two() -> None:
    account = Account().plus(80.0, now=100.0)
    assert account.counted(100.0) == 80.0
    assert account.counted(100.0 + HALF_LIFE_S) == pytest.approx(40.0)
    assert account.counted(100.0 + 2 * HALF_LIFE_S) == pytest.approx(20.0)


def test_what_is_used_later_counts_in_full() -> None:
    account = Account().plus(80.0, now=0.0).plus(10.0, now=HALF_LIFE_S)
    assert account.counted(HALF_LIFE_S) == pytest.approx(50.0)


def test_waiting_changes_nobodys_place() -> None:
    ann, bob = Account(300.0, at=0.0), Account(200.0, at=50.0)
    assert all(ann.counted(now) > bob.counted(now) for now in (50.0, 5_000.0, 50_000.0))


# Coming back.


def test_who_comes_new_begins_with_the_least_of_those_who_wait() -> None:
    assert on_return(0.0, [500.0, 300.0]) == 300.0


def test_who_has_had_a_little_more_than_the_others_comes_back_with_it() -> None:
    assert on_return(400.0, [500.0, 300.0]) == 400.0


def test_who_has_had_very_much_is_not_behind_for_long() -> None:
    assert on_return(1e6, [500.0, 300.0]) == 300.0 + DEBT_MAX_S


def test_where_nobody_else_waits_everybody_comes_back_with_what_he_has_had() -> None:
    assert on_return(1e6, []) == 1e6


# Turns.


def test_who_has_had_the_least_is_next() -> None:
    had_s = {"ann": 100.0, "bob": 10.0}
    assert order(had_s, ann=alike("a", 1, 1.0), bob=alike("b", 1, 1.0, since=50)) == ["b0", "a0"]


def test_who_have_had_alike_take_turns_by_what_their_tasks_take() -> None:
    had_s = {"ann": 0.0, "bob": 0.0}
    tasks = {"ann": alike("a", 2, 3.0), "bob": alike("b", 4, 1.0, since=50)}
    # ann 3, bob 1, 2, 3, then both have had 3 and ann's came first.
    assert order(had_s, **tasks) == ["a0", "b0", "b1", "b2", "a1", "b3"]


def test_ties_go_by_the_order_of_the_queue() -> None:
    had_s = {"ann": 5.0, "bob": 5.0}
    assert order(had_s, ann=alike("a", 1, 1.0, since=9), bob=alike("b", 1, 1.0, since=2)) == ["b0", "a0"]


def test_one_users_tasks_stay_in_their_order() -> None:
    assert order({"ann": 7.0}, ann=alike("a", 5, 2.0)) == [f"a{at}" for at in range(5)]


def test_who_asks_for_the_first_few_looks_at_no_more() -> None:
    looked_at: list[str] = []

    def long_queue(name: str) -> Iterator[tuple[OrderKey, float]]:
        for at in range(100_000):
            looked_at.append(name)
            yield key(at, f"{name}{at}"), 1.0

    first = islice(in_turn({"ann": 0.0, "bob": 0.0}, {"ann": long_queue("a"), "bob": long_queue("b")}), 10)
    assert len(list(first)) == 10
    assert len(looked_at) < 15


@given(st.lists(st.lists(st.floats(0.01, 50.0), max_size=12), min_size=1, max_size=5), st.floats(0.0, 1000.0))
def test_nobody_gets_far_ahead_of_anybody_who_still_waits(takes_s: list[list[float]], begin: float) -> None:
    """However users cut up their work, two who wait have had alike, but for one task."""
    tasks = {
        f"u{user}": [(key(at, f"{user}.{at}"), takes) for at, takes in enumerate(all_of_it)]
        for user, all_of_it in enumerate(takes_s)
    }
    had_s = dict.fromkeys(tasks, begin)
    left = {user: len(waiting) for user, waiting in tasks.items()}
    longest = max((takes for all_of_it in takes_s for takes in all_of_it), default=0.0)
    served = list(in_turn(dict(had_s), tasks))
    assert sorted(served) == sorted(place for waiting in tasks.values() for place, _ in waiting)
    for place in served:
        user = next(user for user, waiting in tasks.items() if any(place == one for one, _ in waiting))
        had_s[user] += next(takes for one, takes in tasks[user] if one == place)
        left[user] -= 1
        waiting_s = [had_s[user] for user in tasks if left[user]]
        if waiting_s:
            assert max(waiting_s) - min(waiting_s) <= longest + 1e-6
