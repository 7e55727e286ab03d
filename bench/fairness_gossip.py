"""What fairness between devices costs on the network: bytes of gossip for each node and second, in a simulated mesh.

Usage: python bench/fairness_gossip.py [NODES [GROUP]]          (100 10)

Every node compares itself with its group (policy/fairness.py). Counted is what they tell each other of how they do,
with what sealing adds to it: first in a mesh with nothing to do, then while short interactive jobs are handed in
everywhere, so that lanes open and close all the time. The target is 1,000 bytes. Without fairness nothing is said; that
is looked at, too.
"""

import sys
import time
from functools import partial
from random import Random

from idle_traffic import by_kind, less
from msgspec.structs import replace

from roost.core.events import Submitted
from roost.core.node import Node
from roost.core.restored import Restored
from roost.model.clock import Stamp
from roost.model.ids import CauseId, NodeId, run_id, task_id
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.task import Command, Needs, Priority, RunKind, RunSpec, TaskSpec
from roost.policy.choose import Policy
from roost.policy.fairness import NO_FAIRNESS, Fairness
from roost.sim.checkers.mesh_observer import MeshObserver
from roost.sim.executor import Mishaps
from roost.sim.hosts import Host
from roost.sim.life import Faults
from roost.sim.mesh import Mesh, make_node
from roost.sim.network import Tally
from roost.sim.plan import MeshOptions, Plan
from roost.wire.trust.sealing import OVERHEAD_BYTES

NODES, GROUP = 100, 10
#: Simulated seconds until all know all, and of each measurement: a round, and less where nothing is to be heard.
SETTLED_S = 40.0
MEASURED_S, SILENT_S = 30.0, 3.0
#: Jobs that arrive on a node in a second, how long one takes on average, and the lanes of a node: a fifth is busy.
JOBS_S, JOB_S, LANES = 0.2, 2.0, 2.0
TARGET = 1_000


def make(
    fairness: Fairness,
    name: NodeId,
    capacity: Capacity,
    restored: Restored,
    rng: Random,
    policy: Policy,
    _: Fairness,
    archive_group: int,
) -> Node:
    return make_node(name, capacity, restored, rng, policy, fairness, archive_group)


def mesh_of(nodes: int, fairness: Fairness) -> Mesh:
    options = MeshOptions(nodes=nodes, cpus=(LANES,), machine=Faults(mishaps=Mishaps(mean_s=JOB_S)))
    mesh = Mesh(Plan(1, options, ()), lambda _: MeshObserver([]), partial(make, fairness))
    mesh.until(SETTLED_S)
    return mesh


def hand_in(mesh: Mesh, host: Host, number: int) -> None:
    run, stamp = run_id(number, number), Stamp(int(host.clock.read(mesh.now) * 1000), 0, host.name)
    job = TaskSpec(task_id(run, "job"), run, Command(("true",)), RangeSet.span(0, 1), stamp, (), Needs.of(1.0))
    job = replace(job, priority=Priority.INTERACTIVE)
    spec = RunSpec(run, "bench", RunKind.FLOW, "ann", str(host.name), stamp)
    mesh.feed(host, Submitted(CauseId(f"submit-{number}"), spec, (job,)))


def gossip(mesh: Mesh, seconds: float, jobs_s: float) -> Tally:
    """Return what is told of performances in this time, while so many jobs arrive in a second."""
    luck = Random(1)
    before = by_kind(mesh.network).get("Performance", Tally())
    before = Tally(before.messages, before.size, before.copies, before.copied_size)
    began = mesh.now
    for number in range(int(jobs_s * seconds)):
        mesh.until(began + number / jobs_s)
        hand_in(mesh, luck.choice(mesh.hosts), number + 1)
    mesh.until(began + seconds)
    return less(by_kind(mesh.network).get("Performance", Tally()), before)


def report(what: str, tally: Tally, node_s: float, took_s: float) -> None:
    messages = tally.messages / node_s
    size = (tally.size + OVERHEAD_BYTES * tally.messages) / node_s
    each = f", {size / messages:.0f} bytes each" if messages else ""
    print(f"{what:40s} {messages:6.2f} messages, {size:6.0f} bytes a node and second{each}; this took {took_s:.0f} s")
    if size > TARGET:
        raise SystemExit(f"that is more than {TARGET:,} bytes")


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]]
    nodes, group = [*numbers, NODES, GROUP][:2] if len(numbers) != 1 else (numbers[0], GROUP)
    for fairness, seconds in ((NO_FAIRNESS, SILENT_S), (Fairness("not-best", group), MEASURED_S)):
        name = f"{nodes} nodes, {fairness.strategy}, groups of {group}"
        mesh = mesh_of(nodes, fairness)
        for what, jobs_s in ((f"{name}, idle", 0.0), (f"{name}, at work", JOBS_S * nodes)):
            began = time.monotonic()
            report(what, gossip(mesh, seconds, jobs_s), nodes * seconds, time.monotonic() - began)


if __name__ == "__main__":
    main()
