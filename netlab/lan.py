"""A local network of hosts: machines numbered from 1, each with ``eth0`` and an address that tells its number."""

import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, Self

from netlab.errors import LabUnavailable
from netlab.features import missing_for_lab
from netlab.namespaces import Keeper, Namespace

_SUBNET: Final = "10.77.0"
BROADCAST: Final = f"{_SUBNET}.255"
#: Nobody has this address: the world beyond the network is there by its route only.
GATEWAY: Final = f"{_SUBNET}.254"
HOSTS_MAX: Final = 200
INTERFACE: Final = "eth0"
_RAISE: Final = (f"link set {INTERFACE} up", f"route replace default via {GATEWAY} dev {INTERFACE}")


@dataclass(frozen=True)
class Host:
    """One machine of the network."""

    number: int
    namespace: Namespace

    @property
    def name(self) -> str:
        return name_of(self.number)

    @property
    def address(self) -> str:
        return f"{_SUBNET}.{self.number}"

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command on this host to its end."""
        return self.namespace.run(*command)


def name_of(number: int) -> str:
    return f"host{number}"


class Lan(ABC):
    """So many hosts on one network, from ``with`` until its end; how they are joined is the subclass's.

    Entering raises LabUnavailable if this machine cannot hold such a network, LabError if something failed.
    """

    def __init__(self, hosts: int) -> None:
        if not 1 <= hosts <= HOSTS_MAX:
            raise ValueError(f"a network of {hosts} hosts; it may have 1 to {HOSTS_MAX}")
        self._count = hosts
        #: What is undone at the end, the last thing first.
        self._open = ExitStack()
        self.hosts: Sequence[Host] = ()

    def host(self, number: int) -> Host:
        """Return a host by its number, which begins with 1."""
        if not 1 <= number <= len(self.hosts):
            raise ValueError(f"there is no host {number}; there are 1 to {len(self.hosts)}")
        return self.hosts[number - 1]

    def __enter__(self) -> Self:
        self._refuse_if_impossible()
        with ExitStack() as self._open:
            switch = Keeper.of_switch()
            self._open.callback(switch.close)
            self.switch = switch.ready()
            self._add_machines()
            self._join()
            for host in self.hosts:
                _give_address(host)
            self._open = self._open.pop_all()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._open.close()

    def _refuse_if_impossible(self) -> None:
        missing = missing_for_lab()
        if missing:
            raise LabUnavailable(missing)

    def _add_machines(self) -> None:
        keepers: list[Keeper] = []
        for number in range(1, self._count + 1):
            keeper = Keeper.of_machine(name_of(number), self.switch)
            self._open.callback(keeper.close)
            keepers.append(keeper)
        for keeper in keepers:
            # Last in, first out: all are told to end before the first is waited for.
            self._open.callback(keeper.release)
        self.hosts = tuple(Host(number, keeper.ready()) for number, keeper in enumerate(keepers, start=1))

    @abstractmethod
    def _join(self) -> None:
        """Give every host its interface; what must be undone goes on ``self._open``."""


def _give_address(host: Host) -> None:
    lines = ["link set lo up", f"address add {host.address}/24 broadcast {BROADCAST} dev {INTERFACE}"]
    host.namespace.do("ip", "-batch", "-", text="\n".join([*lines, *_RAISE]))


def raise_interface(host: Host) -> None:
    """Bring the interface up, if it is down, with the route that went with it."""
    host.namespace.do("ip", "-batch", "-", text="\n".join(_RAISE))
