"""What simulated people do: hand in workflows of random shape, cancel, suspend, resume and retry some of them."""

from random import Random

from roost.core.events import CancelAsked, RetryAsked, Submitted, SuspendAsked
from roost.core.node import Node
from roost.model.clock import Stamp
from roost.model.ids import CauseId, NodeId, RunId, run_id, task_id
from roost.model.ranges import RangeSet
from roost.model.task import Command, Edge, EdgeKind, Needs, Priority, RunKind, RunSpec, TaskSpec

Request = Submitted | CancelAsked | RetryAsked | SuspendAsked


class Workload:
    def __init__(self, rng: Random, cpus: float) -> None:
        """Ask for at most ``cpus`` in one task: what no node offers would wait for ever."""
        self._rng = rng
        self._cpus = cpus
        self._count = 0
        self.runs: dict[RunId, tuple[TaskSpec, ...]] = {}

    def next_request(self, node: Node, now: float) -> Request:
        """Return something a person might ask next."""
        choices = ["submit"] * 5 + (["cancel", "retry", "suspend", "resume"] if self.runs else [])
        choice = self._rng.choice(choices)
        if choice == "submit":
            return self.submission(now)
        run = self._rng.choice(list(self.runs))
        if choice in ("suspend", "resume"):
            return SuspendAsked(self._cause(choice), run, choice == "suspend")
        asked = tuple((task.id, self._some(task.elements)) for task in self.runs[run] if task.id in node.replica.tasks)
        return (CancelAsked if choice == "cancel" else RetryAsked)(self._cause(choice), asked)

    def submission(self, now: float) -> Submitted:
        cause = self._cause("submit")
        run = run_id(self._count, self._rng.getrandbits(32))
        node = NodeId("sim")
        tasks: list[TaskSpec] = []
        size = self._rng.choice([1, 1, 3, 10, 40])
        for number in range(self._rng.randint(1, 4)):
            wide = self._rng.random() < 0.7
            elements = RangeSet.span(0, size if wide else 1)
            tasks.append(
                TaskSpec(
                    task_id(run, f"t{number}"),
                    run,
                    Command(("true",)),
                    elements,
                    Stamp(int(now * 1000), number, node),
                    edges=self._edges(tasks, elements),
                    needs=Needs(cpus=min(self._cpus, self._rng.choice([1.0, 1.0, 2.0, 0.5]))),
                    priority=self._rng.choice(list(Priority)),
                    retries=self._rng.choice([0, 0, 1, 3]),
                )
            )
        self.runs[run] = tuple(tasks)
        spec = RunSpec(run, "simulated", RunKind.FLOW, "somebody", "sim", Stamp(int(now * 1000), 0, node))
        return Submitted(cause, spec, tuple(tasks))

    def _edges(self, earlier: list[TaskSpec], elements: RangeSet) -> tuple[Edge, ...]:
        edges: list[Edge] = []
        for source in earlier:
            if self._rng.random() < 0.5:
                kinds = [EdgeKind.ALL, EdgeKind.AFTER]
                if elements.issubset(source.elements):
                    kinds += [EdgeKind.EACH] * 3
                if len(source.elements) == 1:
                    kinds.append(EdgeKind.BROADCAST)
                edges.append(Edge(source.id, self._rng.choice(kinds), f"p{len(edges)}"))
        return tuple(edges)

    def _some(self, elements: RangeSet) -> RangeSet:
        return elements if self._rng.random() < 0.5 else elements.take(self._rng.randint(1, len(elements)))

    def _cause(self, word: str) -> CauseId:
        self._count += 1
        return CauseId(f"{word}-{self._count}")
