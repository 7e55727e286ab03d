"""A mesh of real nodes in a simulated world that is measured: the core is what runs on machines, to the last line.

What is simulated is around it: the network, the disks, the clocks, which are right here, and what tasks do, which is to
take the time that they say (``sleep 120``). Nothing looks on that searches for faults, which is what makes it lean.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from roost.core.events import Submitted
from roost.lab.meshes.ledger import Ledger
from roost.model.errors import InvalidInput
from roost.model.ids import CauseId, RunId, TaskId, run_id, task_id
from roost.model.ranges import RangeSet
from roost.model.task import Command, Edge, EdgeKind, Needs, Priority, RunKind, RunSpec, TaskSpec
from roost.sim.checkers.mesh_observer import MeshObserver
from roost.sim.hosts import Crash, Join
from roost.sim.mesh import Mesh
from roost.sim.network import Tally, Weather
from roost.sim.plan import MeshOptions, Plan, machine_names
from roost.sim.trace import Uncounted
from roost.wire.trust.sealing import OVERHEAD_BYTES

#: Nodes check what they keep twice after so many events: never.
SELDOM: Final = 10**12
#: How often it is looked whether all has ended, and whether all know all.
LOOK_EVERY_S: Final = 0.25
#: For how long a mesh may take to get to know itself, per node and in any case.
GREETING_S: Final = 0.3
GREETING_S_MIN: Final = 30.0
#: One that has not ended its work then never will.
PATIENCE_S: Final = 100_000.0


class Traffic(NamedTuple):
    """What all nodes have said. A word to all is one message, and as many copies as there are others."""

    messages: int = 0
    bytes: int = 0
    copies: int = 0
    copied_bytes: int = 0

    def less(self, before: "Traffic") -> "Traffic":
        return Traffic(*(mine - theirs for mine, theirs in zip(self, before, strict=True)))


class Step(msgspec.Struct, frozen=True):
    """A task of a workflow: ``elements`` like ones, each of which takes so long."""

    elements: int
    length_s: float
    is_interactive: bool = False


class MeasuredMesh:
    def __init__(
        self,
        nodes: int,
        seed: int,
        *,
        loss: float = 0.0,
        latency_s: float = 0.0003,
        jitter_s: float = 0.0005,
        apart_s: float = 0.0,
        crashes: Sequence[Crash] = (),
    ) -> None:
        """Machines with a processor each start within half a second, or one after the other, ``apart_s`` later.

        ``crashes`` count their time from the beginning of the world.
        """
        if nodes < 1:
            raise InvalidInput(f"a mesh has 1 node or more, not {nodes}; give it one")
        joins = [Join(at * apart_s, name) for at, name in enumerate(machine_names(nodes)) if at and apart_s]
        weather = Weather(latency_s=latency_s, jitter_s=jitter_s, loss=loss)
        plan = Plan(seed, MeshOptions(nodes=nodes, cpus=(1.0,), weather=weather), (*joins, *crashes))
        self.mesh = Mesh(plan, self._observe, trace=Uncounted(), check_every=SELDOM)
        self._runs = 0

    def _observe(self, mesh: Mesh) -> MeshObserver:
        self.ledger = Ledger(mesh)
        return MeshObserver([self.ledger])

    def greet(self) -> float:
        """Let time go by until all nodes know all others; return how long that took."""
        others = len(self.mesh.hosts) - 1
        limit = self.mesh.now + GREETING_S_MIN + GREETING_S * len(self.mesh.hosts)
        while any(host.life is None or len(host.life.node.peers.others) < others for host in self.mesh.hosts):
            if self.mesh.now > limit:
                raise InvalidInput("nodes do not get to know each other with so much loss; choose less than that")
            self.mesh.until(self.mesh.now + LOOK_EVERY_S)
        return self.mesh.now

    def hand_in(self, node: int, steps: Sequence[Step], *, as_chain: bool = False) -> RunId:
        """Hand in a run to a node, by its number from 0; as a chain, each step begins after the one before it."""
        host = self.mesh.hosts[node]
        assert host.life is not None
        self._runs += 1
        at = host.life.node.stamp_at(host.clock.read(self.mesh.now))
        run = run_id(self._runs, self._runs)
        tasks: list[TaskSpec] = []
        for place, step in enumerate(steps):
            stamp = msgspec.structs.replace(at, count=at.count + place)
            edges = (Edge(tasks[-1].id, EdgeKind.AFTER, "before"),) if as_chain and tasks else ()
            tasks.append(
                TaskSpec(
                    task_id(run, f"t{place}"),
                    run,
                    Command(("sleep", f"{step.length_s:g}")),
                    RangeSet.span(0, step.elements),
                    stamp,
                    edges=edges,
                    needs=Needs.of(cpus=1.0),
                    priority=Priority.INTERACTIVE if step.is_interactive else Priority.LOW,
                )
            )
        spec = RunSpec(run, "measured", RunKind.FLOW, "somebody", host.name, at)
        self.mesh.feed(host, Submitted(CauseId(f"submit-{self._runs}"), spec, tuple(tasks)))
        return run

    def work(self, runs: Sequence[RunId]) -> float:
        """Let time go by until runs have ended; return when the last of them had."""
        limit = self.mesh.now + PATIENCE_S
        while not all(run in self.ledger.ends for run in runs):
            if self.mesh.now > limit:
                raise InvalidInput("a run does not end; hand in less, or let fewer nodes fail")
            self.mesh.until(self.mesh.now + LOOK_EVERY_S)
        return max(self.ledger.ends[run] for run in runs)

    def tasks_of(self, run: RunId) -> list[TaskId]:
        return [task for task in self.ledger.executions if task.startswith(f"{run}/")]

    @property
    def traffic(self) -> Traffic:
        """What has been said until now, with what sealing adds to each message."""
        tallies: list[Tally] = list(self.mesh.network.tallies.values())
        messages, copies = sum(tally.messages for tally in tallies), sum(tally.copies for tally in tallies)
        return Traffic(
            messages,
            sum(tally.size for tally in tallies) + OVERHEAD_BYTES * messages,
            copies,
            sum(tally.copied_size for tally in tallies) + OVERHEAD_BYTES * copies,
        )

    @property
    def steps(self) -> int:
        """Events that nodes have handled, and what they did, until now."""
        return self.mesh.trace.steps

    @property
    def begun(self) -> int:
        """How often an element has begun to run on the nodes that live."""
        return sum(host.life.begun for host in self.mesh.hosts if host.life is not None)
