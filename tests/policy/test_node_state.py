"""The state of a node: thresholds, the line of least squares, how long it stays, and no flapping (FAIR 3.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.vitals import SOUND, Condition, NodeState, Role, Sign, Vitals, role_of
from roost.policy.node_state import HISTORY_S, HORIZON_S, MARGIN, Reading, Seen, judge, readings, slope, why_so
from roost.wire.codec import decode, encode

VERY_STABLE, STABLE, UNSTABLE, TOO_UNSTABLE = NodeState
NOW = 10_000.0
STAYS = 1.0


def judged(
    vitals: Vitals, survival: float = STAYS, before: Condition = SOUND, *earlier: tuple[float, Vitals]
) -> Condition:
    """Judge a node that is so now, and was otherwise so many seconds ago."""
    history = [Seen(NOW - ago_s, past) for ago_s, past in earlier] + [Seen(NOW, vitals)]
    return judge(history, NOW, survival, before)


# Thresholds.


@pytest.mark.parametrize(
    ("remaining", "state"),
    [(1.0, VERY_STABLE), (0.6, VERY_STABLE), (0.59, STABLE), (0.4, STABLE), (0.39, UNSTABLE), (0.2, UNSTABLE),
     (0.19, TOO_UNSTABLE), (0.0, TOO_UNSTABLE)],
)  # fmt: skip
def test_a_battery_leads_to_every_state(remaining: float, state: NodeState) -> None:
    assert judged(Vitals(remaining=remaining)).state is state


@pytest.mark.parametrize(
    ("link", "state"),
    [(0.5, VERY_STABLE), (0.49, STABLE), (0.4, STABLE), (0.39, UNSTABLE), (0.25, UNSTABLE), (0.24, TOO_UNSTABLE)],
)
def test_a_link_leads_to_every_state(link: float, state: NodeState) -> None:
    assert judged(Vitals(link=link)).state is state


@pytest.mark.parametrize(("utilisation", "state"), [(0.7, VERY_STABLE), (0.71, STABLE), (1.0, STABLE)])
def test_work_of_others_takes_the_role_of_a_super_peer_and_no_more(utilisation: float, state: NodeState) -> None:
    assert judged(Vitals(utilisation=utilisation)).state is state


@pytest.mark.parametrize(("survival", "state"), [(0.9, VERY_STABLE), (0.89, STABLE), (0.5, STABLE), (0.0, STABLE)])
def test_a_node_that_seldom_stays_is_no_super_peer_and_still_stable(survival: float, state: NodeState) -> None:
    assert judged(Vitals(), survival).state is state


def test_a_node_of_which_nothing_is_known_is_very_stable() -> None:
    assert judge([], NOW, STAYS, SOUND) == SOUND


def test_the_worst_sign_decides_and_is_the_reason() -> None:
    condition = judged(Vitals(remaining=0.5, utilisation=0.9, link=0.3), 0.8)
    assert condition == Condition(UNSTABLE, Sign.LINK, 30, 0)


def test_of_equal_signs_the_battery_is_named_first() -> None:
    assert judged(Vitals(remaining=0.1, link=0.1)).sign is Sign.REMAINING


# The line of least squares.


def test_the_slope_of_a_step_in_the_middle_is_three_halves_of_it_over_the_whole_time() -> None:
    # 1 for 5 s, then 0 for 5 s: the integral of (t - 5) v is -12.5, that of (t - 5)^2 is 1000/12; and -12.5 / 83.33.
    assert slope([(0.0, 1.0), (5.0, 0.0)], 10.0) == pytest.approx(-0.15)


def test_the_slope_of_a_ramp_is_that_of_the_ramp() -> None:
    # A hundredth less every 6 s, told in 100 steps: each is half a step late on average, and all of them are.
    ramp = [(6.0 * at, 1.0 - at / 100) for at in range(100)]
    assert slope(ramp, 600.0) == pytest.approx(-1 / 600, rel=1e-3)


def test_what_stays_has_no_slope_and_one_look_tells_of_none() -> None:
    assert slope([(0.0, 0.4)], 500.0) == pytest.approx(0.0)
    assert slope([(0.0, 0.4), (100.0, 0.4)], 500.0) == pytest.approx(0.0)
    assert slope([(500.0, 0.4)], 500.0) == 0.0


def test_only_the_last_of_the_history_counts() -> None:
    recent = [(NOW - HISTORY_S / 2, 0.5)]
    fell_long_ago = [(NOW - 10 * HISTORY_S, 1.0), (NOW - 2 * HISTORY_S, 0.5), *recent]
    assert slope(fell_long_ago, NOW) == pytest.approx(0.0)


def test_a_battery_that_falls_is_judged_by_what_it_will_be_at_the_horizon() -> None:
    # It was at 90 % for five minutes and is at 70 % for five: 1.5 * -0.2 / 600 s, and so 0.3 less in 600 s.
    history = [Seen(NOW - 600.0, Vitals(remaining=0.9)), Seen(NOW - 300.0, Vitals(remaining=0.7))]
    reading = readings(history, NOW, STAYS)[0]
    assert (reading.sign, reading.now) == (Sign.REMAINING, 0.7)
    assert reading.then == pytest.approx(0.4)
    condition = judge(history, NOW, STAYS, SOUND)
    assert condition == Condition(STABLE, Sign.REMAINING, 70, -30)
    assert judge([Seen(NOW - 600.0, Vitals(remaining=0.7))], NOW, STAYS, SOUND) == SOUND


def test_a_battery_that_rises_is_judged_by_what_it_is() -> None:
    history = [Seen(NOW - 600.0, Vitals(remaining=0.1)), Seen(NOW - 300.0, Vitals(remaining=0.3))]
    assert judge(history, NOW, STAYS, SOUND).state is UNSTABLE


def test_nothing_is_foretold_further_than_it_was_looked_at() -> None:
    # As before within a minute: the line falls ten times as steeply, and is followed for a minute only.
    history = [Seen(NOW - 60.0, Vitals(remaining=0.9)), Seen(NOW - 30.0, Vitals(remaining=0.7))]
    assert readings(history, NOW, STAYS)[0].then == pytest.approx(0.4)
    assert readings([Seen(NOW, Vitals(remaining=0.7))], NOW, STAYS)[0].then == 0.7


def test_what_is_foretold_lies_between_nothing_and_the_whole() -> None:
    falls = [Seen(NOW - 900.0, Vitals(remaining=1.0)), Seen(NOW - 450.0, Vitals(remaining=0.1))]
    assert readings(falls, NOW, STAYS)[0] == Reading(Sign.REMAINING, 0.1, 0.0)


# No flapping.


def low(state: NodeState) -> Condition:
    """Return what was judged of a node by its battery."""
    return Condition(state, Sign.REMAINING)


def test_a_node_gets_worse_at_once_and_better_only_by_a_margin() -> None:
    assert judged(Vitals(remaining=0.39), before=low(STABLE)).state is UNSTABLE
    assert judged(Vitals(remaining=0.4), before=low(UNSTABLE)).state is UNSTABLE
    assert judged(Vitals(remaining=0.4 + MARGIN), before=low(UNSTABLE)).state is STABLE
    assert judged(Vitals(remaining=0.4), before=SOUND).state is STABLE


def test_the_margin_is_for_the_sign_that_was_worst() -> None:
    assert judged(Vitals(remaining=0.4), before=Condition(UNSTABLE, Sign.LINK)).state is STABLE


def test_a_margin_asks_for_no_more_than_there_can_be() -> None:
    assert judged(Vitals(), before=low(TOO_UNSTABLE)) == SOUND


def test_a_node_that_wavers_about_a_threshold_does_not_flap() -> None:
    condition, states = SOUND, []
    for remaining in (0.41, 0.39, 0.41, 0.39, 0.42, 0.38):
        condition = judged(Vitals(remaining=remaining), before=condition)
        states.append(condition.state)
    assert states == [STABLE] + [UNSTABLE] * 5


# Laws.

shares = st.floats(0.0, 1.0)
vitals = st.builds(Vitals, shares, shares, shares)
conditions = st.builds(Condition, st.sampled_from(NodeState), st.sampled_from(Sign))
pasts = st.lists(st.tuples(st.floats(1.0, 2 * HISTORY_S), vitals), max_size=4)


@given(vitals, vitals, shares, shares, st.sampled_from(NodeState), conditions, pasts)
def test_what_is_worse_never_leads_to_a_better_state(
    one: Vitals,
    other: Vitals,
    s: float,
    t: float,
    state: NodeState,
    before: Condition,
    past: list[tuple[float, Vitals]],
) -> None:
    earlier = sorted(past, key=lambda seen: -seen[0])
    better = Vitals(
        max(one.remaining, other.remaining), min(one.utilisation, other.utilisation), max(one.link, other.link)
    )
    worse = Vitals(
        min(one.remaining, other.remaining), max(one.utilisation, other.utilisation), min(one.link, other.link)
    )
    was_better = Condition(min(before.state, state), before.sign)
    was_worse = Condition(max(before.state, state), before.sign)
    good = judged(better, max(s, t), was_better, *earlier)
    bad = judged(worse, min(s, t), was_worse, *earlier)
    assert bad.state >= good.state


@given(vitals, shares, conditions, pasts)
def test_every_result_travels_and_has_its_reason(
    now: Vitals, survival: float, before: Condition, past: list[tuple[float, Vitals]]
) -> None:
    condition = judged(now, survival, before, *sorted(past, key=lambda seen: -seen[0]))
    assert decode(encode(condition), Condition) == condition
    assert len(encode(condition)) <= 6
    assert why_so(condition)
    assert (condition == SOUND) == (condition.state is VERY_STABLE)


@given(vitals, shares, conditions)
def test_a_state_that_was_judged_stays_as_long_as_nothing_changes(
    now: Vitals, survival: float, before: Condition
) -> None:
    once = judged(now, survival, before)
    assert judged(now, survival, once) == once


# In words.


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        (Condition(TOO_UNSTABLE, Sign.REMAINING, 15, 0), "its battery is at 15 %"),
        (
            Condition(TOO_UNSTABLE, Sign.REMAINING, 16, -8),
            "its battery is at 16 % and falls; it will be empty in 20 minutes",
        ),
        (Condition(STABLE, Sign.REMAINING, 55, -1), "its battery is at 55 %"),
        (
            Condition(TOO_UNSTABLE, Sign.REMAINING, 2, -40),
            "its battery is at 2 % and falls; it will be empty in a minute",
        ),
        (Condition(UNSTABLE, Sign.LINK, 30, 0), "its network link has a quality of 30 %"),
        (
            Condition(UNSTABLE, Sign.LINK, 40, -20),
            "its network link has a quality of 40 % and falls; it will be gone in 20 minutes",
        ),
        (Condition(STABLE, Sign.UTILISATION, 20, 0), "others use 80 % of its processors"),
        (Condition(STABLE, Sign.UTILISATION, 40, -20), "others use 60 % of its processors, and more soon"),
        (
            Condition(STABLE, Sign.STAY, 37, 0),
            "it stays for another 10 minutes with 37 %, by when it was on line before",
        ),
        (SOUND, "nothing speaks against it: battery, network link, work of others and how long it tends to stay"),
    ],
)  # fmt: skip
def test_the_reason_has_the_number_that_counts(condition: Condition, why: str) -> None:
    assert HORIZON_S == 600.0
    assert why_so(condition) == why


def test_roles_follow_from_states() -> None:
    assert [role_of(state) for state in NodeState] == [Role.SUPER_PEER, Role.WORKER, Role.WORKER, Role.NONE]
    assert [state.label for state in NodeState] == ["very stable", "stable", "unstable", "too unstable"]
