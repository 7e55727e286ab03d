"""Scenarios of HTC 4.4.1 and what is measured of them."""

import numpy as np
import pytest

from roost.lab.compiled.scenario_runs import Asked, draw_tasks, lives_of, measure, stable_ones
from roost.lab.worlds.lifetimes import Model, stable
from roost.lab.worlds.scenarios import Scenario, nodes_of
from roost.policy.reliability import Weibull


def asked(policy: str = "fcfs", **other: float) -> Asked:
    return Asked(policy=policy, system="mixed", workload="medium", seed=1, nodes=50, work_s=2e7, **other)


def test_workloads_have_the_published_numbers_of_tasks() -> None:
    # Table 4.1; a workload scatters by a third of a percent.
    for workload, published in (("small", 395895), ("medium", 216637), ("large", 77797)):
        kinds, stated_s, _ = draw_tasks(workload, 1e9, 1.0, 0)
        assert len(stated_s) == pytest.approx(published, rel=0.01)
        assert stated_s.sum() == pytest.approx(1e9, rel=1e-4)
        assert np.bincount(kinds).max() / len(kinds) == pytest.approx(0.8, abs=0.01)


def test_lengths_are_wrong_by_up_to_k() -> None:
    _, stated_s, length_s = draw_tasks("small", 1e7, 2.0, 0)
    assert np.all((stated_s / 2 <= length_s) & (length_s <= 2 * stated_s))
    _, stated_s, length_s = draw_tasks("small", 1e7, 1.0, 0)
    assert np.allclose(stated_s, length_s)


@pytest.mark.parametrize("system", ["stable", "mixed", "unstable"])
def test_stable_nodes_stand_where_they_stand_in_the_plain_world(system: str) -> None:
    plain = nodes_of(Scenario(system, "small", Model.WEIBULL), 50)
    assert stable_ones(system, 50).tolist() == [churn == stable(Model.WEIBULL) for churn in plain]


def test_weibull_lives_have_the_published_scale() -> None:
    lives = lives_of(np.array([True, False]), Model.WEIBULL)
    up = stable(Model.WEIBULL).up
    assert isinstance(up, Weibull)
    assert lives.up_scale_s.tolist() == pytest.approx([789_999.5, 7_899.995], rel=1e-5)
    assert lives.away_scale_s.tolist() == pytest.approx([5000.0, 500.0])
    assert (lives.up_shape[0], lives.away_shape[0]) == (0.7, 0.5)


@pytest.mark.parametrize("policy", ["fcfs", "bfgc", "wqr-4"])
def test_what_is_measured_adds_up(policy: str) -> None:
    found = measure(asked(policy))
    spent = found.everybody
    assert spent.useful + spent.idle + spent.wasted + spent.offline == pytest.approx(1.0)
    assert min(spent.useful, spent.idle, spent.wasted, spent.offline) >= 0
    assert spent.useful * found.make_span_s == pytest.approx(found.ideal_s)
    kinds = (found.small, found.medium, found.large)
    assert sum(kind.tasks for kind in kinds) == found.all_kinds.tasks == found.tasks
    lost_s = sum(kind.tasks * kind.lost_s for kind in kinds)
    assert lost_s == pytest.approx(found.tasks * found.all_kinds.lost_s)
    assert lost_s == pytest.approx(spent.wasted * 50 * found.make_span_s)
    assert found.make_span_999_s <= found.make_span_s


def test_the_same_is_measured_each_time() -> None:
    assert measure(asked()) == measure(asked())


def test_executions_and_waiting_of_the_document_come_out() -> None:
    """Tables 4.1 and 4.2 with all nodes, once each: tolerances are about five times what that scatters."""
    unstable = measure(Asked(policy="fcfs", system="unstable", workload="medium", seed=2))
    assert unstable.executions / unstable.tasks == pytest.approx(1.641, abs=0.03)
    mixed = measure(Asked(policy="fcfs", system="mixed", workload="medium", seed=2))
    assert mixed.all_kinds.undelayed == pytest.approx(0.77584, abs=0.03)
    assert mixed.all_kinds.wait_s == pytest.approx(7.346, abs=0.5)
    assert mixed.medium.lost_s == pytest.approx(428.3, abs=20.0)
