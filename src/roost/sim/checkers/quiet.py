"""Quiet: when everything has ended, nodes say that they live, and nothing else; no storm and no duel goes on."""

from collections.abc import Mapping

from roost.core.mesh.membership.ring import WATCHERS
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.sim.checkers.observer import Broken
from roost.sim.network import Network

#: How many things a node may say in a second of its own clock when there is nothing to do: its heartbeats, and half as
#: many more for a word in between.
RATE_MAX = 1.5 * WATCHERS / HEARTBEAT_S
#: What is only said about work, or to repair what differs.
BUSY_KINDS = (
    *("Bid", "Facts", "Forgotten", "Keep", "Audit", "Fetch", "Delivery", "DoYouKnow"),
    *("RunDigests", "TaskDigests", "StartElection", "Candidacy"),
)


class Quiet:
    """Looks at what is said from its making until ``check``."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._before = {key: tally.messages for key, tally in network.tallies.items()}

    def check(self, seconds: Mapping[str, float]) -> None:
        """``seconds`` have passed on each machine's own clock, by which it beats."""
        said: dict[str, int] = {}
        for (machine, kind), tally in self._network.tallies.items():
            count = tally.messages - self._before.get((machine, kind), 0)
            if count and kind in BUSY_KINDS:
                raise Broken(f"{machine} still says {kind}, although there is nothing left to do")
            said[machine] = said.get(machine, 0) + count
        for machine, count in said.items():
            if count > RATE_MAX * seconds[machine]:
                rate = count / seconds[machine]
                raise Broken(f"{machine} says {rate:g} things a second, although there is nothing to do")
