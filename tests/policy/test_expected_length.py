"""How long elements are expected to take, by what their owner stated and how right that was."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.policy.expected_length import (
    DOUBT,
    NOTHING_SEEN,
    OBSERVED_MAX,
    RATIO_MAX,
    SPREAD_AT_FIRST,
    Expected,
    Logs,
    expected_length,
    log_ratio,
    speed_of,
)


def logs(*numbers: float) -> Logs:
    found = NOTHING_SEEN
    for number in numbers:
        found = found.plus(math.log(number))
    return found


def expected(
    stated_s: float | None, owner: Logs = NOTHING_SEEN, name: Logs = NOTHING_SEEN, task: Logs = NOTHING_SEEN
) -> Expected:
    found = expected_length(stated_s, owner, name, task)
    assert found is not None
    return found


def test_nobody_knows_what_nobody_has_stated_or_seen() -> None:
    assert expected_length(None, logs(2.0), logs(2.0), NOTHING_SEEN) is None


def test_who_states_something_for_the_first_time_is_believed() -> None:
    assert expected(1200.0) == (1200.0, pytest.approx(SPREAD_AT_FIRST))
    assert (expected(1200.0).low_s, expected(1200.0).high_s) == (pytest.approx(600.0), pytest.approx(2400.0))


def test_one_slip_moves_little_and_a_habit_shows() -> None:
    """An owner whose tasks take half of what he states: by hand, 0.5 ** (n / (n + DOUBT))."""
    once, often = expected(1200.0, owner=logs(0.5)), expected(1200.0, owner=logs(*[0.5] * 16))
    assert once.length_s == pytest.approx(1200 * 0.5 ** (1 / (1 + DOUBT)))
    assert often.length_s == pytest.approx(1200 * 0.5 ** (16 / (16 + DOUBT)))
    assert 600 < often.length_s < 700
    assert 1000 < once.length_s < 1200


def test_factors_are_averaged_and_not_seconds() -> None:
    """Twice too long and twice too short is right on average, and scatters by 2."""
    wavering = expected(100.0, owner=logs(*[2.0, 0.5] * 20))
    assert wavering.length_s == pytest.approx(100.0)
    assert wavering.spread == pytest.approx(2.0)


def test_who_is_always_equally_wrong_can_be_relied_upon() -> None:
    steady, wavering = expected(60.0, owner=logs(*[3.0] * 40)), expected(60.0, owner=logs(*[1.0, 9.0] * 20))
    assert steady.length_s == pytest.approx(wavering.length_s)
    assert steady.spread < 1.5
    assert wavering.spread > 2.5


def test_a_name_is_like_its_owner_until_it_is_known_itself() -> None:
    owner = logs(*[0.5] * 12)
    new, known = expected(100.0, owner), expected(100.0, owner, logs(*[4.0] * 12))
    assert new.length_s == pytest.approx(100 * 0.5 ** (12 / 16))
    assert known.length_s == pytest.approx(100 * 0.5 ** (12 / 16 * DOUBT / 16) * 4 ** (12 / 16))


def test_what_is_seen_of_a_task_itself_soon_outweighs_what_was_stated() -> None:
    """By hand: one element of 10 s beside one belief in 1,000 s is their geometric mean, 100 s."""
    assert expected(1000.0, task=logs(10.0)).length_s == pytest.approx(100.0)
    assert expected(1000.0, task=logs(*[10.0] * 49)).length_s == pytest.approx(10 * 100 ** (1 / 50))


def test_elements_that_were_seen_tell_a_length_that_nobody_has_stated() -> None:
    found = expected(None, task=logs(8.0, 32.0))
    assert found.length_s == pytest.approx(16.0)
    assert found.spread == pytest.approx(2.0)


def test_a_length_that_is_off_beyond_reason_counts_as_the_worst_there_is() -> None:
    assert log_ratio(5.0, 5.0) == 0.0
    assert log_ratio(10.0, 20.0) == pytest.approx(math.log(0.5))
    assert log_ratio(1e-9, 3e8) == pytest.approx(-math.log(RATIO_MAX))
    assert log_ratio(3e8, 1e-9) == pytest.approx(math.log(RATIO_MAX))


def test_people_may_learn_and_are_taken_as_they_are_now() -> None:
    owner = NOTHING_SEEN
    for _ in range(10_000):
        owner = owner.plus(math.log(0.1))
    assert owner.count <= OBSERVED_MAX
    for _ in range(200):
        owner = owner.plus(0.0)
    assert expected(100.0, owner).length_s == pytest.approx(100.0, rel=0.2)


def test_what_becomes_better_known_counts_once() -> None:
    moved = logs(2.0, 3.0).moved(math.log(3.0), math.log(5.0))
    assert tuple(map(float, (moved.count, moved.total, moved.squares))) == pytest.approx(
        (2, math.log(10), math.log(2) ** 2 + math.log(5) ** 2)
    )


@pytest.mark.parametrize("bias", [0.3, 1.0, 4.0])
def test_two_elements_in_three_lie_within_the_spread(bias: float) -> None:
    """Thirty tasks of an owner, then the next one: tried over and over with a known bias and scatter."""
    rng, within = Random(int(bias * 10)), 0
    for _ in range(1000):
        ratios = [bias * rng.lognormvariate(0, 0.6) for _ in range(31)]
        found = expected(100.0, owner=logs(*ratios[:-1]))
        within += found.low_s <= 100 * ratios[-1] <= found.high_s
    assert 600 < within < 780


@given(
    st.floats(1e-6, 3e8),
    *[st.lists(st.floats(1e-3, 1e3), max_size=80)] * 2,
    st.lists(st.floats(1e-6, 1e9), max_size=80),
)
def test_it_is_always_a_length_between_what_was_stated_and_what_was_seen(
    stated_s: float, owner: list[float], name: list[float], task: list[float]
) -> None:
    found = expected(stated_s, logs(*owner), logs(*name), logs(*task))
    told = [stated_s * ratio for ratio in (1.0, *owner, *name)] + task
    assert min(told) * (1 - 1e-6) <= found.length_s <= max(told) * (1 + 1e-6)
    assert 1 <= found.spread < math.inf


def test_before_anything_was_seen_a_node_is_as_fast_as_others_with_such_a_processor() -> None:
    # Four of them were twice as fast as stated, beside DOUBT that say the stated length is right: half of ln 2.
    alike = logs(0.5, 0.5, 0.5, 0.5)
    assert DOUBT == 4.0
    found = expected_length(100.0, NOTHING_SEEN, NOTHING_SEEN, NOTHING_SEEN, alike)
    assert found is not None
    assert found.length_s == pytest.approx(100 * 0.5**0.5)
    assert speed_of(NOTHING_SEEN, alike) == pytest.approx(2**0.5)
    # Its own four tasks, which took just what was stated, halve that.
    assert speed_of(logs(1.0, 1.0, 1.0, 1.0), alike) == pytest.approx(2**0.25)
    assert speed_of(NOTHING_SEEN) == 1.0
