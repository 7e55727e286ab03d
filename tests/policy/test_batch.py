"""How many elements one lease takes."""

import pytest

from roost.model.limits import LEASE_ELEMENTS_MAX
from roost.policy.batch import GROWTH_MAX, LEASE_TARGET_S, lease_size, updated_mean


def test_an_element_of_unknown_length_goes_alone() -> None:
    assert lease_size(None, ready=1000, lanes=2, previous=0) == 1


def test_a_long_element_goes_alone() -> None:
    assert lease_size(10 * LEASE_TARGET_S, ready=1000, lanes=2, previous=1) == 1


def test_short_elements_fill_the_target_time() -> None:
    assert lease_size(LEASE_TARGET_S / 50, ready=100_000, lanes=2, previous=1000) == 50


def test_leases_grow_step_by_step_because_the_first_elements_may_not_be_typical() -> None:
    assert lease_size(1e-9, ready=100_000, lanes=2, previous=3) == 3 * GROWTH_MAX


def test_the_rest_of_an_array_is_shared_out_in_shrinking_pieces() -> None:
    left, sizes = 1000, []
    while left:
        sizes.append(lease_size(1e-9, ready=left, lanes=2, previous=1000))
        left -= sizes[-1]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (250, 1)


def test_no_lease_is_larger_than_its_limit() -> None:
    assert lease_size(0.0, ready=10**9, lanes=1, previous=10**9) == LEASE_ELEMENTS_MAX


def test_the_mean_begins_with_the_first_measurement_and_follows_the_newest() -> None:
    assert updated_mean(None, 0, 4.0, 1) == 4.0
    assert updated_mean(1.0, 1000, 2.0, 10) == pytest.approx(1.3)


def test_more_elements_than_all_before_count_for_more_than_those() -> None:
    """The first few of a function take long each: it is loaded, and they do not fill a message."""
    assert updated_mean(1.0, 8, 0.1, 72) == pytest.approx(0.19)
