"""The queue over the core's machines keeps every rule, and its cost does not grow with the number of elements."""

import tracemalloc

import pytest

from roost.core.queue.replica import Phase
from roost.model.errors import InvariantViolated
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import EdgeKind
from tests.conformance.queue import ASH, LEASE_S, OAK, RULES, A, B, Rule, edge, task
from tests.oracle.core_queue import CoreQueue

EVERYTHING = RangeSet.span(0, 1_000_000)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_core_queue_keeps_the_rule_that(rule: Rule) -> None:
    made: list[CoreQueue] = []

    def make_queue() -> CoreQueue:
        made.append(CoreQueue())
        return made[-1]

    rule(make_queue)
    for queue in made:
        queue.check()


def test_a_million_elements_are_claimed_expired_and_cancelled_in_kilobytes() -> None:
    tracemalloc.start()
    queue = CoreQueue()
    queue.submit([task("a", "0-999999"), task("b", "0-999999", edge("a", EdgeKind.EACH))], 0.0)
    assert queue.claim(A, EVERYTHING, ASH, 0.0, LEASE_S) is not None
    assert queue.expire(LEASE_S) == [(A, EVERYTHING)]
    again = queue.claim(A, EVERYTHING, OAK, LEASE_S, LEASE_S)
    assert again is not None
    queue.complete(A, pack(5, [b"x"]), OAK, again.token, LEASE_S)
    assert queue.states(B, LEASE_S)["ready"] == RangeSet.of([5])
    assert queue.cancel(A, EVERYTHING, LEASE_S) == EVERYTHING - RangeSet.of([5])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000


def test_the_check_notices_a_phase_that_the_states_do_not_say() -> None:
    queue = CoreQueue()
    queue.submit([task("a")], 0.0)
    queue._replica.tasks[A]._move(RangeSet.of([1]), Phase.DONE)
    with pytest.raises(InvariantViolated):
        queue.check()
