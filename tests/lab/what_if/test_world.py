"""Worlds: what is exact, what nobody may beat, and what must not get worse."""

import math
from collections.abc import Sequence
from heapq import heappop, heappush
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from roost.lab.what_if.floor import floor_of
from roost.lab.what_if.logs import machines_of_log, read_log
from roost.lab.what_if.machines import Machine
from roost.lab.what_if.outcome import Piece
from roost.lab.what_if.work import Measured, Task, Work, described_work, joined
from roost.lab.what_if.world import NOTICED_S, WINDOW_S, World
from roost.model.task import EdgeKind, Needs
from roost.policy.catalogue import POLICIES
from roost.sim.hosts import Crash
from tests.lab.what_if.asking import array, lived, machines, pieces, work
from tests.lab.what_if.simulated_mesh import HANDED_IN_S, measured_s

MIXED = ("3 x up=2h away=30m lanes=2", "2 x up=20h away=1h speed=2")


# What is exact.


def test_a_machine_that_is_alone_does_a_chain_one_after_the_other_without_any_wait() -> None:
    chain = work(
        array("a", 10.0), array("b", 5.0, after=[(0, EdgeKind.EACH)]), array("c", 1.0, after=[(1, EdgeKind.ALL)])
    )
    for name in POLICIES:
        assert lived(name, machines("1 x lanes=2"), chain).make_span_s == 16.0


def test_two_lanes_share_an_array_and_a_faster_machine_takes_less() -> None:
    three = work(array("a", 10.0, 10.0, 10.0))
    assert lived("fcfs", machines("1 x lanes=2"), three).make_span_s == 20.0
    assert lived("fcfs", machines("1 x lanes=2 speed=4"), three).make_span_s == 5.0
    assert lived("fcfs", machines("1 x lanes=3"), three).make_span_s == 10.0


def test_each_begins_with_its_own_and_all_waits_for_all() -> None:
    first, second = array("a", 1.0, 5.0), array("b", 10.0, 10.0, after=[(0, EdgeKind.EACH)])
    last = array("c", 2.0, after=[(1, EdgeKind.ALL)])
    ran = pieces("fcfs", machines("1 x lanes=2"), work(first, second, last))
    begins = {(piece.task, piece.element): piece.begin_s for piece in ran}
    assert begins == {("a", 0): 0.0, ("a", 1): 0.0, ("b", 0): 1.0, ("b", 1): 5.0, ("c", 0): 15.0}


def test_what_takes_several_processors_waits_until_they_are_free() -> None:
    wide = Task("wide", (0, 1), Measured((3.0,)), needs=Needs.of(2.0))
    ran = pieces("fcfs", machines("1 x lanes=2"), work(array("a", 5.0), wide))
    assert [(piece.task, piece.begin_s) for piece in ran] == [("a", 0.0), ("wide", 5.0)]


def test_a_task_runs_only_where_it_fits() -> None:
    wide = Task("wide", (0, 6), Measured((10.0,) * 6), needs=Needs.of(4.0))
    ran = pieces("roost", machines("4 x lanes=2", "1 x lanes=4"), work(wide, array("a", *[10.0] * 8)))
    assert {piece.node for piece in ran if piece.task == "wide"} == {"b1"}
    assert len({piece.node for piece in ran if piece.task == "a"}) >= 4


def test_what_a_death_takes_with_it_is_done_again_when_it_was_noticed() -> None:
    log = read_log("ash 0 1000\nelm 0 30\n", "log")
    on = machines_of_log(log, replayed=True)
    world = World("fcfs", on, work(array("a", 100.0, 50.0)), "1", starts_at_s=0.0, keeps_pieces=True)
    outcome = world.run()
    lost = [piece for piece in world.pieces if not piece.is_done]
    assert [(piece.node, piece.end_s) for piece in lost] == [("elm", 30.0)]
    assert outcome.aborted_s == pytest.approx(30.0 - WINDOW_S)
    # What elm ran begins anew when ash, alone by then, is through with its own.
    assert outcome.make_span_s == pytest.approx(150.0 + WINDOW_S)
    assert outcome.deaths == 1


def test_nobody_does_what_a_dead_node_had_before_its_death_is_noticed() -> None:
    log = read_log("ash 0 1000\nelm 0 30\noak 25 1000\n", "log")
    on = machines_of_log(log, replayed=True)
    outcome = World("fcfs", on, work(array("a", 100.0, 100.0)), "1", starts_at_s=0.0).run()
    assert outcome.make_span_s == pytest.approx(30.0 + NOTICED_S + WINDOW_S + 100.0)


def test_the_first_of_several_attempts_counts_and_ends_the_others() -> None:
    ran = pieces("wqr-2", machines("1", "1 x speed=2"), work(array("a", 1000.0)))
    done = [piece for piece in ran if piece.is_done]
    assert [piece.node for piece in done] == ["b1"]
    assert [(piece.node, piece.end_s) for piece in ran if not piece.is_done] == [("a1", done[0].end_s)]


def test_what_must_not_run_twice_does_not() -> None:
    once = replace(array("a", 1000.0), may_repeat=False)
    assert len(pieces("wqr-4", machines("3"), work(once))) == 1


def test_the_default_repeats_late_work_only_if_it_is_pure() -> None:
    on = machines("1 x speed=0.1", "3")
    slow = work(array("a", *[1000.0] * 4))
    pure = work(array("a", *[1000.0] * 4, is_pure=True))
    assert lived("roost", on, slow).repeated_s == 0.0
    assert lived("roost", on, pure).repeated_s > 0.0
    assert lived("roost", on, pure).make_span_s < lived("roost", on, slow).make_span_s


def test_work_that_never_ends_is_left() -> None:
    outcome = lived("fcfs", machines("3 x up=10m away=10m"), work(array("a", *[1e6] * 3)))
    assert not outcome.is_done
    assert outcome.aborted_s > 0.0


def test_users_who_take_turns_have_had_the_same_when_the_first_is_through() -> None:
    two = joined([described_work("anna: 200 x 10s"), described_work("bob: 100 x 10s")])
    outcome = lived("fcfs", machines("2 x lanes=2"), two)
    assert outcome.users_jain is not None
    assert outcome.users_jain > 0.99
    assert lived("fcfs", machines("2"), described_work("9 x 1s")).users_jain is None


@pytest.mark.parametrize("name", POLICIES)
def test_all_work_ends_once_with_every_policy_and_the_same_seed_brings_the_same(name: str) -> None:
    first = array("a", *[600.0 * at for at in range(1, 16)])
    tasks = work(
        first, array("b", *[300.0] * 15, after=[(0, EdgeKind.EACH)]), array("c", 60.0, after=[(1, EdgeKind.ALL)])
    )
    done = [piece for piece in pieces(name, machines(*MIXED), tasks) if piece.is_done]
    assert sorted((piece.task, piece.element) for piece in done) == sorted(
        [("a", at) for at in range(15)] + [("b", at) for at in range(15)] + [("c", 0)]
    )
    assert lived(name, machines(*MIXED), tasks) == lived(name, machines(*MIXED), tasks)
    assert lived(name, machines(*MIXED), tasks) != lived(name, machines(*MIXED), tasks, seed="2")


@pytest.mark.parametrize("name", ["fcfs", "roost", "bfgc", "wqr-2"])
def test_no_lane_does_two_things_at_a_time_and_nobody_works_who_is_away(name: str) -> None:
    on = machines(*MIXED)
    ran = pieces(name, on, described_work("100 x 5m-40m"))
    for machine in on:
        own = [piece for piece in ran if piece.node == machine.name]
        assert _most_at_once(own) <= machine.lanes


def _most_at_once(own: Sequence[Piece]) -> int:
    changes = sorted([(piece.begin_s, 1) for piece in own] + [(piece.end_s, -1) for piece in own])
    most = running = 0
    for _, change in changes:
        running += change
        most = max(most, running)
    return most


# What whole nodes do in a simulated mesh.

RNG = Random(5)
BAG = work(array("a", *[round(RNG.uniform(1.0, 6.0), 2) for _ in range(60)]))
GRAPH = work(
    array("a", *[1.0] * 12),
    array("b", *[2.0] * 12, after=[(0, EdgeKind.EACH)]),
    array("c", 1.0, after=[(1, EdgeKind.ALL)]),
    array("d", *[1.5] * 6, after=[(2, EdgeKind.BROADCAST)]),
)
SINGLES = work(*(array(f"t{at}", round(RNG.uniform(1.0, 30.0), 2)) for at in range(40)))


@pytest.mark.parametrize("policy", ["roost", "bfgc", "wqr-2"])
@pytest.mark.parametrize(("what", "tolerance"), [(BAG, 0.02), (GRAPH, 0.02), (SINGLES, 0.08)])
def test_whole_nodes_take_as_long(what: Work, tolerance: float, policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Single tasks are spread by names, which differ: so who gets the longest of them, and when, is chance."""
    measured = measured_s(what, (2.0, 1.0, 3.0), monkeypatch, policy="" if policy == "roost" else policy)
    predicted = lived(policy, machines("1 x lanes=2", "1", "1 x lanes=3"), what).make_span_s
    assert predicted == pytest.approx(measured, rel=tolerance)


def test_whole_nodes_take_as_long_when_one_of_them_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    dies = Crash(HANDED_IN_S + 10.0, 1e6, "n3")
    measured = measured_s(BAG, (2.0, 1.0, 3.0), monkeypatch, dies)
    on = machines_of_log(read_log("n1 0 1000 2\nn2 0 1000\nn3 0 10 3\n", "log"), replayed=True)
    predicted = World("roost", on, BAG, "1", starts_at_s=0.0).run().make_span_s
    assert predicted == pytest.approx(measured, rel=0.04)


# What an oracle says, and what nobody may beat.


def list_schedule(lengths: Sequence[float], lanes: int) -> float:
    """Return when the last ends if each lane that is free takes the next, a window after it is."""
    free = [0.0] * lanes
    for length_s in lengths:
        heappush(free, heappop(free) + WINDOW_S + length_s)
    return max(free)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(1.0, 1000.0), min_size=1, max_size=30), st.integers(2, 6))
def test_without_failures_first_come_first_served_is_list_scheduling(lengths: list[float], count: int) -> None:
    found = lived("fcfs", machines(f"{count}"), work(array("a", *lengths[: 16 * count - 1]))).make_span_s
    assert found == pytest.approx(list_schedule(lengths[: 16 * count - 1], count))
    # Graham: no longer than (2 - 1/m) times the best there is, beside the windows.
    best = max(sum(lengths) / count, *lengths)
    assert found <= (2 - 1 / count) * best + WINDOW_S * math.ceil(len(lengths)) + 1e-6


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.floats(1.0, 5000.0), min_size=1, max_size=20),
    st.sampled_from(sorted(POLICIES)),
    st.integers(1, 4),
    st.integers(0, 3),
)
def test_no_policy_is_below_the_floor(lengths: list[float], policy: str, count: int, seed: int) -> None:
    on = machines(f"{count} x lanes=2 up=3h away=1h", "1 x speed=1.5")
    what = work(array("a", *lengths), array("b", *lengths, after=[(0, EdgeKind.EACH)]))
    assert lived(policy, on, what, str(seed)).make_span_s >= floor_of(on, what).least_s - 1e-6


# What must not get worse.


def mean_span(policy: str, on: Sequence[Machine], what: Work, worlds: int = 12) -> float:
    return sum(lived(policy, on, what, str(seed)).make_span_s for seed in range(worlds)) / worlds


@pytest.mark.parametrize("name", ["fcfs", "roost", "bfgc"])
def test_doubling_all_times_on_line_never_lengthens_the_make_span(name: str) -> None:
    what = described_work("40 x 20m-60m")
    spans = [mean_span(name, machines(f"6 x up={hours}h away=1h"), what) for hours in (1, 3, 9)]
    assert spans == sorted(spans, reverse=True)


@pytest.mark.parametrize("name", ["fcfs", "roost", "bfgc"])
def test_one_more_machine_never_lengthens_the_make_span(name: str) -> None:
    what = described_work("40 x 20m-60m")
    spans = [mean_span(name, machines(f"{count} x up=2h away=1h"), what) for count in (4, 6, 8)]
    assert spans == sorted(spans, reverse=True)


def test_what_machines_are_called_changes_nothing_where_policies_do_not_go_by_names() -> None:
    on = machines(*MIXED)
    renamed = [replace(one, name=f"pc{9 - at}") for at, one in enumerate(on)]
    what = described_work("60 x 20m-60m")
    for name in ("ec", "bfc", "fr"):
        assert lived(name, on, what) == lived(name, renamed, what)


def test_what_machines_are_called_changes_nothing_on_average_where_ties_go_by_names() -> None:
    on = machines(*MIXED)
    renamed = [replace(one, name=f"pc{9 - at}") for at, one in enumerate(on)]
    what = work(*(array(f"t{at}", 600.0 + 60.0 * at) for at in range(30)))
    for name in ("fcfs", "wqr-2", "roost"):
        assert mean_span(name, on, what) == pytest.approx(mean_span(name, renamed, what), rel=0.04)
