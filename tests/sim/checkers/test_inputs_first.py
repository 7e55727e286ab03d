"""The checker of dataflow notices a start without inputs, and more running than was offered."""

import pytest

from roost.core.actions import Start
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.lanes import Lanes
from roost.model.elements import Elements
from roost.model.ids import LeaseId, task_id
from roost.model.record import TaskRecord
from roost.model.states import Done
from roost.model.task import TaskSpec
from roost.sim.checkers.inputs_first import InputsFirst
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from roost.sim.world import Options
from tests.core.harness import ASH, RUN, Bench, edge, ranges, task
from tests.sim.checkers.worlds import ROUGH, live_through
from tests.tokens import attempt


def start(spec: TaskSpec, elements: str, *, done: str) -> None:
    """Show the checker a start while these elements of the source are done on disk."""
    disk = SimDisk(ASH)
    disk.tasks[task_id(RUN, "a")] = TaskRecord(task("a", 3), Elements({Done(attempt(1), ASH): ranges(done)}))
    InputsFirst().on_action(Start(LeaseId(1), 1, spec, ranges(elements), attempt(1)), Bench().node, disk)


def test_an_each_edge_asks_for_the_elements_that_start() -> None:
    start(task("b", 3, edge("a", "each")), "1", done="1")
    with pytest.raises(Broken, match="1-bababa/b starts and 1-bababa/a lacks 2"):
        start(task("b", 3, edge("a", "each")), "1-2", done="1")


@pytest.mark.parametrize("kind", ["all", "after", "broadcast"])
def test_a_whole_edge_asks_for_all_of_its_source(kind: str) -> None:
    start(task("b", 3, edge("a", kind)), "1", done="0-2")
    with pytest.raises(Broken, match="lacks 0,2"):
        start(task("b", 3, edge("a", kind)), "1", done="1")


def test_it_notices_a_node_that_does_not_wait_for_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dataflow, "ready", lambda flow, task: flow._replica.tasks[task].pending)
    with pytest.raises(Broken, match=r"starts and .* lacks"):
        live_through()


def test_it_notices_lanes_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lanes, "fits", lambda lanes, needs: len(lanes.open_lanes) < 8)
    with pytest.raises(Broken, match="CPUs are taken and 2 are offered"):
        live_through(range(30), Options(requests=10, cpus=2.0, pause_s=0.01, faults=ROUGH.faults))
