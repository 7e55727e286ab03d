"""Start and turn, fitted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.scripts import published
from roost.lab.scripts.fitting import fit, of_rates
from roost.lab.scripts.measuring import SAMPLE_SIZES
from roost.model.errors import InvalidInput


@given(st.floats(1e-5, 10), st.floats(1e-10, 1e-6))
def test_what_is_exact_is_found(start_s: float, turn_s: float) -> None:
    found = fit(SAMPLE_SIZES, [start_s + size * turn_s for size in SAMPLE_SIZES])
    assert found.start_s == pytest.approx(start_s, rel=1e-5)
    assert found.turn_s == pytest.approx(turn_s, rel=1e-5)
    assert found.error < 1e-6


def test_no_cost_is_negative() -> None:
    assert fit([1, 10, 100], [0.001, 0.1, 1.0]).start_s == 0.0
    found = fit([1, 10, 100], [1.0, 0.9, 0.8])
    assert found.turn_s == 0.0
    assert found.flops(4) is found.size(0.01) is None


@given(st.floats(1e-5, 10), st.floats(1e-10, 1e-6), st.floats(0.001, 0.5))
def test_at_the_size_of_a_share_the_start_is_that_share(start_s: float, turn_s: float, share: float) -> None:
    found = fit(SAMPLE_SIZES, [start_s + size * turn_s for size in SAMPLE_SIZES])
    size = found.size(share)
    assert size is not None
    job_s = found.start_s + size * found.turn_s
    assert found.start_s / job_s == pytest.approx(share)
    assert found.job_s(share) == pytest.approx(job_s)


def test_one_size_is_too_few() -> None:
    with pytest.raises(InvalidInput, match="fewer than two sample sizes"):
        fit([5, 5], [1.0, 2.0])


def test_the_documents_own_figures_are_a_start_and_a_turn() -> None:
    found = of_rates(list(published.WEBWORKER), list(published.WEBWORKER.values()), 4)
    assert found.start_s == pytest.approx(0.13, abs=0.005)
    assert found.flops(4) == pytest.approx(46e6, rel=0.01)
    assert found.error < 0.05
    cl = of_rates(list(published.WEBCL), list(published.WEBCL.values()), 4)
    assert cl.start_s == pytest.approx(0.33, abs=0.01)
    assert cl.flops(4) == pytest.approx(220e6, rel=0.02)


def test_the_misprinted_line_is_500_million() -> None:
    for rates, right in ((published.WEBWORKER, 46.15), (published.WEBCL, 209.71)):
        others = {size: rate for size, rate in rates.items() if size != 500_000_000}
        found = of_rates(list(others), list(others.values()), 4)

        def rate(size: int, start_s: float = found.start_s, turn_s: float = found.turn_s) -> float:
            return 4 * size / (start_s + size * turn_s) / 1e6

        assert rate(500_000_000) == pytest.approx(right, rel=0.05)
    # As printed, WebCL's line would lie far from what it is at that size in the table itself.
    assert rate(50_000_000) < 0.85 * right
