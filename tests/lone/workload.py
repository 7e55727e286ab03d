"""What people also do to a node that is alone: hand in chains of functions, and let go on what they cancel."""

from collections.abc import Container
from random import Random

import msgspec

from roost.core.events import CancelAsked, Submitted
from roost.core.requests.requests import Request
from roost.model.clock import Stamp
from roost.model.ids import BlobHash, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import Edge, EdgeKind, Function, Needs, TaskSpec
from roost.sim.workload import Workload

_CODE = BlobHash("c0de")


class LoneWorkload(Workload):
    """``chains``: people hand in chains of functions. ``sparing``: what is leased of what they cancel goes on."""

    def __init__(
        self,
        rng: Random,
        cpus: float,
        *,
        sessions: bool,
        chains: bool,
        sparing: bool,
        forgetful: tuple[Random, float],
    ) -> None:
        super().__init__(rng, cpus, sessions=sessions, forgetful=forgetful)
        self._chains = chains
        self._sparing = sparing

    def next_request(self, known: Container[TaskId], at: Stamp) -> Request:
        request = super().next_request(known, at)
        return msgspec.structs.replace(request, unleased=self._sparing) if isinstance(request, CancelAsked) else request

    def submission(self, at: Stamp, *, stays_open: bool = False) -> Submitted:
        made = super().submission(at, stays_open=stays_open)
        return msgspec.structs.replace(made, blobs=((_CODE, b"code"),)) if self._chains else made

    def _tasks(self, run: RunId, earlier: list[TaskSpec], at: Stamp) -> tuple[TaskSpec, ...]:
        if self._chains and not earlier and run not in self.runs:
            return self._chain(run, at)
        return super()._tasks(run, earlier, at)

    def _chain(self, run: RunId, at: Stamp) -> tuple[TaskSpec, ...]:
        """Return functions that each take the result of the one before, and a few that do not quite fit in."""
        tasks: list[TaskSpec] = []
        for number in range(self._rng.randint(2, 30)):
            before = tasks[-1:] if self._rng.random() < 0.9 else self._rng.sample(tasks, min(len(tasks), 2))
            kinds = [EdgeKind.BROADCAST] * 4 + [EdgeKind.AFTER, EdgeKind.ALL]
            edges = tuple(Edge(source.id, self._rng.choice(kinds), f"p{at}") for at, source in enumerate(before))
            step = self._step(run, number, at, RangeSet.span(0, 1), edges)
            tasks.append(msgspec.structs.replace(step, work=Function(_CODE, "3.11"), needs=Needs()))
        return tuple(tasks)
