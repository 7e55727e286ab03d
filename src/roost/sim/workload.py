"""What simulated people do: hand in workflows of random shape, cancel, suspend, resume and retry some of them.

Some also keep a session open, add tasks that build on earlier ones, of whichever run, and seal it in the end.
"""

from collections.abc import Container, Sequence
from random import Random

import msgspec

from roost.core.events import CancelAsked, ForgetAsked, ReopenAsked, RetryAsked, Sealed, Submitted, SuspendAsked
from roost.core.requests.requests import Request
from roost.model.clock import Stamp
from roost.model.ids import CauseId, RunId, TaskId, run_id, task_id
from roost.model.pools import above, below
from roost.model.ranges import RangeSet
from roost.model.task import Agreement, Command, Edge, EdgeKind, Needs, Priority, RunKind, RunSpec, TaskSpec
from roost.sim.executor import LENGTHS

#: On how many disks people want their work; 0 if they do not say.
_SAFE = (0, 0, 0, 2, 3, 4, 20)
#: How many nodes have to agree on a result, and how many may run it for that.
AGREEMENTS = (Agreement(2, 3), Agreement(2, 4), Agreement(3, 5))
#: Earlier tasks that one new task may build on.
_SOURCES_MAX = 6
#: How long people expect an element to take, if they name a policy; None: they do not say.
LENGTHS_S = (None, 1.0, 60.0, 1800.0, 20_000.0)
#: How often tasks come with a pool.
POOLS = 0.3
#: Elements of an array, if nothing else is said.
WIDTHS = (1, 1, 3, 10, 40)


def most_elements(task: TaskSpec) -> int:
    """Return how many elements a task can have; those of a pool depend on the lists that it maps."""
    most: int = len(above(task.elements, task.depth)) * LENGTHS**task.depth
    return most


class Workload:
    def __init__(
        self,
        rng: Random,
        cpus: float,
        *,
        sessions: bool,
        careful: Random | None = None,
        strict: Random | None = None,
        quorum: float = 0.0,
        doubtful: tuple[Random, float] | None = None,
        widths: Sequence[int] = WIDTHS,
        forgetful: tuple[Random, float] | None = None,
        policy: tuple[Random, str] | None = None,
        owners: tuple[Random, int] | None = None,
    ) -> None:
        """Ask for at most ``cpus`` in one task: what no node offers would wait for ever.

        ``careful`` chooses on how many disks people want what they hand in, if they care at all. ``strict`` chooses
        what they want a quorum for, with the probability ``quorum``; ``doubtful``, with a probability, what several
        nodes have to agree on. ``widths`` are those of their arrays. ``forgetful`` chooses, with a probability, when
        they want something forgotten instead, and what. ``policy`` has the name of the one that they want, and chooses
        how long they expect their elements to take, if they expect anything. ``owners`` chooses who hands in, of so
        many; else all is one user's.
        """
        self._owners = owners
        self._policy = policy
        self._forgetful = forgetful
        self._widths = widths
        self._rng = rng
        self._careful = careful
        self._strict = strict
        self._quorum = quorum
        self._doubtful = doubtful
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
        if self._forgetful is not None and self.runs and self._forgetful[0].random() < self._forgetful[1]:
            return self._forgets(self._forgetful[0])
        choices = ["submit"] * 5 + (["cancel", "retry", "reopen", "suspend", "resume"] if self.runs else [])
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
        if choice == "reopen":
            return ReopenAsked(self._cause(choice), tuple(self._rng.sample(asked, min(len(asked), 1))))
        if choice == "cancel":
            return CancelAsked(self._cause(choice), asked)
        return RetryAsked(self._cause(choice), asked)

    def _forgets(self, luck: Random) -> ForgetAsked:
        """Want some runs forgotten, of whichever state: mostly of the last, which others may just be at work on."""
        lately = list(self.runs)[-luck.choice([2, 5, 50]) :]
        return ForgetAsked(
            self._cause("forget"), tuple(luck.sample(lately, min(len(lately), luck.choice([1, 1, 2, 5]))))
        )

    def submission(self, at: Stamp, *, stays_open: bool = False) -> Submitted:
        cause = self._cause("submit")
        run = run_id(self._count, self._rng.getrandbits(32))
        kind = RunKind.SESSION if stays_open else RunKind.FLOW
        spec = RunSpec(run, "simulated", kind, self._owner(), at.node, at)
        if stays_open:
            self._open_runs[run] = spec
        self.runs[run] = self._as_wanted(self._tasks(run, [], at))
        safe = 0 if self._careful is None else self._careful.choice(_SAFE)
        quorum = self._wants_quorum()
        return Submitted(cause, spec, self.runs[run], open=stays_open, safe=safe, quorum=quorum)

    def _owner(self) -> str:
        if self._owners is None:
            return "somebody"
        luck, count = self._owners
        return f"user{luck.randrange(count) + 1}"

    def _extension(self, known: Container[TaskId], at: Stamp) -> Submitted:
        """Return more tasks for an open session, built on tasks that were accepted before."""
        spec = self._rng.choice(list(self._open_runs.values()))
        earlier = [task for tasks in self.runs.values() for task in tasks if task.id in known]
        sources = self._rng.sample(earlier, min(len(earlier), _SOURCES_MAX))
        more = self._as_wanted(self._tasks(spec.id, sources, at))
        self.runs[spec.id] += more
        return Submitted(self._cause("extend"), spec, more, open=True, quorum=self._wants_quorum())

    def _as_wanted(self, tasks: tuple[TaskSpec, ...]) -> tuple[TaskSpec, ...]:
        tasks = self._perhaps_compared(tasks)
        if self._policy is None:
            return tasks
        luck, name = self._policy
        return tuple(msgspec.structs.replace(task, policy=name, stated_s=luck.choice(LENGTHS_S)) for task in tasks)

    def _perhaps_compared(self, tasks: tuple[TaskSpec, ...]) -> tuple[TaskSpec, ...]:
        """Let several nodes have to agree on results, if whoever hands them in wants that."""
        if self._doubtful is None or self._doubtful[0].random() >= self._doubtful[1]:
            return tasks
        agreement = self._doubtful[0].choice(AGREEMENTS)
        return tuple(msgspec.structs.replace(task, agreement=agreement) for task in tasks)

    def _wants_quorum(self) -> bool:
        return self._strict is not None and self._strict.random() < self._quorum

    def _tasks(self, run: RunId, earlier: list[TaskSpec], at: Stamp) -> tuple[TaskSpec, ...]:
        first = len(self.runs.get(run, ()))
        tasks: list[TaskSpec] = []
        size = self._rng.choice(self._widths)
        for number in range(first, first + self._rng.randint(1, 4)):
            wide = self._rng.random() < 0.7
            elements = RangeSet.span(0, size if wide else 1)
            tasks.append(self._step(run, number, at, elements, self._edges([*earlier, *tasks], elements)))
        if self._rng.random() < POOLS:
            tasks += self._pool(run, first + len(tasks), tasks, at)
        return tuple(tasks)

    def _pool(self, run: RunId, number: int, earlier: list[TaskSpec], at: Stamp) -> list[TaskSpec]:
        """Return a mapper, a pool of one or two steps, perhaps with a pool inside it, and what gathers them."""
        wide = self._rng.random() < 0.3
        elements = RangeSet.span(0, 3 if wide else 1)
        mapper = self._step(run, number, at, elements, self._edges(earlier, elements), is_mapped=True)
        tasks = [mapper]

        def inside(outer: TaskSpec, *edges: Edge, is_mapped: bool = False) -> TaskSpec:
            elements, depth = below(outer.elements), outer.depth + 1
            step = self._step(run, number + len(tasks), at, elements, edges, is_mapped=is_mapped)
            tasks.append(msgspec.structs.replace(step, mapper=outer.id, depth=depth))
            return tasks[-1]

        def gather(inner: TaskSpec, like: TaskSpec) -> TaskSpec:
            edges = (Edge(inner.id, EdgeKind.GATHER, "g"),)
            if like.mapper is not None:
                outer = next(task for task in tasks if task.id == like.mapper)
                return inside(outer, *edges, Edge(outer.id, EdgeKind.SPREAD, "item"))
            tasks.append(self._step(run, number + len(tasks), at, like.elements, edges))
            return tasks[-1]

        nested = self._rng.random() < 0.3
        last = inside(mapper, Edge(mapper.id, EdgeKind.SPREAD, "item"), is_mapped=nested)
        if nested:
            inner = inside(last, Edge(last.id, EdgeKind.SPREAD, "item"), Edge(mapper.id, EdgeKind.EACH, "outer"))
            last = gather(inner, last)
        elif self._rng.random() < 0.5:
            last = inside(mapper, Edge(mapper.id, EdgeKind.SPREAD, "item"), Edge(last.id, EdgeKind.EACH, "before"))
        gather(last, mapper)
        if self._rng.random() < 0.5:
            kind = self._rng.choice([EdgeKind.ALL, EdgeKind.AFTER])
            tasks.append(self._step(run, number + len(tasks), at, RangeSet.span(0, 1), (Edge(last.id, kind, "all"),)))
        return tasks

    def _step(
        self,
        run: RunId,
        number: int,
        at: Stamp,
        elements: RangeSet,
        edges: tuple[Edge, ...],
        *,
        is_mapped: bool = False,
    ) -> TaskSpec:
        return TaskSpec(
            task_id(run, f"t{number}"),
            run,
            Command(("true",)),
            elements,
            Stamp(at.wall_ms, number, at.node),
            edges=edges,
            needs=Needs.of(cpus=min(self._cpus, self._rng.choice([1.0, 1.0, 2.0, 0.5]))),
            priority=self._rng.choice(list(Priority)),
            retries=self._rng.choice([0, 0, 1, 3]),
            is_mapped=is_mapped,
        )

    def _edges(self, earlier: list[TaskSpec], elements: RangeSet) -> tuple[Edge, ...]:
        edges: list[Edge] = []
        for source in earlier:
            if self._rng.random() < 0.5:
                kinds = [EdgeKind.ALL, EdgeKind.AFTER]
                if elements.issubset(source.elements) and not source.depth:
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
