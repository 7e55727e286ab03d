"""The queue port: what a holder of work asks of a queue, whatever the medium behind it.

A node with a free slot *looks*, chooses, *claims* elements for a time, *renews* while it runs them, and says how each
one ended. The promises, which tests/conformance/queue.py checks on every queue:

- Time is an argument, in seconds, and never runs backwards. Whatever takes ``now`` first ends the leases whose time has
  come, as ``expire`` does, so that no answer depends on who happens to tidy up.
- Ranges are wishes: they may name elements that are not there or not in the right state. The answer names the elements
  for which the wish came true; for all others nothing has changed.
- Tokens only grow. A lease's token is the next after the largest that any of its elements had before, and after
  whatever came before the last retry of any.
- Words of a lease that is over change nothing, with one exception: a late *result* is taken if no result was accepted.
- One result is accepted for an element, and it stays. Done beats cancelled and failed.
- A task that is not there raises NotFound; tasks that break a rule (model/workflow.py) raise InvalidInput.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.task import Failure, TaskSpec
from roost.model.token import Token

#: The states of an element in a queue. Aborted: something that it needs failed, was cancelled or is aborted itself.
STATES = ("waiting", "ready", "leased", "done", "failed", "cancelled", "aborted")


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


class TaskQueue(Protocol):
    def submit(self, tasks: Sequence[TaskSpec], now: float) -> None:
        """Accept these tasks, all or none. Their sources are among them or were accepted before."""

    def look(self, now: float, limit: int) -> list[Claimable]:
        """Return the first ``limit`` tasks that have ready elements, in the order of policy/order.py."""

    def claim(self, task: TaskId, ranges: RangeSet, holder: NodeId, now: float, lease_s: float) -> Claim | None:
        """Lease those of ``ranges`` that are ready, for ``lease_s`` seconds; None if none of them is."""

    def renew(
        self, task: TaskId, ranges: RangeSet, holder: NodeId, token: Token, now: float, lease_s: float
    ) -> RangeSet:
        """Hold for another ``lease_s`` seconds. What is not in the answer is lost to the holder, who must stop it."""

    def release(self, task: TaskId, ranges: RangeSet, holder: NodeId, token: Token, now: float) -> RangeSet:
        """Give leased elements back unfinished: they are ready again, and no failure is counted."""

    def complete(self, task: TaskId, segment: Segment, holder: NodeId, token: Token, now: float) -> RangeSet:
        """Hand in results made under ``token``; return the elements whose result was accepted.

        A result is accepted if none was before and the token is one that the element has had: not above its newest.
        Another holder's lease of an accepted element is over.
        """

    def fail(self, task: TaskId, index: int, failure: Failure, holder: NodeId, token: Token, now: float) -> bool:
        """Say that an attempt failed; return whether it counted, which it does under the element's present lease only.

        The element is ready again while the task's retries last, unless the failure is permanent; then it has failed.
        """

    def cancel(self, task: TaskId, ranges: RangeSet, now: float) -> RangeSet:
        """Cancel elements that have not ended; a lease of theirs is over. Nobody can undo it."""

    def retry(self, task: TaskId, ranges: RangeSet, now: float) -> RangeSet:
        """Give failed elements another round, in which no failures are counted yet."""

    def expire(self, now: float) -> list[tuple[TaskId, RangeSet]]:
        """End the leases whose time has come; return their elements, by task in the order of submission."""

    def states(self, task: TaskId, now: float) -> dict[str, RangeSet]:
        """Return all elements of a task by their state, one of STATES; states without elements are left out."""

    def results(self, task: TaskId, ranges: RangeSet) -> dict[int, bytes]:
        """Return the accepted results among ``ranges``, in the order of the indices."""
