"""Simulated elements that hand in work and wait for it."""

from random import Random

from roost.core.actions import Accepted, Refused, Reply, Start
from roost.core.events import Submitted, WaitBegan
from roost.model.ids import LeaseId
from roost.policy.order import order_key
from roost.sim.nesting import LEVELS, Nesting
from tests.core.harness import ASH, Bench, ranges, task
from tests.tokens import attempt

OUTER = task("outer", 3)


def begin(nesting: Nesting, spec=OUTER) -> tuple[Submitted, WaitBegan]:
    begun = nesting.begins(Start(LeaseId(7), 1, spec, ranges("0-2"), attempt(1)), 2, ASH)
    assert begun is not None
    return begun


def test_an_element_hands_in_a_run_that_goes_before_its_own_task_and_waits_for_it() -> None:
    submitted, waits = begin(Nesting(Random(1), 1.0))
    assert waits == WaitBegan(LeaseId(7), 2)
    [inner] = submitted.tasks
    assert inner.nesting == 1
    assert order_key(inner) < order_key(OUTER)


def test_without_the_chance_nothing_is_drawn() -> None:
    luck = Random(1)
    state = luck.getstate()
    assert Nesting(luck, 0.0).begins(Start(LeaseId(7), 1, OUTER, ranges("0"), attempt(1)), 0, ASH) is None
    assert luck.getstate() == state


def test_the_deepest_hand_in_nothing() -> None:
    nesting, spec = Nesting(Random(1), 1.0), OUTER
    for _ in range(LEVELS):
        spec = begin(nesting, spec)[0].tasks[0]
    assert nesting.begins(Start(LeaseId(8), 1, spec, ranges("0"), attempt(1)), 0, ASH) is None


def test_it_goes_on_once_when_its_inner_run_has_ended() -> None:
    bench, nesting = Bench(), Nesting(Random(1), 1.0)
    submitted, _ = begin(nesting)
    assert nesting.ended(bench.node) == []
    bench.feed(submitted)
    nesting.heard(Reply(submitted.cause, Accepted()))
    assert nesting.ended(bench.node) == []
    bench.finish_all()
    assert nesting.ended(bench.node) == [(LeaseId(7), 2)]
    assert nesting.ended(bench.node) == []


def test_it_goes_on_without_what_was_refused() -> None:
    nesting = Nesting(Random(1), 1.0)
    submitted, _ = begin(nesting)
    nesting.heard(Reply(submitted.cause, Refused("no")))
    assert nesting.ended(Bench().node) == [(LeaseId(7), 2)]
