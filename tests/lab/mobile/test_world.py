"""FAIR's world: who works, what a failure does, and which of FAIR's figures come out."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.lab.mobile.setting import INTERRUPTED, ORDERS, Outcome, Setting
from roost.lab.mobile.timeline import FAULTY
from roost.lab.mobile.world import World
from roost.policy.fairness import STRATEGIES
from roost.policy.fairness_measures import variance

EQUAL = Setting(seed=1, spread=0.0)
FAILS = msgspec.structs.replace(EQUAL, timeline=FAULTY["durations"])


def lived(setting: Setting = EQUAL, **fields: object) -> Outcome:
    return World(msgspec.structs.replace(setting, **fields), "seed").run()


def uneven(outcome: Outcome) -> float:
    return variance(outcome.processed) or 0.0


def test_without_fairness_two_devices_do_everything() -> None:
    outcome = lived()
    assert sorted(outcome.processed)[-3:] == [0, 30, 30]
    assert uneven(outcome) == pytest.approx(85.26, abs=0.005)
    assert outcome.response_s == pytest.approx(116.632)


@pytest.mark.parametrize(
    ("strategy", "published"), [("not-best", 0.0), ("worse-than-average", 0.0), ("worse-than-majority", 0.32)]
)
def test_with_equal_charges_three_strategies_are_as_even_as_published(strategy: str, published: float) -> None:
    assert uneven(lived(strategy=strategy)) == pytest.approx(published, abs=0.005)


def test_a_fault_without_tolerance_locks_the_queue_and_spreads_the_work_as_published() -> None:
    outcome = lived(FAILS)
    assert sorted(outcome.processed, reverse=True) == [14, 14, *[1] * 8, *[0] * 10]
    assert uneven(outcome) == pytest.approx(17.64, abs=0.005)


def test_with_the_lock_broken_and_the_job_resumed_all_jobs_end_and_the_variance_is_as_published() -> None:
    outcome = lived(FAILS, fault_tolerance="reactive")
    assert outcome.ended == 60
    assert uneven(outcome) == pytest.approx(61.57, abs=0.01)


def test_a_job_that_is_lost_does_not_end_and_one_that_waits_again_does() -> None:
    assert lived(FAILS, fault_tolerance="reactive", interrupted="lost").ended == 59
    again = lived(FAILS, fault_tolerance="reactive", interrupted="again")
    assert again.ended == 60
    assert sum(again.begun) == 61


def test_what_an_unstable_device_takes_is_processed_twice() -> None:
    outcome = lived(FAILS, fault_tolerance="proactive")
    assert outcome.ended == 60
    assert sum(outcome.processed) == 60 + outcome.processed[0]
    assert sum(lived(FAILS, fault_tolerance="proactive", unstable="all").processed) == 120


def test_in_groups_of_two_four_strategies_are_one() -> None:
    names = [name for name in STRATEGIES if not name.startswith("equal")]
    outcomes = [lived(Setting(seed=1), strategy=name, group=2) for name in names]
    assert outcomes == outcomes[:1] * 4


def test_not_best_pays_with_its_response_time() -> None:
    assert lived(strategy="not-best").response_s > lived(strategy="worse-than-average").response_s + 1.0


def test_if_all_do_alike_and_equals_leave_a_job_only_deadlock_prevention_takes_it() -> None:
    outcome = lived(strategy="equal-or-worse-than-majority")
    assert outcome.prevented == 60
    assert outcome.response_s > 200.0


def test_devices_whose_batteries_are_empty_work_no_more() -> None:
    outcome = lived(jobs=400, until_s=44_000.0)
    assert sum(outcome.processed) < 400
    assert outcome.processed[19] == 0 or outcome.ended < 400


def test_roosts_own_policy_repeats_what_an_unstable_device_may_lose_and_loses_nothing() -> None:
    outcome = lived(FAILS, rule="usual", weighs="roost", tells="at-once", fault_tolerance="reactive")
    assert outcome.ended == sum(outcome.processed) == 60
    even = lived(rule="usual", weighs="roost", tells="at-once", strategy="not-best")
    assert uneven(even) < 0.2


def test_links_and_movement_change_who_works() -> None:
    outcomes = [
        lived(strategy="not-best", link=link, movement=movement)
        for link, movement in (
            ("off", "still"),
            ("on", "still"),
            ("if-moving", "waypoint"),
        )
    ]
    assert len({outcome.processed for outcome in outcomes}) == 3
    assert uneven(outcomes[1]) > uneven(outcomes[2]) > uneven(outcomes[0])


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 1000),
    st.sampled_from(["none", *STRATEGIES]),
    st.sampled_from(ORDERS),
    st.sampled_from(INTERRUPTED),
    st.sampled_from(sorted(FAULTY)),
    st.sampled_from(["none", "reactive", "proactive"]),
)
def test_no_job_ends_twice_and_none_comes_from_nowhere(
    seed: int, strategy: str, order: str, interrupted: str, times: str, tolerance: str
) -> None:
    setting = Setting(
        seed=seed,
        strategy=strategy,
        order=order,
        interrupted=interrupted,
        timeline=FAULTY[times],
        fault_tolerance=tolerance,
        jobs=15,
        workers=6,
        group=4,
        until_s=4000.0,
    )
    outcome = World(setting, str(seed)).run()
    assert outcome.ended <= 15
    assert outcome.ended <= sum(outcome.processed) <= sum(outcome.begun) <= 30
    assert outcome == World(setting, str(seed)).run()
    if times == "none":
        assert outcome.ended == 15
