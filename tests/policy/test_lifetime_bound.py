"""The binomial method (HTC 4.3.1, equation 4.10)."""

import pytest

from roost.policy.lifetime_bound import lifetime_bound


def test_below_77_lifetimes_nothing_can_be_said_at_the_confidence_of_wqr_fa() -> None:
    # 0.95^76 = 0.0203 and 0.95^77 = 0.0193: only from 77 on the sum for k = 0 is at most 0.02.
    assert lifetime_bound([10.0] * 76) == 0.0
    assert lifetime_bound([10.0] * 77) == 10.0
    assert lifetime_bound([]) == 0.0


@pytest.mark.parametrize(("n", "k"), [(77, 0), (110, 0), (120, 1), (200, 3)])
def test_the_bound_is_behind_the_largest_k_that_is_unlikely(n: int, k: int) -> None:
    # By hand, as for n = 120: 0.95^120 = 0.00212, and 120 * 0.05 * 0.95^119 = 0.01340 more is 0.0155 < 0.02;
    # with 7140 * 0.05^2 * 0.95^118 = 0.0420 more it is not.
    shuffled = [float((7 * at) % n) for at in range(n) if n % 7] or [float(at) for at in reversed(range(n))]
    assert lifetime_bound(shuffled) == float(k)


def test_other_confidences_and_quantiles_by_hand() -> None:
    # n = 3, q = 0.5: 0.125 for k = 0, 0.5 for k = 1, 0.875 for k = 2.
    lifetimes = [30.0, 10.0, 20.0]
    assert lifetime_bound(lifetimes, confidence=0.9, quantile=0.5) == 0.0
    assert lifetime_bound(lifetimes, confidence=0.8, quantile=0.5) == 10.0
    assert lifetime_bound(lifetimes, confidence=0.5, quantile=0.5) == 20.0
    assert lifetime_bound(lifetimes, confidence=0.1, quantile=0.5) == 30.0
