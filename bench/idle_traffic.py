"""What a mesh says when there is nothing to do: messages and bytes for each node and second, from simulated meshes.

Usage: python bench/idle_traffic.py [NODES ...]          (5 20 100 500)

Nodes start one after the other, as machines do, and are left alone until all know all and what they say has stopped to
shrink, because news of newcomers travels in heartbeats for a while. Then everything that they say is counted, in the
sizes in which it travels, twice: "one multicast" counts a word to all as one datagram, which is what a network does on
which everybody hears it; "unicast to each" counts one for every other node, which is the most that it can cost
(network/postman.py). Each is counted with what sealing adds to it. The total must not grow faster than the mesh does.
"""

import sys
import time
from collections.abc import Callable

from roost.sim.checkers.mesh_observer import MeshObserver
from roost.sim.hosts import Join
from roost.sim.mesh import Mesh
from roost.sim.network import Network, Tally
from roost.sim.plan import MeshOptions, Plan
from roost.wire.trust.sealing import OVERHEAD_BYTES

SIZES = (5, 20, 100, 500)
#: Simulated seconds between two starts, and of one measurement.
APART_S = 0.02
MEASURED_S = 10.0
#: Each node passes on the word of every newcomer in about four heartbeats, of two a second, and a heartbeat has room
#: for fourteen such words (membership/gossip.py): so long, for each node, all are busy with newcomers, and a little
#: longer.
NEWS_S = 0.2
#: A mesh has settled when a measurement has less than this part fewer bytes than the one before; it has so many tries.
SHRINKS_MAX = 0.02
TRIES_MAX = 30

Counts = dict[str, Tally]


def by_kind(network: Network) -> Counts:
    counts: Counts = {}
    for (_, kind), tally in network.tallies.items():
        known = counts.setdefault(kind, Tally())
        known.messages += tally.messages
        known.size += tally.size
        known.copies += tally.copies
        known.copied_size += tally.copied_size
    return counts


def measure(nodes: int) -> tuple[Counts, float]:
    """Return what an idle mesh of so many nodes says in MEASURED_S, and how long it took to settle."""
    joins = tuple(Join(number * APART_S, f"n{number + 1}") for number in range(1, nodes))
    mesh = Mesh(Plan(1, MeshOptions(nodes=nodes), joins), lambda _: MeshObserver([]))
    mesh.until(nodes * (APART_S + NEWS_S))
    last_size = float("inf")
    for _ in range(TRIES_MAX):
        counts = listen(mesh)
        size = sum(tally.size for tally in counts.values())
        if not strangers(mesh) and size > (1.0 - SHRINKS_MAX) * last_size:
            return counts, mesh.now - nodes * APART_S - MEASURED_S
        last_size = size
    raise SystemExit(f"{nodes} nodes have not settled; {strangers(mesh)} of them do not know all others")


def listen(mesh: Mesh) -> Counts:
    before = by_kind(mesh.network)
    mesh.until(mesh.now + MEASURED_S)
    return {kind: less(tally, before.get(kind, Tally())) for kind, tally in by_kind(mesh.network).items()}


def strangers(mesh: Mesh) -> int:
    """Return how many nodes do not know all others."""
    others = len(mesh.hosts) - 1
    return sum(len(host.life.node.peers.others) != others for host in mesh.hosts if host.life is not None)


def less(tally: Tally, before: Tally) -> Tally:
    return Tally(
        tally.messages - before.messages,
        tally.size - before.size,
        tally.copies - before.copies,
        tally.copied_size - before.copied_size,
    )


def rate(counts: Counts, nodes: int, of: Callable[[Tally], int]) -> float:
    return sum(of(tally) for tally in counts.values()) / nodes / MEASURED_S


def report(nodes: int) -> None:
    began = time.monotonic()
    counts, settled_s = measure(nodes)
    once = rate(counts, nodes, lambda tally: tally.messages)
    once_bytes = rate(counts, nodes, lambda tally: tally.size + OVERHEAD_BYTES * tally.messages)
    each = rate(counts, nodes, lambda tally: tally.copies)
    each_bytes = rate(counts, nodes, lambda tally: tally.copied_size + OVERHEAD_BYTES * tally.copies)
    kinds = ", ".join(f"{kind} {tally.messages}" for kind, tally in sorted(counts.items()) if tally.messages)
    print(
        f"{nodes:5d} nodes   one multicast: {once:6.2f} messages, {once_bytes:7.0f} bytes"
        f"   unicast to each: {each:6.2f} messages, {each_bytes:7.0f} bytes   a node and second"
        f"\n              {kinds}; settled after {settled_s:g} s; this took {time.monotonic() - began:.0f} s",
        flush=True,
    )


def main() -> None:
    for nodes in [int(word) for word in sys.argv[1:]] or SIZES:
        report(nodes)


if __name__ == "__main__":
    main()
