"""Elements that hand in more work from within, and wait for it before they end, as a call inside of a call does.

Such an element knows its inner run by the answer to its submission, and looks at its node for the end of it. If its
submission is refused, it goes on without. When it is killed, what it handed in goes on without it.
"""

from random import Random
from typing import Final

from roost.core.actions import Refused, Reply, Start
from roost.core.events import Submitted, WaitBegan
from roost.core.node import Node
from roost.model.clock import Stamp
from roost.model.ids import CauseId, LeaseId, NodeId, RunId, run_id, task_id
from roost.model.ranges import RangeSet
from roost.model.task import Command, RunKind, RunSpec, TaskSpec
from roost.policy.order import turn_within

#: How many elements wait one behind the other.
LEVELS: Final = 3
#: Inner runs have numbers of their own, so that a person can tell them in a trace.
_FIRST_NUMBER: Final = 1_000_000


class Nesting:
    def __init__(self, rng: Random, chance: float) -> None:
        """Every element of the first LEVELS hands something in with this ``chance``."""
        self._rng = rng
        self._chance = chance
        self._count = 0
        #: The inner run of each element that waits.
        self._waiting: dict[tuple[LeaseId, int], RunId] = {}
        #: The answers that have come: whether what was handed in was accepted.
        self._answers: dict[CauseId, bool] = {}

    def begins(self, start: Start, index: int, node: NodeId) -> tuple[Submitted, WaitBegan] | None:
        """Return what an element that begins now hands in, and that it waits; None if it is none of those."""
        outer = start.spec
        if not self._chance or outer.nesting >= LEVELS or self._rng.random() >= self._chance:
            return None
        self._count += 1
        run = run_id(_FIRST_NUMBER + self._count, self._rng.getrandbits(32))
        at = Stamp(outer.submitted.wall_ms, self._count, node)
        task = TaskSpec(
            task_id(run, "inner"),
            run,
            Command(("true",)),
            RangeSet.span(0, self._rng.choice((1, 1, 2, 5))),
            at,
            needs=outer.needs,
            priority=outer.priority,
            nesting=outer.nesting + 1,
            turn_ms=turn_within(at, outer.priority, outer),
        )
        self._waiting[start.lease, index] = run
        spec = RunSpec(run, "nested", RunKind.FLOW, "somebody", node, at)
        return Submitted(_cause(run), spec, (task,)), WaitBegan(start.lease, index)

    def heard(self, reply: Reply) -> None:
        """A request was answered; it may be one of those that elements made."""
        self._answers[reply.cause] = not isinstance(reply.outcome, Refused)

    def ended(self, node: Node) -> list[tuple[LeaseId, int]]:
        """Return the elements whose inner work has ended, or was refused; each once."""
        over = [element for element, run in self._waiting.items() if self._is_over(run, node)]
        for element in over:
            del self._waiting[element]
        return over

    def _is_over(self, run: RunId, node: Node) -> bool:
        accepted = self._answers.get(_cause(run))
        if accepted is None:
            return False
        entry = node.queue.replica.runs.get(run)
        return not accepted or entry is None or not entry.unended


def _cause(run: RunId) -> CauseId:
    return CauseId(f"nested-{run}")
