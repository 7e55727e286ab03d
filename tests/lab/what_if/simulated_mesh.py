"""The same work in a simulated mesh of whole nodes, whose elements take as long as is said: what a world is held to."""

from collections.abc import Mapping, Sequence

import pytest

from roost.core.events import ElementsDone, Event, Submitted
from roost.core.node import Node
from roost.lab.what_if.work import Measured, Work
from roost.model.clock import Stamp
from roost.model.ids import CauseId, RunId, TaskId, task_id
from roost.model.task import Command, Edge, RunKind, RunSpec, TaskSpec
from roost.sim.checkers.mesh_observer import MeshChecker, MeshObserver
from roost.sim.executor import SimExecutor, _Running
from roost.sim.mesh import Mesh
from roost.sim.network import Weather
from roost.sim.plan import Fault, MeshOptions, Plan

RUN = RunId("1-bababa")
#: When the work is handed in: all nodes know each other by then.
HANDED_IN_S = 8.0
#: How exactly the end of the work is seen.
STEP_S = 0.05


class _Ends(MeshChecker):
    def __init__(self) -> None:
        self.ended: set[tuple[TaskId, int]] = set()

    def on_event(self, event: Event, node: Node) -> None:
        if isinstance(event, ElementsDone) and (lease := node.queue.leases.find(event.lease)) is not None:
            self.ended |= {(lease.spec.id, index) for one in event.segments for index in range(one.start, one.stop)}


def measured_s(
    work: Work, cpus: Sequence[float], patch: pytest.MonkeyPatch, *faults: Fault, policy: str = "", seed: int = 7
) -> float:
    """Return the make-span of work on nodes with these lanes."""
    lengths: Mapping[TaskId, dict[int, float]] = {
        task_id(RUN, task.name): dict(zip(task.elements, task.lengths.seconds, strict=True))
        for task in work.tasks
        if isinstance(task.lengths, Measured)
    }

    def decide(executor: SimExecutor, running: _Running, index: int) -> None:
        seconds = lengths[running.start.spec.id][index]
        executor._later(seconds, executor._ends_well(running, index, seconds))

    patch.setattr(SimExecutor, "_decide", decide)
    watch = _Ends()
    options = MeshOptions(nodes=len(cpus), cpus=tuple(cpus), weather=Weather())
    mesh = Mesh(Plan(seed, options, faults), lambda _: MeshObserver([watch]))
    mesh.until(HANDED_IN_S)
    host = mesh.hosts[0]
    stamp = Stamp(int(host.clock.read(mesh.now) * 1000), 0, host.name)
    specs = tuple(_specs(work, stamp, policy))
    mesh.feed(host, Submitted(CauseId("submit"), RunSpec(RUN, "", RunKind.FLOW, "ann", "desk", stamp), specs))
    while len(watch.ended) < work.elements:
        assert mesh.now < HANDED_IN_S + 2_000.0, f"only {len(watch.ended)} have ended"
        mesh.until(mesh.now + STEP_S)
    return mesh.now - HANDED_IN_S


def _specs(work: Work, stamp: Stamp, policy: str) -> list[TaskSpec]:
    return [
        TaskSpec(
            task_id(RUN, task.name),
            RUN,
            Command(("true",)),
            task.elements,
            stamp,
            tuple(
                Edge(task_id(RUN, work.tasks[link.source].name), link.kind, f"p{at}")
                for at, link in enumerate(task.links)
            ),
            task.needs,
            stated_s=task.stated_s,
            policy=policy,
        )
        for task in work.tasks
    ]
