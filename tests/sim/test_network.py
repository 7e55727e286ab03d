"""The simulated network: late, twice, not at all, and cut or held as it was told."""

import pytest

from roost.sim.network import Clog, Cut, Network, Weather

CALM = Weather(latency_s=0.001, jitter_s=0.001)


def network(*faults: Cut | Clog, weather: Weather = CALM) -> Network:
    return Network(1, weather, faults)


def hears(net: Network, source: str, target: str, now: float) -> bool:
    return bool(net.arrivals(now, source, target))


def test_a_message_takes_the_least_latency_and_then_some() -> None:
    net = network()
    times = [net.arrivals(5.0, "a", "b")[0] for _ in range(1000)]
    assert min(times) > 5.001
    assert sum(times) / 1000 == pytest.approx(5.002, abs=0.0003)
    assert times != sorted(times), "later messages overtake earlier ones"


def test_messages_are_lost_and_doubled_as_often_as_the_weather_says() -> None:
    net = network(weather=Weather(loss=0.3, twice=0.5))
    counts = [len(net.arrivals(0.0, "a", "b")) for _ in range(2000)]
    assert counts.count(0) / 2000 == pytest.approx(0.3, abs=0.05)
    assert counts.count(2) / 2000 == pytest.approx(0.35, abs=0.05)


@pytest.mark.parametrize("both", [True, False])
def test_a_cut_drops_what_crosses_it_while_it_lasts(both: bool) -> None:
    net = network(Cut(10.0, 20.0, ("a", "b"), ("c",), both))
    assert hears(net, "a", "c", 9.9)
    assert not hears(net, "a", "c", 10.0)
    assert hears(net, "a", "b", 15.0)
    assert hears(net, "c", "b", 15.0) is not both
    assert hears(net, "b", "c", 20.0)


def test_two_cuts_may_lie_over_each_other() -> None:
    net = network(Cut(0.0, 10.0, ("a",), ("b",)), Cut(5.0, 15.0, ("b",), ("a",)))
    assert [hears(net, "a", "b", now) for now in (1.0, 7.0, 12.0, 16.0)] == [False, False, False, True]


def test_a_clog_holds_messages_until_it_is_released() -> None:
    net = network(Clog(10.0, 20.0, ("a",), ("b",)))
    [held] = net.arrivals(12.0, "a", "b")
    assert 20.0 < held < 20.1
    assert net.arrivals(12.0, "b", "a")[0] < 12.1


def test_a_healed_network_loses_nothing_any_more() -> None:
    net = network(Cut(0.0, 1e9, ("a",), ("b",)), weather=Weather(loss=1.0, twice=1.0))
    assert not hears(net, "a", "b", 1.0)
    net.heal(2.0)
    assert all(len(net.arrivals(2.0, "a", "b")) == 1 for _ in range(100))
    assert net.disturbed("a", "b", 1.0, 3.0), "what lay between them until a moment ago is not forgotten"
    assert not net.disturbed("a", "b", 2.0, 9.0)


def test_messages_that_are_held_when_it_heals_come_in_their_time() -> None:
    net = network(Clog(10.0, 20.0, ("a",), ("b",)), Clog(15.0, 40.0, ("b",), ("a",)))
    net.heal(12.0)
    assert net.held_until == 20.0


def test_what_lay_between_two_machines_is_known_either_way() -> None:
    net = network(Cut(10.0, 20.0, ("a",), ("b",), both=False), Clog(30.0, 40.0, ("b",), ("c",)))
    assert net.disturbed("b", "a", 0.0, 10.5)
    assert not net.disturbed("a", "b", 20.0, 30.0)
    assert net.disturbed("c", "b", 35.0, 36.0)
    assert not net.disturbed("a", "c", 0.0, 100.0)


def test_every_machine_has_its_own_luck() -> None:
    alone, disturbed = network(), network()
    for _ in range(5):
        disturbed.arrivals(0.0, "z", "b")
    assert alone.arrivals(0.0, "a", "b") == disturbed.arrivals(0.0, "a", "b")


def test_what_is_said_is_counted_by_machine_and_kind() -> None:
    net = network()
    net.note("a", "Bid", 40, 4)
    net.note("a", "Bid", 60, 4)
    net.note("b", "Heartbeat", 100, 1)
    tally = net.tallies["a", "Bid"]
    assert (tally.messages, tally.size, tally.copies) == (2, 100, 8)
    assert list(net.tallies) == [("a", "Bid"), ("b", "Heartbeat")]
