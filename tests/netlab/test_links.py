"""The fate of frames, by seed."""

from random import Random

import pytest

from netlab.links import HELD_BACK_S, PERFECT, Link, arrivals


def test_a_perfect_link_brings_a_frame_at_once() -> None:
    assert arrivals(PERFECT, 5.0, Random(1)) == (5.0,)


def test_a_delay_is_kept_to_the_letter() -> None:
    assert arrivals(Link(delay_s=0.25), 5.0, Random(1)) == (5.25,)


def test_jitter_stays_in_its_bounds_and_never_brings_a_frame_before_it_was_sent() -> None:
    random = Random(1)
    times = [arrivals(Link(delay_s=0.01, jitter_s=0.03), 5.0, random)[0] for _ in range(1000)]
    assert min(times) == 5.0
    assert 5.03 < max(times) <= 5.04


def test_lost_frames_never_arrive() -> None:
    assert arrivals(Link(loss=1.0), 5.0, Random(1)) == ()


def test_shares_are_about_right() -> None:
    random = Random(1)
    fates = [arrivals(Link(loss=0.1, duplication=0.2), 0.0, random) for _ in range(10_000)]
    assert 900 < fates.count(()) < 1100
    assert 1650 < fates.count((0.0, 0.0)) < 1950


def test_a_frame_that_is_held_back_comes_later() -> None:
    assert arrivals(Link(reordering=1.0), 5.0, Random(1)) == (5.0 + HELD_BACK_S,)


def test_the_same_seed_gives_the_same_fates() -> None:
    link = Link(delay_s=0.1, jitter_s=0.1, loss=0.3, duplication=0.3, reordering=0.3)
    one, other = Random(7), Random(7)
    assert [arrivals(link, 0.0, one) for _ in range(100)] == [arrivals(link, 0.0, other) for _ in range(100)]


@pytest.mark.parametrize("wrong", [{"loss": 1.1}, {"delay_s": -1.0}, {"duplication": -0.1}])
def test_what_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Link(**wrong)
