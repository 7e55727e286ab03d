"""A simulated cluster of nodes that come and go, beside the closed form."""

from decimal import Decimal
from math import sqrt
from statistics import fmean, stdev

import pytest

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.simulated_network import NetworkSeen, NetworkTrial, try_network
from roost.lab.availability.transient import Transient, unavailability

#: Of Student's t with 19 degrees of freedom, for 99.9 %: of 36 comparisons none is likely to fail by chance.
T_999 = 3.883


def seen_of(**given: object) -> NetworkSeen:
    return try_network(NetworkTrial(seed=7, up_s=100.0, down_s=40.0, **given))  # type: ignore[arg-type] - any field


def model(name: str) -> float:
    replicas, level = name.split()
    return 1 - float(unavailability(Transient(Decimal(100), Decimal(40)), int(replicas), Consistency(level, level)))


def assert_agrees(sample: tuple[float, ...], expected: float) -> None:
    assert fmean(sample) == pytest.approx(expected, abs=T_999 * stdev(sample) / sqrt(len(sample)))


@pytest.mark.parametrize("shapes", [(1.0, 1.0), (0.7, 0.5)])
@pytest.mark.parametrize("zipf", [0.0, 1.0])
def test_the_model_holds_within_the_confidence_interval(shapes: tuple[float, float], zipf: float) -> None:
    """Whatever the lifetimes: only their means count in the long run."""
    seen = seen_of(askers="clients", shapes=shapes, zipf=zipf, interval_s=4000.0, warm_up_s=20_000.0)
    assert len(seen.availability) == 9
    for name, sample in seen.availability.items():
        assert_agrees(sample, model(name))


def test_nodes_that_ask_see_more_than_clients_do() -> None:
    """More of them ask while more are there; the document's cluster is measured so."""
    by_nodes, by_clients = (seen_of(askers=askers, interval_s=4000.0) for askers in ("nodes", "clients"))
    assert fmean(by_nodes.availability["7 QUORUM"]) > fmean(by_clients.availability["7 QUORUM"]) + 0.005


def test_the_times_that_were_seen_are_those_that_were_drawn() -> None:
    seen = seen_of(interval_s=4000.0)
    assert (seen.up_s, seen.down_s) == (pytest.approx(100.0, rel=0.05), pytest.approx(40.0, rel=0.05))


def test_the_same_trial_gives_the_same() -> None:
    assert seen_of(interval_s=50.0) == seen_of(interval_s=50.0)


def test_weibull_lifetimes_scatter_more() -> None:
    steady, bursty = (
        stdev(seen_of(shapes=shapes, replicas=(3,), levels=("QUORUM",)).availability["3 QUORUM"])
        for shapes in ((1.0, 1.0), (0.7, 0.5))
    )
    assert bursty > 1.2 * steady
