"""The checker of quiet notices work that goes on, and a storm of anything."""

import pytest

from roost.sim.checkers.observer import Broken
from roost.sim.checkers.quiet import RATE_MAX, Quiet
from roost.sim.network import Network, Weather


def network_that_said(*said: tuple[str, int]) -> Network:
    network = Network(1, Weather(), ())
    for kind, count in said:
        for _ in range(count):
            network.note("n1", kind, 10, 2)
    return network


def test_only_what_is_said_from_then_on_counts() -> None:
    network = network_that_said(("Bid", 5), ("Heartbeat", 1000))
    quiet = Quiet(network)
    for _ in range(20):
        network.note("n1", "Heartbeat", 10, 2)
    quiet.check({"n1": 10.0})


@pytest.mark.parametrize("kind", ["Bid", "Facts", "DoYouKnow"])
def test_it_notices_a_single_word_about_work(kind: str) -> None:
    network = network_that_said((kind, 5))
    quiet = Quiet(network)
    network.note("n1", kind, 10, 2)
    with pytest.raises(Broken, match=f"n1 still says {kind}"):
        quiet.check({"n1": 10.0})


def test_it_notices_a_storm() -> None:
    network = network_that_said()
    quiet = Quiet(network)
    for kind in ("Heartbeat", "Hello"):
        for _ in range(int(5 * RATE_MAX) + 1):
            network.note("n1", kind, 10, 2)
    with pytest.raises(Broken, match="things a second"):
        quiet.check({"n1": 10.0})


def test_a_machine_is_judged_by_its_own_clock() -> None:
    network = network_that_said()
    quiet = Quiet(network)
    for _ in range(int(12 * RATE_MAX)):
        network.note("n1", "Heartbeat", 10, 2)
    quiet.check({"n1": 15.0})
    with pytest.raises(Broken, match="things a second"):
        quiet.check({"n1": 10.0})
