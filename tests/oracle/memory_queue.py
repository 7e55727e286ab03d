"""The plain reference queue: one entry for each element, and nothing clever.

It is written to be seen to be right, and is the oracle that nodes on all media are compared with
(tests/conformance/side_by_side.py). Its cost grows with the number of elements. Who has a free slot *looks*, chooses,
*claims* elements for a time, *renews* while it runs them, and says how each one ended.

Rules
- Time is an argument, in seconds, and never runs backwards. Whatever takes ``now`` first ends the leases whose time has
  come, as ``expire`` does, so that no answer depends on who happens to tidy up.
- Ranges are wishes: they may name elements that are not there or not in the right state. The answer names the elements
  for which the wish came true; for all others nothing has changed.
- Tokens only grow. A lease's token is the next after the largest that any of its elements had before, and after
  whatever came before the last retry of any.
- Words of a lease that is over change nothing, with one exception: a late *result* is taken if no result was accepted
  and its token is one that the element has had.
- One result is accepted for an element, and it stays. Done beats cancelled and failed.
- A task that is not there raises NotFound; tasks that break a rule (model/workflow.py) raise InvalidInput.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec

from roost.model.errors import NotFound
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.task import EdgeKind, Failure, TaskSpec
from roost.model.token import NO_TOKEN, Token
from roost.model.workflow import check_submission
from roost.policy.order import order_key

#: The states of an element in a queue. Aborted: something that it needs failed, was cancelled or is aborted itself.
STATES = ("waiting", "ready", "leased", "done", "failed", "cancelled", "aborted")
#: States of an element from which nothing comes to those that need it.
_LOST = ("failed", "cancelled", "aborted")


class Claimable(msgspec.Struct, frozen=True):
    """A task with elements that could be claimed now."""

    spec: TaskSpec
    ready: RangeSet


class Claim(msgspec.Struct, frozen=True):
    """Elements of one task that ``holder`` may run until ``expires_at``, and not at that moment any more."""

    task: TaskId
    holder: NodeId
    token: Token
    ranges: RangeSet
    expires_at: float


class _Phase(StrEnum):
    """What became of an element by itself; whether a pending one is waiting, ready or aborted is for others to say."""

    PENDING = "pending"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


#: It lives as long as its process.
_LIFE = 1


class _Element:
    def __init__(self) -> None:
        self.phase = _Phase.PENDING
        #: The largest that any lease of it had.
        self.token = NO_TOKEN
        #: Failed attempts since it was submitted or retried.
        self.failures = 0
        #: How often a failed one was retried.
        self.round = 0
        #: Who has it, and until when; or whose result was accepted.
        self.holder = NodeId("")
        self.expires_at = 0.0
        #: The accepted result, once it is done.
        self.result = b""

    @property
    def least_token(self) -> Token:
        """What the token of its next lease is above."""
        return max(self.token, Token(life=_LIFE, round=self.round))

    def is_held(self, holder: NodeId, token: Token) -> bool:
        return self.phase is _Phase.LEASED and self.holder == holder and self.token == token


class _Task:
    def __init__(self, spec: TaskSpec) -> None:
        self.spec = spec
        self.elements = {index: _Element() for index in spec.elements}

    def among(self, ranges: RangeSet) -> Iterator[tuple[int, _Element]]:
        return ((index, element) for index, element in self.elements.items() if index in ranges)


class MemoryQueue:
    def __init__(self) -> None:
        #: In the order of submission, every task after its sources.
        self._tasks: dict[TaskId, _Task] = {}

    def submit(self, tasks: Sequence[TaskSpec], now: float) -> None:
        """Accept these tasks, all or none. Their sources are among them or were accepted before."""
        self.expire(now)
        known = {task.spec.id: task.spec for task in self._tasks.values()}
        for spec in check_submission(tasks, known):
            self._tasks[spec.id] = _Task(spec)

    def look(self, now: float, limit: int) -> list[Claimable]:
        """Return the first ``limit`` tasks that have ready elements, in the order of policy/order.py."""
        self.expire(now)
        offers = []
        for task, states in self._survey().items():
            ready = RangeSet.of(index for index, state in states.items() if state == "ready")
            if ready:
                offers.append(Claimable(self._tasks[task].spec, ready))
        return sorted(offers, key=lambda offer: order_key(offer.spec))[:limit]

    def claim(self, task: TaskId, ranges: RangeSet, holder: NodeId, now: float, lease_s: float) -> Claim | None:
        """Lease those of ``ranges`` that are ready, for ``lease_s`` seconds; None if none of them is."""
        elements = self._find(task).elements
        self.expire(now)
        states = self._survey()[task]
        ready = [index for index in elements if index in ranges and states[index] == "ready"]
        if not ready:
            return None
        token = max(elements[index].least_token for index in ready).following()
        for index in ready:
            element = elements[index]
            element.phase, element.token, element.holder = _Phase.LEASED, token, holder
            element.expires_at = now + lease_s
        return Claim(task, holder, token, RangeSet.of(ready), now + lease_s)

    def renew(
        self, task: TaskId, ranges: RangeSet, holder: NodeId, token: Token, now: float, lease_s: float
    ) -> RangeSet:
        """Hold for another ``lease_s`` seconds. What is not in the answer is lost to the holder, who must stop it."""
        found = self._find(task)
        self.expire(now)
        renewed = []
        for index, element in found.among(ranges):
            if element.is_held(holder, token):
                element.expires_at = now + lease_s
                renewed.append(index)
        return RangeSet.of(renewed)

    def release(self, task: TaskId, ranges: RangeSet, holder: NodeId, token: Token, now: float) -> RangeSet:
        """Give leased elements back unfinished: they are ready again, and no failure is counted."""
        found = self._find(task)
        self.expire(now)
        released = []
        for index, element in found.among(ranges):
            if element.is_held(holder, token):
                element.phase = _Phase.PENDING
                released.append(index)
        return RangeSet.of(released)

    def complete(self, task: TaskId, segment: Segment, holder: NodeId, token: Token, now: float) -> RangeSet:
        """Hand in results made under ``token``; return the elements whose result was accepted.

        A result is accepted if none was before and the token is one that the element has had: not above its newest.
        Another holder's lease of an accepted element is over.
        """
        found = self._find(task)
        self.expire(now)
        values = dict(enumerate(segment.values(), start=segment.start))
        accepted = []
        for index, element in found.among(segment.ranges):
            if element.phase is not _Phase.DONE and NO_TOKEN < token <= element.token:
                element.phase, element.holder, element.result = _Phase.DONE, holder, values[index]
                accepted.append(index)
        return RangeSet.of(accepted)

    def fail(self, task: TaskId, index: int, failure: Failure, holder: NodeId, token: Token, now: float) -> bool:
        """Say that an attempt failed; return whether it counted, which it does under the element's present lease only.

        The element is ready again while the task's retries last, unless the failure is permanent; then it has failed.
        """
        found = self._find(task)
        self.expire(now)
        element = found.elements.get(index)
        if element is None or not element.is_held(holder, token):
            return False
        element.failures += 1
        is_last = failure.permanent or element.failures > found.spec.retries
        element.phase = _Phase.FAILED if is_last else _Phase.PENDING
        return True

    def cancel(self, task: TaskId, ranges: RangeSet, now: float) -> RangeSet:
        """Cancel elements that have not ended; a lease of theirs is over. Nobody can undo it."""
        found = self._find(task)
        self.expire(now)
        cancelled = []
        for index, element in found.among(ranges):
            if element.phase in (_Phase.PENDING, _Phase.LEASED):
                element.phase = _Phase.CANCELLED
                cancelled.append(index)
        return RangeSet.of(cancelled)

    def retry(self, task: TaskId, ranges: RangeSet, now: float) -> RangeSet:
        """Give failed elements another round, in which no failures are counted yet."""
        found = self._find(task)
        self.expire(now)
        retried = []
        for index, element in found.among(ranges):
            if element.phase is _Phase.FAILED:
                element.phase, element.round, element.failures = _Phase.PENDING, element.round + 1, 0
                retried.append(index)
        return RangeSet.of(retried)

    def expire(self, now: float) -> list[tuple[TaskId, RangeSet]]:
        """End the leases whose time has come; return their elements, by task in the order of submission."""
        expired = []
        for name, task in self._tasks.items():
            over = [
                index
                for index, element in task.elements.items()
                if element.phase is _Phase.LEASED and element.expires_at <= now
            ]
            for index in over:
                task.elements[index].phase = _Phase.PENDING
            if over:
                expired.append((name, RangeSet.of(over)))
        return expired

    def states(self, task: TaskId, now: float) -> dict[str, RangeSet]:
        """Return all elements of a task by their state, one of STATES; states without elements are left out."""
        self._find(task)
        self.expire(now)
        seen = self._survey()[task]
        ranges = {state: RangeSet.of(index for index in seen if seen[index] == state) for state in STATES}
        return {state: members for state, members in ranges.items() if members}

    def results(self, task: TaskId, ranges: RangeSet) -> dict[int, bytes]:
        """Return the accepted results among ``ranges``, in the order of the indices."""
        found = self._find(task)
        return {index: element.result for index, element in found.among(ranges) if element.phase is _Phase.DONE}

    def _find(self, task: TaskId) -> _Task:
        if task not in self._tasks:
            raise NotFound(f"there is no task '{task}'")
        return self._tasks[task]

    def _survey(self) -> dict[TaskId, dict[int, str]]:
        """Return the state of every element. Sources come before what needs them, so one pass is enough."""
        survey: dict[TaskId, dict[int, str]] = {}
        for name, task in self._tasks.items():
            survey[name] = {
                index: _pending_state(task.spec, index, survey)
                if element.phase is _Phase.PENDING
                else element.phase.value
                for index, element in task.elements.items()
            }
        return survey


def _pending_state(spec: TaskSpec, index: int, survey: Mapping[TaskId, Mapping[int, str]]) -> str:
    """Say what an element that nobody has is, from the states of all that it needs."""
    needed: list[str] = []
    for edge in spec.edges:
        source = survey[edge.source]
        needed += [source[index]] if edge.kind is EdgeKind.EACH else source.values()
    if any(state in _LOST for state in needed):
        return "aborted"
    return "ready" if all(state == "done" for state in needed) else "waiting"
