"""Harm to a bridged network: cables pulled, frames dropped, rates cut; and its end.

Everything is kept by the kernel in the namespace of the bridge and nothing here, so that any process may do harm, and
any other may heal it. Faults add up until ``heal``. They are in force when the call returns.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Final

from netlab.lan import INTERFACE, Host, raise_interface
from netlab.namespaces import Namespace

_CHAIN: Final = "bridge lab faults"
_PREPARE: Final = """
    add table bridge lab
    add chain bridge lab faults { type filter hook forward priority 0; policy accept; }
"""
#: Random numbers of the kernel are drawn below this: a loss may have two digits behind the point.
_PARTS: Final = 10_000


def port_of(number: int) -> str:
    """Return the bridge's end of the cable to a host."""
    return f"p{number}"


class Faults:
    """What can be done to the hosts on one bridge; they are named by their numbers."""

    def __init__(self, switch: Namespace, hosts: Sequence[Host]) -> None:
        self._switch = switch
        self._hosts = {host.number: host for host in hosts}

    def prepare(self) -> None:
        """Make the place for rules; once for a bridge."""
        self._switch.do("nft", "-f", "-", text=_PREPARE)

    def cut(self, number: int) -> None:
        """Pull the cable at the switch. The host sees no error: what it sends vanishes."""
        self._switch.do("ip", "link", "set", self._port(number), "down")

    def unplug(self, number: int) -> None:
        """Take the host's own interface down: it sees that, its sends fail, and its routes are gone."""
        self._host(number).namespace.do("ip", "link", "set", INTERFACE, "down")

    def partition(self, *groups: Sequence[int]) -> None:
        """Let nothing pass from one group to another. A host that is in no group still sees all."""
        ports = [self._set_of(group) for group in groups]
        self._drop(*(f"iifname {one} oifname {other}" for one, other in permutations(ports, 2)))

    def block(self, source: int, target: int | None = None) -> None:
        """Let nothing pass from one host to another, or to all, while the way back stays open."""
        self._drop(self._way(source, target))

    def lose(self, percent: float, source: int | None = None, target: int | None = None) -> None:
        """Drop each frame with this chance, on the whole network or on the way between two hosts."""
        if not 0 <= percent <= 100:
            raise ValueError(f"a loss of {percent} percent; it may be 0 to 100")
        self._drop(f"{self._way(source, target)} numgen random mod {_PARTS} < {round(percent * _PARTS / 100)}")

    def limit(self, number: int, megabits: float) -> None:
        """Let a host send at most so many megabits a second. Raise LabError where the kernel has no tbf."""
        if megabits <= 0:
            raise ValueError(f"a limit of {megabits} megabits; it must be more than 0")
        rate = f"{round(megabits * 1000)}kbit"
        words = f"qdisc replace dev {INTERFACE} root tbf rate {rate} burst 32k latency 50ms".split()
        self._host(number).namespace.do("tc", *words)

    def heal(self) -> None:
        """Undo every fault, whoever made it."""
        self._switch.do("nft", "flush", "chain", *_CHAIN.split())
        self._switch.do("ip", "-batch", "-", text="\n".join(f"link set {self._port(n)} up" for n in self._hosts))
        for host in self._hosts.values():
            _make_whole(host)

    def _drop(self, *matches: str) -> None:
        """Add rules, all at one instant."""
        self._switch.do("nft", "-f", "-", text="\n".join(f"add rule {_CHAIN} {match} drop" for match in matches))

    def _way(self, source: int | None, target: int | None) -> str:
        words = [] if source is None else [f'iifname "{self._port(source)}"']
        if target is not None:
            words.append(f'oifname "{self._port(target)}"')
        return " ".join(words)

    def _set_of(self, group: Sequence[int]) -> str:
        return "{ " + ", ".join(f'"{self._port(number)}"' for number in group) + " }"

    def _port(self, number: int) -> str:
        return port_of(self._host(number).number)

    def _host(self, number: int) -> Host:
        if number not in self._hosts:
            raise ValueError(f"there is no host {number} on this network")
        return self._hosts[number]


def _make_whole(host: Host) -> None:
    """Undo what was done inside a host: its interface, its route, its rate."""
    raise_interface(host)
    if " tbf " in host.namespace.do("tc", "qdisc", "show", "dev", INTERFACE):
        host.namespace.do("tc", "qdisc", "delete", "dev", INTERFACE, "root")
