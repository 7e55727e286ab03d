"""What simulated people do: hand in workflows of random shape, cancel, suspend, resume and retry some of them.

Some also keep a session open, add tasks that build on earlier ones, of whichever run, and seal it in the end.
"""

from collections.abc import Container
from random import Random

from roost.core.events import CancelAsked, RetryAsked, Sealed, Submitted, SuspendAsked
from roost.model.clock import Stamp
from roost.model.ids import CauseId, RunId, TaskId, run_id, task_id
from roost.model.ranges import RangeSet
from roost.model.task import Command, Edge, EdgeKind, Needs, Priority, RunKind, RunSpec, TaskSpec

Request = Submitted | Sealed | CancelAsked | RetryAsked | SuspendAsked

#: On how many disks people want their work; 0 if they do not say.
_SAFE = (0, 0, 0, 2, 3, 4, 20)
#: Earlier tasks that one new task may build on.
_SOURCES_MAX = 6


class Workload:
    def __init__(self, rng: Random, cpus: float, *, sessions: bool, careful: Random | None = None) -> None:
        """Ask for at most ``cpus`` in one task: what no node offers would wait for ever.

        ``careful`` chooses on how many disks people want what they hand in, if they care at all.
        """
        self._rng = rng
        self._careful = careful
        self._cpus = cpus
        self._sessions = sessions
        self._count = 0
        self.runs: dict[RunId, tuple[TaskSpec, ...]] = {}
        #: Sessions that nobody has asked to seal.
        self._open_runs: dict[RunId, RunSpec] = {}

    def next_request(self, known: Container[TaskId], at: Stamp) -> Request:
        """Return something a person might ask next, about tasks that are ``known`` to have been accepted.

        ``at`` says when, and which node is asked.
        """
        choices = ["submit"] * 5 + (["cancel", "retry", "suspend", "resume"] if self.runs else [])
        if self._sessions:
            choices += ["open"] + (["extend"] * 6 + ["seal"] if self._open_runs else [])
        choice = self._rng.choice(choices)
        match choice:
            case "submit" | "open":
                return self.submission(at, stays_open=choice == "open")
            case "extend":
                return self._extension(known, at)
            case "seal":
                run = self._rng.choice(list(self._open_runs))
                del self._open_runs[run]
                return Sealed(self._cause(choice), run)
        run = self._rng.choice(list(self.runs))
        if choice in ("suspend", "resume"):
            return SuspendAsked(self._cause(choice), run, choice == "suspend")
        asked = tuple((task.id, self._some(task.elements)) for task in self.runs[run] if task.id in known)
        return (CancelAsked if choice == "cancel" else RetryAsked)(self._cause(choice), asked)

    def submission(self, at: Stamp, *, stays_open: bool = False) -> Submitted:
        cause = self._cause("submit")
        run = run_id(self._count, self._rng.getrandbits(32))
        kind = RunKind.SESSION if stays_open else RunKind.FLOW
        spec = RunSpec(run, "simulated", kind, "somebody", at.node, at)
        if stays_open:
            self._open_runs[run] = spec
        self.runs[run] = self._tasks(run, [], at)
        safe = 0 if self._careful is None else self._careful.choice(_SAFE)
        return Submitted(cause, spec, self.runs[run], open=stays_open, safe=safe)

    def _extension(self, known: Container[TaskId], at: Stamp) -> Submitted:
        """Return more tasks for an open session, built on tasks that were accepted before."""
        spec = self._rng.choice(list(self._open_runs.values()))
        earlier = [task for tasks in self.runs.values() for task in tasks if task.id in known]
        sources = self._rng.sample(earlier, min(len(earlier), _SOURCES_MAX))
        more = self._tasks(spec.id, sources, at)
        self.runs[spec.id] += more
        return Submitted(self._cause("extend"), spec, more, open=True)

    def _tasks(self, run: RunId, earlier: list[TaskSpec], at: Stamp) -> tuple[TaskSpec, ...]:
        first = len(self.runs.get(run, ()))
        tasks: list[TaskSpec] = []
        size = self._rng.choice([1, 1, 3, 10, 40])
        for number in range(first, first + self._rng.randint(1, 4)):
            wide = self._rng.random() < 0.7
            elements = RangeSet.span(0, size if wide else 1)
            tasks.append(
                TaskSpec(
                    task_id(run, f"t{number}"),
                    run,
                    Command(("true",)),
                    elements,
                    Stamp(at.wall_ms, number, at.node),
                    edges=self._edges([*earlier, *tasks], elements),
                    needs=Needs(cpus=min(self._cpus, self._rng.choice([1.0, 1.0, 2.0, 0.5]))),
                    priority=self._rng.choice(list(Priority)),
                    retries=self._rng.choice([0, 0, 1, 3]),
                )
            )
        return tuple(tasks)

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
