"""What HTC 2.5 measures, by hand."""

import pytest

from roost.lab.store_queue.measures import Execution, bounded_slowdown, measured


def test_slowdown_counts_short_tasks_as_ten_seconds_long() -> None:
    assert bounded_slowdown(0.0, 2.0) == 1.0
    assert bounded_slowdown(8.0, 2.0) == 1.0
    assert bounded_slowdown(18.0, 2.0) == 2.0
    assert bounded_slowdown(50.0, 100.0) == 1.5


def test_measures_of_a_run_with_a_collision() -> None:
    executions = [
        Execution(0, 0, 0.0, 40.0, 0.01),
        Execution(1, 0, 10.0, 50.0, 0.03),
        Execution(0, 1, 60.0, 80.0, 0.02),
    ]
    outcome = measured(2, [0.0, 50.0], executions)
    assert outcome.utilisation == pytest.approx((60 / 80 + 40 / 80) / 2)
    assert outcome.deviation == pytest.approx(0.25 / 2**0.5)
    # Until the second task has come, both have run for forty of the fifty seconds.
    assert outcome.utilisation_while_tasks_come == pytest.approx(0.8)
    assert outcome.slowdown == pytest.approx((1.0 + 1.5) / 2)
    assert outcome.scheduling_s == pytest.approx(0.02)
    assert (outcome.collisions, outcome.in_vain) == (0.5, 0.5)
