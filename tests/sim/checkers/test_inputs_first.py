"""The checker of dataflow notices a start without inputs, and more running than was offered."""

import pytest

from roost.core.dataflow import Dataflow
from roost.core.lanes import Lanes
from roost.sim.checkers.observer import Broken
from roost.sim.world import Options
from tests.sim.checkers.worlds import ROUGH, live_through


def test_it_notices_a_node_that_does_not_wait_for_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dataflow, "ready", lambda flow, task: flow._replica.tasks[task].pending)
    with pytest.raises(Broken, match="starts and .* lacks"):
        live_through()


def test_it_notices_a_node_that_starts_behind_inputs_that_are_not_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.sim.disk.SimDisk.write", lambda disk, ticket: None)
    with pytest.raises((Broken, KeyError)):
        live_through()


def test_it_notices_lanes_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = Lanes.fits

    def generous(lanes: Lanes, needs) -> bool:
        return fits(lanes, needs) or len(lanes.open_lanes) < 8

    monkeypatch.setattr(Lanes, "fits", generous)
    with pytest.raises(Broken, match="CPUs are taken and 2 are offered"):
        live_through(30, Options(requests=10, cpus=2.0, pause_s=0.01, faults=ROUGH.faults))
