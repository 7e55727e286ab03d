"""The checker of poison notices what has failed as poison and is none."""

from typing import Any

import pytest

from roost.core.facts import StatesMerged
from roost.core.mesh.contest import lease_expiry
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.states import Failed, Released
from roost.sim.checkers.observer import Broken
from roost.sim.checkers.poison_only import PoisonOnly
from roost.sim.plan import draw_plan
from roost.sim.poison import is_poison
from roost.sim.trial import Trial
from tests.core.harness import ranges
from tests.sim.checkers.meshes import A
from tests.tokens import attempt

N1 = NodeId("n1")
THREE = (NodeId("n1"), NodeId("n2"), NodeId("n3"))
#: Worlds in which several elements kill their nodes beside others that do not.
SEEDS = (4, 6, 17)


def written(*states: Any) -> tuple[StatesMerged]:
    return (StatesMerged(A.id, Elements({state: ranges("0") for state in states})),)


def test_what_kills_nodes_may_fail_for_it() -> None:
    checker = PoisonOnly(1.0)
    checker.on_written(N1, written(Failed(0, attempt(3), N1, 1, downed=THREE)))
    assert checker.found == {(A.id, 0)}


def test_what_does_not_may_fail_by_itself_and_lose_its_nodes() -> None:
    checker = PoisonOnly(0.0)
    checker.on_written(N1, written(Failed(0, attempt(3), N1, 1)))
    checker.on_written(N1, written(Released(0, attempt(3), N1, 1, downed=THREE)))
    assert not checker.found


def test_it_notices_an_innocent_element() -> None:
    with pytest.raises(Broken, match="and it kills no nodes"):
        PoisonOnly(0.0).on_written(N1, written(Failed(0, attempt(3), N1, 1, downed=THREE)))


def lives(seed: int) -> Trial:
    trial = Trial(draw_plan(seed, brief=True, poison=0.05))
    trial.run()
    return trial


@pytest.mark.parametrize("seed", SEEDS)
def test_elements_that_kill_their_nodes_fail_and_nothing_else_does_for_it(seed: int) -> None:
    trial = lives(seed)
    assert trial.poison.found
    assert all(is_poison(task, index, 0.05) for task, index in trial.poison.found)


def test_it_notices_nodes_that_blame_whatever_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_expiry, "has_failed", bool)
    with pytest.raises(Broken, match="and it kills no nodes"):
        lives(SEEDS[0])
