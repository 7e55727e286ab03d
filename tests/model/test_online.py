"""When a node was on line, over all its lives."""

from hypothesis import given
from hypothesis import strategies as st

from roost.model.limits import ONLINE_STRETCHES_MAX
from roost.model.online import NEVER_ONLINE, OnlineLog, Stretch
from roost.wire.codec import decode, encode


def lived(*stretches: tuple[float, float]) -> OnlineLog:
    log = NEVER_ONLINE
    for began_s, ended_s in stretches:
        log = log.begun(began_s).seen(ended_s)
    return log


def test_lives_stand_one_behind_the_other_with_what_lies_between_left_out() -> None:
    log = lived((10.0, 15.0), (100.0, 130.0))
    assert log.stretches == (Stretch(10.0, 15.0), Stretch(100.0, 130.0))
    assert (log.times, log.total_s) == (2, 35.0)
    assert decode(encode(log), OnlineLog) == log


def test_being_seen_lengthens_the_last_stretch_alone() -> None:
    log = lived((10.0, 15.0)).begun(100.0).seen(160.0).seen(220.0)
    assert log.stretches == (Stretch(10.0, 15.0), Stretch(100.0, 220.0))


def test_a_clock_that_was_set_back_shortens_nothing() -> None:
    assert lived((10.0, 15.0)).seen(3.0).stretches == (Stretch(10.0, 15.0),)


@given(st.integers(0, 3 * ONLINE_STRETCHES_MAX))
def test_however_many_there_were_the_log_is_small_and_its_sums_are_right(lives: int) -> None:
    log = lived(*((10.0 * life, 10.0 * life + 2.0) for life in range(lives)))
    assert len(log.stretches) == min(lives, ONLINE_STRETCHES_MAX)
    assert (log.times, log.total_s) == (lives, 2.0 * lives)
    assert len(encode(log)) < 8 * 1024
