"""The checker of dataflow in a mesh notices a start without inputs."""

from types import SimpleNamespace
from typing import Any

import pytest

from roost.core.facts import StatesMerged
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.replica import TaskEntry
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.states import Done, Leased, State
from roost.sim.checkers.inputs_accepted import InputsAccepted
from roost.sim.checkers.observer import Broken
from tests.core.harness import edge, ranges, task
from tests.sim.checkers.meshes import NOWHERE, A, live_through, start
from tests.tokens import attempt

NODE: Any = SimpleNamespace(name="n2", queue=SimpleNamespace(replica=SimpleNamespace(tasks={A.id: TaskEntry.fresh(A)})))


def checker_with(*states: tuple[State, str]) -> InputsAccepted:
    """Make a checker that saw these elements of a written on another node's disk."""
    checker = InputsAccepted()
    for state, members in states:
        checker.on_written(NodeId("n1"), (StatesMerged(A.id, Elements({state: ranges(members)})),))
    return checker


def done(token: int) -> Done:
    return Done(attempt(token), NodeId("n1"))


def test_an_each_edge_asks_for_the_elements_that_start() -> None:
    checker = checker_with((done(1), "0"), (done(2), "1"))
    b = task("b", 3, edge("a", "each"))
    checker.on_action(start(b, "0-1", 1), NODE, NOWHERE)
    with pytest.raises(Broken, match="b starts on n2 and 1-bababa/a lacks 2"):
        checker.on_action(start(b, "0-2", 1), NODE, NOWHERE)


@pytest.mark.parametrize("kind", ["all", "after", "broadcast"])
def test_a_whole_edge_asks_for_all_of_its_source(kind: str) -> None:
    b = task("b", 1, edge("a", kind))
    checker_with((done(1), "0-2")).on_action(start(b, "0", 1), NODE, NOWHERE)
    with pytest.raises(Broken, match="lacks 0,2"):
        checker_with((done(1), "1")).on_action(start(b, "0", 1), NODE, NOWHERE)


def test_what_only_runs_is_not_accepted() -> None:
    b = task("b", 3, edge("a", "each"))
    with pytest.raises(Broken, match="lacks 0"):
        checker_with((Leased(0, attempt(1), NodeId("n1"), 0), "0")).on_action(start(b, "0", 1), NODE, NOWHERE)


def test_it_notices_a_node_that_does_not_wait_for_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dataflow, "ready", lambda flow, task: flow._replica.tasks[task].pending)
    with pytest.raises(Broken, match=r"starts on .* lacks"):
        live_through()
