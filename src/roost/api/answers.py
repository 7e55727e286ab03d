"""Everything the API answers with. The OpenAPI description is made from these very structs."""

from typing import Any, Literal, TypeAlias

import msgspec

from roost.api.encoding import Encoding
from roost.core.telling.network_views import NetworkReport, NodeView, ReliabilityView
from roost.core.telling.work_shared import WorkShared
from roost.model.happenings import Kind, ReportedKind
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.task import EdgeKind, FieldType, PortType, Priority, RunKind
from roost.policy.fairness import GROUP, NONE

ErrorKind: TypeAlias = Literal["invalid", "not_found", "unauthorized", "too_large", "unavailable", "internal"]


class ErrorDetail(msgspec.Struct, frozen=True):
    """What went wrong: a word for programs and one sentence for people."""

    kind: ErrorKind
    message: str


class ErrorAnswer(msgspec.Struct, frozen=True):
    error: ErrorDetail


class Amounts(msgspec.Struct, frozen=True):
    cpus: float
    memory_bytes: int


class Online(msgspec.Struct, frozen=True):
    """How long this node stays on line: between its starts and ends, and from waking up until its machine sleeps."""

    #: Seconds since 1970.
    since: float
    #: How often it was before, and how long on average; null if it never was.
    times_before: int
    mean_s_before: float | None


class Status(msgspec.Struct, frozen=True):
    """Who this node is and how it does."""

    version: str
    node: NodeId
    pid: int
    address: str
    home: str
    #: The minor version of Python that its functions run under.
    python: str
    #: How often the node was started on this home.
    boot: int
    uptime_s: float
    capacity: Amounts
    free: Amounts
    runs: int
    running: int
    #: Why nothing can be accepted now, or null.
    trouble: str | None
    #: How many nodes of the cluster live, this one among them; alone, it is one.
    nodes: int = 1
    alone: bool = True
    #: Whether it takes no new work.
    draining: bool = False
    #: By which strategy it leaves work to others that do better, and with how many nodes it compares itself for that.
    fairness: str = NONE
    fairness_group: int = GROUP
    online: Online | None = None
    #: How long it tends to stay.
    reliability: ReliabilityView | None = None
    #: How stable it is, what it is there for, and why.
    state: str = ""
    role: str = ""
    why: str = ""
    #: Who has done how much and for whom, since this node started and as far as it has heard, and how evenly.
    work: WorkShared | None = None


class NodeList(msgspec.Struct, frozen=True):
    """All nodes that are known, this one first; ``network`` is null if it does not look for any."""

    nodes: list[NodeView]
    network: NetworkReport | None


class Fitting(msgspec.Struct, frozen=True):
    """Whether any node that is here can run what was asked about."""

    #: What the nearest nodes lack, for each of the needs; null: a node can run it.
    why_nobody: list[str | None]


class Draining(msgspec.Struct, frozen=True):
    """Whether the node takes no new work, and what keeps it from being switched off."""

    draining: bool
    #: Leases that it works on.
    running: int
    #: Changes that are not on its disk yet.
    unwritten: int
    #: What only its own disk is known to hold.
    only_here: int
    #: Other nodes that could take over.
    others: int
    #: Whether it may be switched off now.
    may_stop: bool


class NewKey(msgspec.Struct, frozen=True):
    """A new key of the cluster, and who has it."""

    key: str
    told: list[NodeId]
    #: Living nodes that have not confirmed it in time.
    untold: list[NodeId]


class Stopping(msgspec.Struct, frozen=True):
    stopping: bool = True


class Submitted(msgspec.Struct, frozen=True):
    """The run is on disk."""

    run: RunId
    number: int
    tasks: list[TaskId]
    warnings: list[str]


class Touched(msgspec.Struct, frozen=True):
    """How many elements an act changed."""

    elements: int
    #: What else the person should know.
    warnings: tuple[str, ...] = ()


class ForgottenRun(msgspec.Struct, frozen=True):
    run: str
    name: str
    #: About what its results, inputs and logs took on this node.
    bytes: int


class KeptRun(msgspec.Struct, frozen=True):
    run: str
    why: str


class ForgottenRuns(msgspec.Struct, frozen=True):
    """The runs of which nothing is kept any more, and those that were meant and stay."""

    runs: list[ForgottenRun]
    bytes: int
    kept: list[KeptRun]
    #: Whether it was only asked what would go.
    dry_run: bool
    #: Runs whose age is not known, because their end is dated in the future.
    dated_ahead: list[str] = []


class Counts(msgspec.Struct, frozen=True):
    """Elements by state; every state is always there."""

    waiting: int = 0
    ready: int = 0
    running: int = 0
    suspended: int = 0
    done: int = 0
    failed: int = 0
    cancelled: int = 0
    aborted: int = 0
    total: int = 0


class RunSummary(msgspec.Struct, frozen=True):
    run: RunId
    number: int
    name: str
    kind: RunKind
    state: str
    owner: str
    host: str
    #: Seconds since 1970.
    submitted_at: float
    finished_at: float | None
    counts: Counts
    #: The number of tasks.
    tasks: int
    #: The share of elements that have ended, 0 to 1.
    progress: float
    #: How many elements wait for a person's answer.
    for_people: int = 0
    #: How many of the done elements have results that were taken over from earlier runs.
    taken_over: int = 0
    #: Whether all elements that it has so far have ended.
    ended: bool = False


class RunList(msgspec.Struct, frozen=True):
    """Runs, oldest first."""

    runs: list[RunSummary]
    #: A sentence for each run that cannot be told of, because what this disk holds of it is damaged.
    damaged: list[str] = []


class StepEdge(msgspec.Struct, frozen=True):
    source: TaskId
    kind: EdgeKind
    port: str
    #: Which part of the result arrives, and of which type it must be; "" is all of it, and any.
    pick: str = ""
    type: PortType = PortType.ANY


class RunningNow(msgspec.Struct, frozen=True):
    index: int
    #: The index as people write it: in a pool inside another, as the way to it, e.g. "2.5".
    path: str
    #: The node that runs it.
    node: str
    #: None if that node is not heard directly.
    seconds: float | None
    #: How far it says it is, 0 to 1.
    fraction: float | None
    note: str


class FormField(msgspec.Struct, frozen=True):
    name: str
    type: FieldType
    #: What stands beside it; its name if empty.
    label: str
    required: bool
    choices: list[str]


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """What a person is asked in a manual step."""

    title: str
    instructions: str
    fields: list[FormField]
    #: Who may answer; anybody if it is empty.
    who: list[str]
    #: How long after it is ready an answer is expected.
    deadline_s: float | None


class ShownFile(msgspec.Struct, frozen=True):
    """A file to look at: GET ``path``."""

    bytes: int
    hash: str
    path: str


class ShownValue(msgspec.Struct, frozen=True, kw_only=True):
    """A result to look at."""

    #: The element that made it, also as people write it.
    index: int
    path: str = ""
    #: JSON, or what a command printed; if it is ``cut``, the beginning of its text.
    value: Any = None
    cut: bool = False
    #: What a function returned; only those who run Python can read it, and pick from it what the port takes.
    pickle: bytes | None = None
    #: What LAN's TERMINATED named.
    datasets: list[str] = []
    files: dict[str, ShownFile] = {}
    #: Why it cannot be shown.
    problem: str = ""


class ShownPort(msgspec.Struct, frozen=True, kw_only=True):
    """What arrives at a port."""

    port: str
    source: TaskId
    kind: EdgeKind
    #: Which part of each result arrives; all of it if empty.
    pick: str
    values: list[ShownValue]
    #: How many more values arrive there than are here.
    more: int = 0


class Todo(Form, frozen=True, kw_only=True):
    """An element that waits for a person."""

    run: RunId
    number: int
    #: The name of the run.
    run_name: str
    task: TaskId
    name: str
    element: int
    #: The element as people write it.
    path: str
    #: How many elements the task has.
    elements: int
    show: list[ShownPort]
    #: Since when it is ready, in seconds since 1970; null if no node that is there knows.
    since: float | None
    #: Until when an answer is expected.
    deadline: float | None
    late: bool


class TodoList(msgspec.Struct, frozen=True):
    """What waits for people: runs from the oldest on, in each its steps in order."""

    todo: list[Todo]
    #: How many more there are than the limit allows.
    more: int


class AnswerTaken(msgspec.Struct, frozen=True):
    """The answer is on disk."""

    run: RunId
    task: TaskId
    element: int
    #: The element as people write it.
    path: str
    amended: bool
    #: The result of the element.
    values: dict[str, Any]


class FileTaken(msgspec.Struct, frozen=True):
    """The file is on disk. In an answer, {"file": its name, "content", "bytes"} is the value of a field for files."""

    content: str
    bytes: int


class Rejected(msgspec.Struct, frozen=True):
    """The step, and what was made of it, is done again."""

    run: RunId
    #: The step that was sent back, and which elements of it.
    task: TaskId
    sent_back: str
    #: How many elements are to be done again in all.
    elements: int


class Step(msgspec.Struct, frozen=True):
    """A task of a run."""

    task: TaskId
    name: str
    kind: Literal["command", "function", "script", "value", "manual"]
    #: The command line, or the name of the function or script.
    what: str
    counts: Counts
    #: For each state that occurs, the elements in it as people write them, e.g. {"done": "1-10"} or {"done": "2.0-9"}.
    ranges: dict[str, str]
    edges: list[StepEdge]
    priority: Priority
    retries: int
    cpus: float
    memory_bytes: int
    time_limit_s: float | None
    running: list[RunningNow]
    #: How many accepted results each node made.
    done_on: dict[NodeId, int]
    #: What a person is asked, if it is a manual step.
    form: Form | None = None
    #: The task whose list says how many elements this one has; null if that was known from the start.
    sized_by: TaskId | None = None
    #: How many of the done elements have results that were taken over from earlier runs.
    taken_over: int = 0
    #: How long an element takes, as whoever handed it in expects.
    length_s: float | None = None
    #: What its node must be; empty: any will do.
    require: str = ""
    #: Of how many numbers the way to an element is: 2 if it is "2.5", which is index 2 * 2^20 + 5.
    parts: int = 1
    #: By which policy nodes choose it; empty: by the default.
    policy: str = ""


class RunDetail(RunSummary, frozen=True, kw_only=True):
    """A run with its tasks, in the order of their submission."""

    steps: list[Step]


class StoredFile(msgspec.Struct, frozen=True):
    hash: str
    bytes: int


class ElementResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one element made. A command has a value and its output, a function a pickle, all others a value."""

    task: TaskId
    index: int
    #: The index as people write it.
    path: str
    state: Literal["done"] = "done"
    #: The node that made it, or to which it was given; null if it was taken over from an earlier run.
    node: NodeId | None = None
    #: A command's standard output without its last line end, null if that is no text (UTF-8); a script's result, or an
    #: answer; null for a function.
    value: Any = None
    #: What a command wrote, as its encoding says: text as it is, other bytes in base64.
    stdout: str | None = None
    stderr: str | None = None
    stdout_encoding: Encoding = "utf-8"
    stderr_encoding: Encoding = "utf-8"
    #: Whether the log has more of a stream than is here.
    stdout_cut: bool = False
    stderr_cut: bool = False
    #: Then the hash and the size of the whole.
    stdout_whole: StoredFile | None = None
    stderr_whole: StoredFile | None = None
    duration_s: float | None = None
    peak_memory_bytes: int | None = None
    datasets: list[str] = []
    files: dict[str, StoredFile] = {}
    #: A function's result, pickled; if that is among the files, then a pickle that refers to it.
    pickle: bytes | None = None
    #: What people should know of it, in a sentence: it is not what its script is said to return.
    warning: str | None = None


class Paged(msgspec.Struct, frozen=True, kw_only=True):
    """A page of what may be long. While ``next`` is not null: ask again with start=next and start_task=next_task."""

    next: int | None = None
    next_task: str | None = None


class Results(Paged, frozen=True):
    """A page of results."""

    results: list[ElementResult]


class ElementFailure(msgspec.Struct, frozen=True):
    """Why the last attempt at an element failed."""

    task: TaskId
    index: int
    #: The index as people write it.
    path: str
    #: The node on which it failed; null if it has not failed for good.
    node: NodeId | None
    reason: str
    exit_code: int | None
    signal: int | None
    peak_memory_bytes: int | None
    duration_s: float | None
    #: The traceback, or the last lines of output.
    detail: str


class Failures(Paged, frozen=True):
    """A page of failures."""

    failures: list[ElementFailure]


class StoryLine(msgspec.Struct, frozen=True):
    """What happened to elements of a task: ``kind`` and ``who`` are for programs, ``what`` is for people."""

    #: Seconds since 1970.
    at: float
    task: TaskId
    elements: str
    kind: Kind
    #: The person who did it, or the node that was lost; else the node that tells of it.
    who: str
    #: The whole of it as a sentence, whose words may change.
    what: str
    cause: str


class Explanation(msgspec.Struct, frozen=True):
    """Why a task or an element is where it is, and how it came there."""

    lines: list[str]
    story: list[StoryLine]


class SpanTold(msgspec.Struct, frozen=True):
    """What one lane of a node did for one step, without a break that matters; neighbours of long runs are merged."""

    #: Null if it is merged from several.
    task: TaskId | None
    node: NodeId
    lane: int
    #: Seconds since 1970.
    start: float
    end: float
    #: The time that the elements took together.
    busy_s: float
    elements: int
    #: Of those, attempts that failed.
    failed: int
    #: The smallest and the largest index, also as people write them.
    first: int
    last: int
    first_path: str
    last_path: str


class Happened(msgspec.Struct, frozen=True):
    """Something that a run went through."""

    #: Seconds since 1970.
    at: float
    kind: ReportedKind
    #: The person, or the node.
    who: str
    #: As the story tells it, with the reason if one was given.
    what: str
    #: Which elements of which tasks it was about: "check 2", "render 5-9".
    where: list[str]
    elements: int
    #: How long an element had waited for this answer; null if it was none, or no node remembers.
    took_s: float | None


class Timeline(msgspec.Struct, frozen=True):
    """Who worked on a run and when, in the order of the beginnings."""

    spans: list[SpanTold]
    #: Nodes that live and did not answer in time: their part may be missing.
    silent: list[NodeId]
    #: Nodes that were lost with what they held of it, and what people did, in order.
    happened: list[Happened]


class StepPace(msgspec.Struct, frozen=True):
    """How fast a step goes, by its attempts that have finished."""

    task: TaskId
    left: int
    finished: int
    mean_s: float | None
    #: The standard deviation of an element's time.
    spread_s: float | None
    #: Elements a second over the last while.
    rate_per_s: float


class Outlook(msgspec.Struct, frozen=True):
    """How long a run will still take, from ``low_s`` to ``high_s``; both are null if nothing can be said."""

    run: RunId
    low_s: float | None
    high_s: float | None
    #: What is not known, or why nothing is; "" if there is nothing to say.
    why: str
    #: Lanes that were busy with it over the last while, on average.
    busy: float
    steps: list[StepPace]
