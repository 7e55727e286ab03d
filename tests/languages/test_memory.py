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
