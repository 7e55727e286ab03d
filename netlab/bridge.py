"""A network over the kernel's own bridge: as fast as the machine, and without delay."""

from typing import Final

from netlab.faults import Faults, port_of
from netlab.lan import INTERFACE, Lan

BRIDGE: Final = "br0"


class BridgedLan(Lan):
    """Hosts on a bridge in a namespace of its own, a cable each; ``faults`` does harm to it.

    Example::

        with BridgedLan(5) as lan:
            lan.faults.partition([1, 2, 3], [4, 5])
            lan.host(1).run("ip", "neighbour")
    """

    faults: Faults

    def _join(self) -> None:
        self.switch.do("ip", "-batch", "-", text="\n".join(self._wiring()))
        self.faults = Faults(self.switch, self.hosts)
        self.faults.prepare()

    def _wiring(self) -> list[str]:
        # Snooping would hold back multicast until the hosts have announced their groups.
        lines = [
            f"link add {BRIDGE} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
            f"link set {BRIDGE} up",
        ]
        for host in self.hosts:
            port = port_of(host.number)
            lines += [
                f"link add {port} type veth peer name {INTERFACE} netns {host.namespace.pid}",
                f"link set {port} master {BRIDGE} up",
            ]
        return lines
