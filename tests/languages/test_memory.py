import gc

import pytest

from roost.languages.memory import collector_paused


def test_the_collector_rests_inside_and_goes_on_after() -> None:
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def fail() -> None:
    with collector_paused():
        raise KeyError


def test_the_collector_goes_on_after_an_error() -> None:
    with pytest.raises(KeyError):
        fail()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_much_that_came_meanwhile_is_not_looked_at_by_the_collector() -> None:
    before = gc.get_freeze_count()
    try:
        with collector_paused():
            few: list[list[int]] = [[] for _ in range(10)]
        assert gc.get_freeze_count() == before
        with collector_paused():
            many: list[list[int]] = [[] for _ in range(200_000)]
        assert gc.get_freeze_count() >= before + len(many) + len(few)
    finally:
        gc.unfreeze()
