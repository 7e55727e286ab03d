"""This machine's IPv4 networks, as they are at this moment: a laptop changes them."""

import socket
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, IPv4Network
from typing import NamedTuple

import psutil

#: Where packets to the world would go; nothing is sent there (RFC 5737).
_ELSEWHERE = ("192.0.2.1", 9)
_LOOPBACK = "127.0.0.1"
_LOOPBACK_BROADCAST = "127.255.255.255"

#: A host as a number, and a port.
Endpoint = tuple[str, int]


class Interface(NamedTuple):
    """One of this machine's addresses, and how all of its neighbours are reached."""

    name: str
    address: str
    broadcast: str
    network: IPv4Network


def interfaces() -> list[Interface]:
    """Return every IPv4 address of an interface that is up and has neighbours; the own loopback among them."""
    found = []
    states = psutil.net_if_stats()
    for name, addresses in psutil.net_if_addrs().items():
        if name not in states or not states[name].isup:
            continue
        for entry in addresses:
            if entry.family == socket.AF_INET:
                broadcast = _LOOPBACK_BROADCAST if entry.address.startswith("127.") else entry.broadcast
                if broadcast:
                    network = IPv4Interface(f"{entry.address}/{entry.netmask}").network
                    found.append(Interface(name, entry.address, broadcast, network))
    return found


def main_address(known: list[Interface]) -> str:
    """Return the address under which most others can reach this machine: the one on the way to the world, if any."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
            chosen = str(probe.getsockname()[0])
        except OSError:
            chosen = _LOOPBACK
    outside = [interface.address for interface in known if not interface.address.startswith("127.")]
    return chosen if chosen in outside else next(iter(outside), _LOOPBACK)


def parse_endpoint(text: str) -> Endpoint | None:
    """Read "10.0.0.5:4000" as nodes announce it; None if it is anything else, such as a name to be looked up."""
    host, _, port = text.rpartition(":")
    try:
        IPv4Address(host)
    except AddressValueError:
        return None
    return (host, int(port)) if port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65_536 else None


def format_endpoint(endpoint: Endpoint) -> str:
    return f"{endpoint[0]}:{endpoint[1]}"
