"""A bench for one bare node: facts about a situation in one line each, and every action of the node in short words.

The bench plays driver, disk and executor. After every event it calls ``check``. ``seen`` returns what the node did
since the last look, so that a test that compares it notices each action that it did not expect.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from roost.core.actions import (
    Accepted,
    Action,
    Archive,
    Continue,
    Notify,
    Pause,
    Persist,
    ProgressChanged,
    Refused,
    Reply,
    RunChanged,
    Start,
    Stop,
    TaskChanged,
)
from roost.core.completion import ARCHIVE_GROUP
from roost.core.events import (
    Answered,
    CancelAsked,
    DeadlineReached,
    ElementFailed,
    ElementsDone,
    ElementsReturned,
    Event,
    Persisted,
    PersistFailed,
    Recalled,
    ReopenAsked,
    RetryAsked,
    Sealed,
    Started,
    Submitted,
    SuspendAsked,
)
from roost.core.node import Node
from roost.core.telling.views import RunView
from roost.model.clock import Stamp
from roost.model.ids import BlobHash, CauseId, LeaseId, NodeId, RunId, TaskId, name_of, task_id
from roost.model.pools import below
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.task import Command, Edge, EdgeKind, Failure, Function, Needs, RunKind, RunSpec, Script, TaskSpec
from roost.model.token import Token
from roost.sim.journal import SimDisk

ASH = NodeId("ash")
RUN, OTHER_RUN = RunId("1-bababa"), RunId("2-dedede")
START_S = 1000.0
GIB = 2**30


def ranges(text: str) -> RangeSet:
    return RangeSet.parse(text) if text else RangeSet()


def task(
    name: str, count: int = 1, *edges: Edge, cpus: float = 1.0, run: RunId = RUN, at: float = 0.0, **changes: Any
) -> TaskSpec:
    """Describe a command with elements 0 to count - 1, submitted ``at`` seconds after the start."""
    stamp = Stamp(int((START_S + at) * 1000), 0, ASH)
    work = Command(("true",))
    spec = TaskSpec(task_id(run, name), run, work, RangeSet.span(0, count), stamp, edges, Needs.of(cpus))
    return msgspec.structs.replace(spec, **changes)


def function(name: str, count: int = 1, *edges: Edge, python: str = "3.11", **changes: Any) -> TaskSpec:
    return task(name, count, *edges, work=Function(code=BlobHash("c0de"), python=python), **changes)


def script(name: str, count: int = 1, *edges: Edge, **changes: Any) -> TaskSpec:
    return task(name, count, *edges, work=Script(code=BlobHash("c0de"), name="job"), **changes)


def edge(source: str, kind: str = "each", *, run: RunId = RUN) -> Edge:
    return Edge(task_id(run, source), EdgeKind(kind), source)


def mapping(name: str, count: int = 1, *edges: Edge, **changes: Any) -> TaskSpec:
    """Describe a task whose results are lists that a pool maps."""
    return task(name, count, *edges, is_mapped=True, **changes)


def inside(name: str, mapper: TaskSpec, *edges: Edge, **changes: Any) -> TaskSpec:
    """Describe a task in the pool of a mapper, whose items it takes."""
    spread = Edge(mapper.id, EdgeKind.SPREAD, "item")
    place = {"elements": below(mapper.elements), "mapper": mapper.id, "depth": mapper.depth + 1}
    return task(name, 1, spread, *edges, **(place | changes))


def run_spec(run: RunId = RUN, owner: str = "ann") -> RunSpec:
    return RunSpec(run, "bench", RunKind.FLOW, owner, "ash", Stamp(1, 0, ASH))


class Bench:
    def __init__(
        self, *tasks: TaskSpec, cpus: float = 2.0, archive_group: int = ARCHIVE_GROUP, name: NodeId = ASH
    ) -> None:
        """Start a node that offers ``cpus`` and 8 GiB, and submit the tasks, if there are any."""
        self.now = START_S
        self.disk = SimDisk(name)
        self.facts: list[Any] = []
        #: Whether tickets wait until the test says what becomes of them.
        self.slow_disk = False
        self._archive_group = archive_group
        self._capacity = Capacity.of(cpus, 8 * GIB, "3.11")
        self._causes = 0
        self.boot()
        if tasks:
            self.submit(*tasks)
            self.seen()

    def boot(self) -> None:
        """Begin a life of the node with what the disk holds; what was not written is lost."""
        self.disk._queued.clear()
        self._tickets: list[int] = []
        self._seen: list[str] = []
        self._starts: dict[LeaseId, Start] = {}
        self.outcomes: dict[CauseId, Accepted | Refused] = {}
        boot = self.disk.begin_boot()
        self.node = self.make_node()
        assert self.node.boot == boot
        self.feed(Started())

    def make_node(self) -> Node:
        """Make the node of this life; it is alone."""
        return Node(self.disk.node, self._capacity, self.disk.restore(), archive_group=self._archive_group)

    # Time and disk.

    def feed(self, event: Event) -> None:
        actions = self.node.handle(event, self.now)
        self.node.check()
        for action in actions:
            self._perform(action)
        while self._tickets and not self.slow_disk:
            self.write()

    def wait(self, seconds: float) -> None:
        """Let time pass; every deadline of the node is kept."""
        end = self.now + seconds
        while (deadline := self.node.next_deadline()) is not None and deadline <= end:
            self.now = max(self.now, deadline)
            self.feed(DeadlineReached())
        self.now = end

    def write(self) -> None:
        """The disk has written the oldest ticket."""
        ticket = self._tickets.pop(0)
        self.disk.write(ticket)
        self.feed(Persisted(ticket))

    def write_all(self) -> None:
        while self._tickets:
            self.write()

    def refuse(self) -> None:
        """The disk has no room for any ticket that waits."""
        waiting, self._tickets = self._tickets, []
        for ticket in waiting:
            self.disk.refuse(ticket)
            self.feed(PersistFailed(ticket, "no space left on device"))

    @property
    def unwritten(self) -> int:
        return len(self._tickets)

    # People.

    def ask(self, request: Any) -> Accepted | Refused | None:
        """Feed a request; return the answer, if it is there at once."""
        self.feed(request)
        return self.outcomes.get(request.cause)

    def submit(
        self,
        *tasks: TaskSpec,
        stays_open: bool = False,
        items: Any = (),
        safe: int = 0,
        quorum: bool = False,
        owner: str = "ann",
    ) -> Accepted | Refused | None:
        spec, cause = run_spec(tasks[0].run, owner), self.cause("submit")
        return self.ask(Submitted(cause, spec, tasks, items, open=stays_open, safe=safe, quorum=quorum))

    def cancel(self, *, unleased: bool = False, **elements: str) -> Accepted | Refused | None:
        return self.ask(CancelAsked(self.cause("cancel"), self._named(elements), unleased))

    def retry(self, **elements: str) -> Accepted | Refused | None:
        return self.ask(RetryAsked(self.cause("retry"), self._named(elements)))

    def send_back(self, **elements: str) -> Accepted | Refused | None:
        return self.ask(ReopenAsked(self.cause("reopen"), self._named(elements)))

    def answer(self, name: str, index: int = 0, value: bytes = b"{}") -> Accepted | Refused | None:
        result = pack(index, [value])
        return self.ask(Answered(self.cause("answer"), task_id(RUN, name), index, result, "ann"))

    def suspend(self, run: RunId = RUN) -> Accepted | Refused | None:
        return self.ask(SuspendAsked(self.cause("suspend"), run, on=True))

    def resume(self, run: RunId = RUN) -> Accepted | Refused | None:
        return self.ask(SuspendAsked(self.cause("resume"), run, on=False))

    def seal(self, run: RunId = RUN) -> Accepted | Refused | None:
        return self.ask(Sealed(self.cause("seal"), run))

    def recall(self, run: RunId = RUN) -> None:
        """Read a whole run back, as a host does before a request about it."""
        wanted = [name for name, record in self.disk.tasks.items() if record.spec.run == run]
        records = self.disk.missing(wanted, self.node.queue.replica.tasks)
        runs = {record.spec.run: None for record in records} | {run: None}
        gone = [self.disk.archived_run(name) for name in runs if name not in self.node.queue.replica.runs]
        holdings = tuple(self.disk.holdings(record.spec.id) for record in records)
        self.feed(Recalled(tuple(gone), records, holdings, named=(run,)))

    # Executors.

    def done(
        self, name: str, elements: str = "0", *, each_s: float = 0.01, run: RunId = RUN, value: bytes = b"x"
    ) -> None:
        for lease, part in self._held(task_id(run, name), ranges(elements)):
            segments = tuple(pack(start, [value] * (stop - start)) for start, stop in part.spans())
            self.feed(ElementsDone(lease, segments, each_s * len(part)))

    def map(self, name: str, **lengths: int) -> None:
        """Elements of a mapper are done, with lists of these lengths: _0=3 says that the list of element 0 has 3."""
        for key, length in lengths.items():
            index = int(key.removeprefix("_"))
            for lease, _ in self._held(task_id(RUN, name), RangeSet.of([index])):
                self.feed(ElementsDone(lease, (pack(index, [b"x"]),), 0.01, ((index, length),)))

    def fail(self, name: str, index: int = 0, reason: str = "exit code 1", *, permanent: bool = False) -> None:
        for lease, _ in self._held(task_id(RUN, name), RangeSet.of([index])):
            self.feed(ElementFailed(lease, index, Failure(reason, permanent=permanent)))

    def give_back(self, name: str, elements: str, *, no_room: str = "") -> None:
        for lease, part in self._held(task_id(RUN, name), ranges(elements)):
            self.feed(ElementsReturned(lease, part, no_room))

    def finish_all(self, *, each_s: float = 0.01, rounds_max: int = 10_000) -> int:
        """Let everything that runs be done until nothing runs any more; return how many leases that took."""
        for round_number in range(rounds_max):
            lease = next(iter(self.node.queue.leases.in_hand()), None)
            if lease is None:
                return round_number
            self.done(name_of(lease.spec.id), str(lease.outstanding), each_s=each_s, run=lease.spec.run)
        raise AssertionError("there is no end to it")

    # Looking.

    def seen(self) -> list[str]:
        """Return what the node did since the last look."""
        seen, self._seen = self._seen, []
        return seen

    def starts(self) -> list[str]:
        """Return what was started since the last look, as task[elements]; forget the rest."""
        return [line.removeprefix("start ") for line in self.seen() if line.startswith("start ")]

    def states(self, name: str, run: RunId = RUN) -> dict[str, str]:
        return {
            state: str(members) for state, members in self.node.summaries.element_ranges(task_id(run, name)).items()
        }

    def view(self, run: RunId = RUN) -> RunView:
        return self.node.summaries.run_view(run)

    def tokens(self) -> dict[str, Token]:
        """Return the token of the last lease of each task."""
        return {name_of(start.spec.id): start.token for start in self._starts.values()}

    def lane_of(self, name: str) -> int:
        return next(start.lane for start in self._starts.values() if name_of(start.spec.id) == name)

    def cause(self, word: str) -> CauseId:
        self._causes += 1
        return CauseId(f"{word}-{self._causes}")

    def _named(self, elements: dict[str, str]) -> tuple[tuple[TaskId, RangeSet], ...]:
        return tuple((task_id(RUN, name), ranges(text)) for name, text in elements.items())

    def _held(self, name: TaskId, wanted: RangeSet) -> Iterator[tuple[LeaseId, RangeSet]]:
        """Yield the leases that hold these elements, which must all be in executors' hands."""
        left = wanted
        for lease in self.node.queue.leases.in_hand():
            part = lease.outstanding & left
            if lease.spec.id == name and part:
                left -= part
                yield lease.name, part
        assert not left, f"{name}: {left} are not in anybody's hands"

    def _perform(self, action: Action) -> None:
        match action:
            case Persist(ticket=ticket, facts=facts):
                self.facts += facts
                self.disk.append(ticket, facts)
                self._tickets.append(ticket)
                return
            case Archive(tasks=tasks):
                self.disk.archive(tasks)
            case Start(lease=lease):
                self._starts[lease] = action
            case Reply(cause=cause, outcome=outcome):
                self.outcomes[cause] = outcome
        self._seen.append(self._in_words(action))

    def _in_words(self, action: Action) -> str:
        match action:
            case Start(spec=spec, ranges=members):
                return f"start {name_of(spec.id)}[{members}]"
            case Stop(lease=lease, ranges=members, mode=mode):
                return f"stop {name_of(self._starts[lease].spec.id)}[{members}] {mode}"
            case Pause(lease=lease):
                return f"pause {name_of(self._starts[lease].spec.id)}"
            case Continue(lease=lease):
                return f"continue {name_of(self._starts[lease].spec.id)}"
            case Reply(cause=cause, outcome=Accepted(elements=count)):
                return f"accept {cause.partition('-')[0]} {count}"
            case Reply(cause=cause, outcome=Refused(message=message)):
                return f"refuse {cause.partition('-')[0]}: {message}"
            case Notify(change=TaskChanged(task=name, state=state, ranges=members)):
                return f"tell {name_of(name)}[{members}] {state}"
            case Notify(change=RunChanged(run=run, state=state)):
                return f"tell run {run} {state}"
            case Notify(change=ProgressChanged(task=name, index=index, fraction=fraction)):
                return f"tell {name_of(name)}[{index}] at {fraction:g}"
            case Archive(tasks=tasks):
                return f"archive {' '.join(name_of(name) for name in tasks)}"
            case _:
                raise AssertionError(f"an action that nobody expects: {action}")
