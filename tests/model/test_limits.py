"""Limits that depend on each other do not contradict each other."""

from roost.model import limits


def test_every_limit_is_a_positive_whole_number() -> None:
    named = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert named
    assert all(isinstance(value, int) and value > 0 for value in named.values())


def test_what_is_allowed_fits_into_what_carries_it() -> None:
    assert limits.VALUE_BYTES_MAX < limits.FRAME_BYTES_MAX < 2**32
    assert limits.OUTPUT_INLINE_BYTES_MAX <= limits.VALUE_BYTES_MAX
    assert limits.FUNCTION_BYTES_MAX < limits.REQUEST_BYTES_MAX
    assert limits.ELEMENTS_MAX <= limits.INDEX_MAX < 2**53
