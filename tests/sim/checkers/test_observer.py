"""What checkers have in common."""

from roost.sim.checkers.observer import Broken


def test_a_broken_promise_is_a_failed_assertion() -> None:
    assert issubclass(Broken, AssertionError)
