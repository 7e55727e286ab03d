import socket
from ipaddress import IPv4Address, IPv4Network

import pytest

from roost.runtime.network.interfaces import Interface, format_endpoint, interfaces, main_address, parse_endpoint


def test_the_own_loopback_has_neighbours_other_nodes_of_this_machine() -> None:
    (loopback,) = [found for found in interfaces() if found.address == "127.0.0.1"]
    assert loopback.broadcast == "127.255.255.255"
    assert loopback.network == IPv4Network("127.0.0.0/8")


def test_every_address_lies_in_its_network_and_can_be_bound() -> None:
    for found in interfaces():
        assert IPv4Address(found.address) in found.network
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.bind((found.address, 0))


def test_others_are_told_an_address_that_leads_outside_if_there_is_one() -> None:
    loopback = Interface("lo", "127.0.0.1", "127.255.255.255", IPv4Network("127.0.0.0/8"))
    nowhere = Interface("eth9", "198.51.100.7", "198.51.100.255", IPv4Network("198.51.100.0/24"))
    assert main_address([loopback]) == "127.0.0.1"
    assert main_address([loopback, nowhere]) == "198.51.100.7"
    assert main_address([]) == "127.0.0.1"


@pytest.mark.parametrize(
    "text", ["", "10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "host:1", "::1:5", "10.0.0.1:+5", "1.2.3:4"]
)
def test_what_is_no_address_is_none(text: str) -> None:
    assert parse_endpoint(text) is None


def test_an_address_is_read_as_it_is_written() -> None:
    assert parse_endpoint("10.0.0.1:4000") == ("10.0.0.1", 4000)
    assert format_endpoint(("10.0.0.1", 4000)) == "10.0.0.1:4000"
