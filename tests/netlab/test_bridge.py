"""Hosts on a bridge hear each other, and only each other."""

import pytest

from netlab.bridge import BridgedLan
from netlab.lan import HOSTS_MAX
from netlab.marks import needs_network_lab
from tests.netlab.air import GROUP, Air

pytestmark = needs_network_lab


def test_a_broadcast_reaches_all_other_hosts(air: Air) -> None:
    for speaker in range(1, 6):
        air.say(speaker, f"from {speaker}")
    air.settle()
    for speaker in range(1, 6):
        assert air.listeners_of(f"from {speaker}") >= {1, 2, 3, 4, 5} - {speaker}


def test_a_multicast_reaches_all_hosts(air: Air) -> None:
    for speaker in range(1, 6):
        air.say(speaker, f"from {speaker}", to=GROUP)
    air.settle()
    for speaker in range(1, 6):
        assert air.listeners_of(f"from {speaker}") == {1, 2, 3, 4, 5}


def test_a_datagram_for_one_host_reaches_that_one(air: Air, lan: BridgedLan) -> None:
    air.say(1, "for three", to=lan.host(3).address)
    air.settle()
    assert air.listeners_of("for three") == {3}


def test_two_networks_do_not_hear_each_other(air: Air, tmp_path_factory: pytest.TempPathFactory) -> None:
    with BridgedLan(2) as other, Air(other.hosts, tmp_path_factory.mktemp("other")) as elsewhere:
        air.say(1, "here", to=GROUP)
        elsewhere.say(1, "there", to=GROUP)
        air.settle()
        elsewhere.settle()
        assert (air.listeners_of("there"), elsewhere.listeners_of("here")) == (set(), set())


def test_every_host_has_its_name_and_its_processes(lan: BridgedLan) -> None:
    assert [host.run("hostname").stdout.strip() for host in lan.hosts] == [f"host{number}" for number in range(1, 6)]
    assert lan.host(2).run("sh", "-c", "echo /proc/[0-9]*").stdout.split()[0] == "/proc/1"


def test_a_host_has_a_default_route(lan: BridgedLan) -> None:
    assert lan.host(4).run("ip", "route", "show", "default").stdout.startswith("default via 10.77.0.254 dev eth0")


@pytest.mark.parametrize("hosts", [0, HOSTS_MAX + 1])
def test_a_network_has_at_least_one_host_and_not_too_many(hosts: int) -> None:
    with pytest.raises(ValueError, match="it may have 1 to"):
        BridgedLan(hosts)


def test_a_host_that_is_not_there_is_said_so(lan: BridgedLan) -> None:
    with pytest.raises(ValueError, match="there is no host 6; there are 1 to 5"):
        lan.host(6)
