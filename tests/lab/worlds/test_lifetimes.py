"""How long nodes of an experiment stay: HTC's numbers."""

from random import Random

import pytest

from roost.lab.worlds.lifetimes import Churn, Model, draw, of_mean, stable, unstable
from roost.policy.reliability import Exponential, Weibull


def test_the_rates_are_those_of_htc() -> None:
    assert stable(Model.EXPONENTIAL) == Churn(Exponential(1e-6), Exponential(1e-4))
    assert unstable(Model.EXPONENTIAL) == Churn(Exponential(1e-4), Exponential(1e-3))


def test_the_scales_of_the_weibull_model_are_those_of_htc() -> None:
    # HTC 4.6: 789999.5 and 5000 for stable nodes, 7899.995 and 500 for unstable ones.
    one, other = stable(Model.WEIBULL), unstable(Model.WEIBULL)
    assert isinstance(one.up, Weibull)
    assert isinstance(one.away, Weibull)
    assert (one.up.scale_s, one.up.shape) == (pytest.approx(789_999.5, rel=1e-4), 0.7)
    assert (one.away.scale_s, one.away.shape) == (pytest.approx(5000.0), 0.5)
    assert isinstance(other.up, Weibull)
    assert isinstance(other.away, Weibull)
    assert other.up.scale_s == pytest.approx(7899.995, rel=1e-4)
    assert other.away.scale_s == pytest.approx(500.0)


@pytest.mark.parametrize("lifetime", [Exponential(1e-3), of_mean(1000.0, 0.7), of_mean(1000.0, 2.0)])
def test_what_is_drawn_is_as_long_on_average(lifetime: Exponential | Weibull) -> None:
    rng = Random("lifetimes")
    drawn = [draw(lifetime, rng) for _ in range(20_000)]
    assert sum(drawn) / len(drawn) == pytest.approx(1000.0, rel=0.05)


def test_the_past_of_a_node_ends_when_it_came_back_at_the_beginning() -> None:
    node = Churn(of_mean(1000.0, 50.0), of_mean(100.0, 50.0))
    past = node.past(3, Random(1)).stretches
    assert len(past) == 3
    assert [stretch.length_s for stretch in past] == pytest.approx([1000.0] * 3, rel=0.2)
    assert past[-1].ended_s == pytest.approx(-100.0, rel=0.2)
    assert past[1].began_s - past[0].ended_s == pytest.approx(100.0, rel=0.2)
    assert node.comes_first_s() == 0.0
