"""Step by step, the queue over the core's machines answers as the plain reference does."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from roost.model.errors import RoostError
from roost.model.ids import NodeId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Edge, EdgeKind, Failure, Priority, TaskSpec
from roost.queues.local import LocalQueue
from roost.queues.memory import MemoryQueue
from roost.queues.port import Claim, TaskQueue
from tests.conformance.queue import RUN, task
from tests.tokens import attempt

INDEX_COUNT = 5
TASKS_MAX = 5
indices = st.sets(st.integers(0, INDEX_COUNT - 1)).map(RangeSet.of)
holders = st.sampled_from(["ash", "oak"]).map(NodeId)
lease_times = st.integers(1, 6)
kinds = st.sampled_from(EdgeKind)


class QueuesSideBySide(RuleBasedStateMachine):
    """Every step is taken on both queues; answers, refusals and all that can be seen afterwards are equal."""

    def __init__(self) -> None:
        super().__init__()
        self.reference = MemoryQueue()
        self.local = LocalQueue()
        self.now = 100.0
        self.tasks: list[TaskSpec] = []
        self.claims: list[Claim] = []
        #: What was accepted as an element's result; it never changes.
        self.accepted: dict[tuple[TaskId, int], bytes] = {}
        self.steps = 0

    def both(self, ask: Callable[[TaskQueue], Any]) -> Any:
        expected, answer = _answer(ask, self.reference), _answer(ask, self.local)
        assert answer == expected
        return expected

    def pick(self, which: int) -> TaskId:
        return self.tasks[which % len(self.tasks)].id

    def claimed(self, which: int) -> Claim:
        return self.claims[which % len(self.claims)]

    @initialize(elements=indices.filter(bool), retries=st.integers(0, 2))
    def start(self, elements: RangeSet, retries: int) -> None:
        self.add(elements, [], retries, Priority.LOW)

    @precondition(lambda self: len(self.tasks) < TASKS_MAX)
    @rule(
        elements=indices.filter(bool),
        sources=st.lists(st.tuples(st.integers(0, TASKS_MAX), kinds), max_size=2),
        retries=st.integers(0, 1),
        priority=st.sampled_from(Priority),
    )
    def add(self, elements: RangeSet, sources: list[tuple[int, EdgeKind]], retries: int, priority: Priority) -> None:
        edges = [Edge(self.pick(which), kind) for which, kind in sources if self.tasks]
        name = f"t{len(self.tasks)}"
        stamp_ms = (len(self.tasks) * 7) % 5
        spec = task(name, str(elements), *edges, wall_ms=stamp_ms, retries=retries, priority=priority)
        if self.both(lambda queue: queue.submit([spec], self.now)) is None:
            self.tasks.append(spec)

    @rule(holder=holders, lease_s=lease_times)
    def claim_the_first_offer(self, holder: NodeId, lease_s: int) -> None:
        for offer in self.both(lambda queue: queue.look(self.now, 1)):
            self.claim(self.tasks.index(offer.spec), offer.ready, holder, lease_s)

    @rule(which=st.integers(0, 9), ranges=indices, holder=holders, lease_s=lease_times)
    def claim(self, which: int, ranges: RangeSet, holder: NodeId, lease_s: int) -> None:
        name = self.pick(which)
        claim = self.both(lambda queue: queue.claim(name, ranges, holder, self.now, float(lease_s)))
        if claim is not None:
            self.claims.append(claim)

    @precondition(lambda self: self.claims)
    @rule(which=st.integers(0, 50), ranges=indices, lease_s=lease_times)
    def renew(self, which: int, ranges: RangeSet, lease_s: int) -> None:
        claim = self.claimed(which)
        self.both(lambda queue: queue.renew(claim.task, ranges, claim.holder, claim.token, self.now, float(lease_s)))

    @precondition(lambda self: self.claims)
    @rule(which=st.integers(0, 50), ranges=indices)
    def release(self, which: int, ranges: RangeSet) -> None:
        claim = self.claimed(which)
        self.both(lambda queue: queue.release(claim.task, ranges, claim.holder, claim.token, self.now))

    @precondition(lambda self: self.claims)
    @rule(which=st.integers(0, 50), at=st.integers(0, INDEX_COUNT), count=st.integers(1, INDEX_COUNT))
    def complete(self, which: int, at: int, count: int) -> None:
        """Results from one of the claimed elements on, and of some neighbours that may never have been claimed."""
        self.steps += 1
        claim = self.claimed(which)
        start = claim.ranges.nth(at % len(claim.ranges))
        values = [f"{self.steps}".encode()] * count
        accepted = self.both(
            lambda queue: queue.complete(claim.task, pack(start, values), claim.holder, claim.token, self.now)
        )
        for index in accepted:
            assert (claim.task, index) not in self.accepted, "a second result was accepted"
            self.accepted[claim.task, index] = values[0]

    @precondition(lambda self: self.claims)
    @rule(which=st.integers(0, 50), at=st.integers(0, INDEX_COUNT), permanent=st.booleans())
    def fail(self, which: int, at: int, permanent: bool) -> None:
        claim, failure = self.claimed(which), Failure("broken", permanent=permanent)
        index = claim.ranges.nth(at % len(claim.ranges))
        self.both(lambda queue: queue.fail(claim.task, index, failure, claim.holder, claim.token, self.now))

    @rule(which=st.integers(0, 9), index=st.integers(0, INDEX_COUNT))
    def cancel(self, which: int, index: int) -> None:
        name = self.pick(which)
        self.both(lambda queue: queue.cancel(name, RangeSet.of([index]), self.now))

    @rule(which=st.integers(0, 9), index=st.integers(0, INDEX_COUNT))
    def retry(self, which: int, index: int) -> None:
        name = self.pick(which)
        self.both(lambda queue: queue.retry(name, RangeSet.of([index]), self.now))

    @rule(which=st.integers(0, 9), holder=holders, token=st.integers(0, 4))
    def speak_without_a_lease(self, which: int, holder: NodeId, token: int) -> None:
        """A confused or lying holder: whatever it says, both queues take it alike."""
        name, everything, at = self.pick(which), RangeSet.span(0, INDEX_COUNT), attempt(token)
        self.both(lambda queue: queue.renew(name, everything, holder, at, self.now, 2.0))
        self.both(lambda queue: queue.fail(name, 1, Failure("broken"), holder, at, self.now))

    @rule(seconds=st.integers(1, 4))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @rule()
    def expire(self) -> None:
        self.both(lambda queue: queue.expire(self.now))

    @invariant()
    def both_show_the_same(self) -> None:
        self.local.check()
        self.both(lambda queue: queue.look(self.now, 3))
        for spec in self.tasks:
            states = self.both(lambda queue, name=spec.id: queue.states(name, self.now))
            assert sum(map(len, states.values())) == len(spec.elements), "every element is in one state"
            results = self.both(lambda queue, spec=spec: queue.results(spec.id, spec.elements))
            assert results == {at: self.accepted[spec.id, at] for at in states.get("done", ())}


def _answer(ask: Callable[[TaskQueue], Any], queue: TaskQueue) -> Any:
    """Return the answer, or the refusal as a value."""
    try:
        return ask(queue)
    except RoostError as refusal:
        return type(refusal), str(refusal)


QueuesSideBySide.TestCase.settings = settings(max_examples=100, stateful_step_count=50)
test_the_local_queue_equals_the_reference = QueuesSideBySide.TestCase


def test_a_queue_that_differs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: a queue that forgets to end leases does not pass."""
    monkeypatch.setattr(LocalQueue, "expire", lambda self, now: [])
    world = QueuesSideBySide()
    world.start(RangeSet.of([1]), 0)
    world.claim(0, RangeSet.of([1]), NodeId("ash"), 1)
    world.wait(2)
    with pytest.raises(AssertionError):
        world.both_show_the_same()
    assert world.pick(0) == task_id(RUN, "t0")
