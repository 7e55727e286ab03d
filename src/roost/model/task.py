"""What a task is: an array of like elements, what to run for each, what it needs and what it waits for.

A single task is an array of one. The elements of an array *are* the indices the person gave (``--array 5-9`` has the
elements 5 to 9), so that nothing has to be translated between what is shown and what is kept.

These values are trees that never change, so the garbage collector need not look at them: a node may hold millions.
"""

from enum import StrEnum
from typing import Annotated, Final, TypeAlias

import msgspec

from roost.model.attributes import AttributeName
from roost.model.clock import Stamp
from roost.model.ids import BlobHash, NodeId, RunId, TaskId
from roost.model.limits import (
    CONDITION_LENGTH_MAX,
    EXCEPTION_BYTES_MAX,
    FINDINGS_MAX,
    POLICY_NAME_LENGTH_MAX,
    QUANTITIES_MAX,
    SIZE_BYTES_MAX,
)
from roost.model.ranges import RangeSet
from roost.model.recorded import Recorded


class Priority(StrEnum):
    """Interactive goes before low (LAN 3.3); inside one class first come, first served."""

    INTERACTIVE = "interactive"
    LOW = "low"


class EdgeKind(StrEnum):
    """How the elements of a source feed the elements of a task."""

    #: Element i waits for element i, and gets its result.
    EACH = "each"
    #: Every element waits for all of the source, and gets the list of its results in the order of the indices.
    ALL = "all"
    #: Every element waits for the source's only element, and gets its result.
    BROADCAST = "broadcast"
    #: Every element waits until the source has ended well, and gets nothing.
    AFTER = "after"
    #: Element j of a block of a pool waits for the block's mapper, whose result is a list, and gets item j of it.
    SPREAD = "spread"
    #: An element waits for all elements of a pool that lie below it, and gets the list of their results.
    GATHER = "gather"


#: Edges over which every element gets something else; over the others all get the same.
BY_ELEMENT = frozenset({EdgeKind.EACH, EdgeKind.SPREAD, EdgeKind.GATHER})


class PortType(StrEnum):
    """What a port takes: the types of WEB 3.4, which are those of JSON, and anything."""

    ANY = ""
    NUMBER = "Number"
    STRING = "String"
    BOOLEAN = "Boolean"
    ARRAY = "Array"
    OBJECT = "Object"
    NULL = "null"
    UNDEFINED = "undefined"


class Edge(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A task waits for ``source``; its results arrive under the name ``port``.

    From outside a pool EACH leads inwards: every element gets the result of the element in whose block it lies.
    """

    source: TaskId
    kind: EdgeKind
    port: str = ""
    #: Which part of the result arrives: the value of this name, or the item of this number; all of it if empty.
    pick: str = ""
    type: PortType = PortType.ANY


class Protocol(StrEnum):
    """What a command's standard output means."""

    #: Output is output; lines ``::progress 40`` also report progress.
    PLAIN = "plain"
    #: LAN's line protocol (LAN 3.5): PROGRESS, TERMINATED, CANCEL, CANCELLED, ERROR.
    LAN = "lan"


class Command(msgspec.Struct, frozen=True, gc=False, tag="command", omit_defaults=True):
    """Run a program once for each element. Words, paths and variables may hold placeholders (executors/template.py)."""

    argv: tuple[str, ...]
    #: Where it runs; None is a fresh folder of its own, which ends with it except for ``outputs``.
    cwd: str | None = None
    env: dict[str, str] = {}
    stdin: str | None = None
    protocol: Protocol = Protocol.PLAIN
    #: Files that the program must leave in its folder: name -> path relative to the folder.
    outputs: dict[str, str] = {}
    #: If not empty, a program of this name in the programs' folder of the node that runs it: it is run there, whatever
    #: ``cwd`` and the first word say, and only by a node that has it (LAN 4.2).
    program: str = ""
    #: What it was in a recorded workflow, if it comes from one.
    recorded: Recorded | None = None


class Function(msgspec.Struct, frozen=True, gc=False, tag="function"):
    """Call a Python function once for each element, in a persistent worker process."""

    code: BlobHash
    #: The minor version that pickled it, e.g. "3.11"; another one cannot load it safely.
    python: str
    #: How people know it.
    name: str = "function"
    #: The pickled (args, kwargs) of every element, if the elements have no items of their own. In both, a persistent id
    #: stands for what only the node knows: ("port", name) for the value that arrives there, ("index",) for the index.
    arguments: BlobHash | None = None
    #: A pickled callable without arguments, called once in each worker process before the first element.
    initializer: BlobHash | None = None
    #: The variables that the client declares, which it finds in its environment (wire/values.py).
    variables: BlobHash | None = None


class Script(msgspec.Struct, frozen=True, gc=False, tag="script"):
    """Call a JavaScript function once for each element, in a context of its own (WEB 3.2)."""

    #: The source.
    code: BlobHash
    #: How people know it.
    name: str
    #: The function that is called.
    entry: str = "weevil_main"
    #: A JSON array, the arguments of every element, in which {"item": true} stands for the element's item,
    #: {"index": true} for its index and {"port": name} for what arrives there. None: it is called without arguments.
    arguments: BlobHash | None = None
    #: The type of what it returns: an element that returns anything else fails.
    returns: PortType = PortType.ANY
    #: The type that it is said to return. People are warned of a result of another type, and it counts all the same.
    declares: PortType = PortType.ANY


class Value(msgspec.Struct, frozen=True, gc=False, tag="value"):
    """Nothing to run: the result was handed in with the task (WEB 3.3, value nodes)."""

    #: The beginning of it, as people see it.
    text: str


class FieldType(StrEnum):
    """What a person fills into a field."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    #: The file itself is kept as the declared outputs of commands are.
    FILE = "file"


class Field(msgspec.Struct, frozen=True, gc=False):
    """One field of a form."""

    name: str
    type: FieldType = FieldType.TEXT
    #: What stands beside it; its name if empty.
    label: str = ""
    required: bool = True
    choices: tuple[str, ...] = ()


class Manual(msgspec.Struct, frozen=True, gc=False, tag="manual"):
    """A person does it (LAN 1.1). It waits without taking a lane; its result is the map of the fields."""

    title: str
    instructions: str = ""
    fields: tuple[Field, ...] = ()
    #: Ports whose values the person should look at.
    show: tuple[str, ...] = ()
    #: Who may answer; anybody if empty.
    who: tuple[str, ...] = ()
    #: How long after it is ready an answer is expected; what is late is shown as such, and still waits.
    deadline_s: float | None = None


Work: TypeAlias = Command | Function | Script | Value | Manual
#: Work that no node takes into a lane.
UNRUN = (Value, Manual)


class Reuse(StrEnum):
    """Whether a task may have results that elements of earlier runs made.

    By place: those of the same element of the same step in an earlier run of the same workflow. By content: those of
    any element with the same inputs, because its author says that nothing else decides them.
    """

    #: Nobody asked for it; then no keys are computed.
    OFF = ""
    #: By place; nothing is taken over, and what is made may be later.
    KEPT = "kept"
    RESUMED = "resumed"
    #: By content.
    PURE = "pure"
    #: By content; nothing is taken over, and what is made may be later.
    FRESH = "fresh"
    #: The step itself says so: it does something that a result does not show.
    NEVER = "never"

    @property
    def looks(self) -> bool:
        """Whether results of earlier runs are looked for."""
        return self in _LOOKING

    @property
    def keeps(self) -> bool:
        """Whether what is made is kept for later runs, under a key."""
        return self in _KEEPING

    @property
    def by_place(self) -> bool:
        return self in _BY_PLACE


_LOOKING = frozenset({Reuse.RESUMED, Reuse.PURE})
_PURE = frozenset({Reuse.PURE, Reuse.FRESH})
_BY_PLACE = frozenset({Reuse.KEPT, Reuse.RESUMED})
_KEEPING = _BY_PLACE | {Reuse.PURE, Reuse.FRESH}


def reuse_of(is_pure: bool | None, *, kept: bool, resumed: bool = False, fresh: bool = False) -> Reuse:
    """Return what a task does with earlier results, by what its author says of it and what its run asks for."""
    if is_pure:
        return Reuse.FRESH if fresh else Reuse.PURE
    if not kept:
        return Reuse.OFF
    if is_pure is False:
        return Reuse.NEVER
    return Reuse.RESUMED if resumed else Reuse.KEPT


#: The quantities that every node knows.
CPUS: Final = "cpus"
MEMORY: Final = "memory_bytes"
#: How much of a quantity; whole where it is counted in bytes.
Amount: TypeAlias = (
    Annotated[int, msgspec.Meta(ge=0, le=SIZE_BYTES_MAX)] | Annotated[float, msgspec.Meta(ge=0, le=SIZE_BYTES_MAX)]
)


class Needs(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What an element takes while it runs, how long it may, and what its node must be.

    Lanes and views compare and hash them for every task that waits, hence pairs and no dictionary.
    """

    #: What is taken of which quantity, in the order of their names; of those that are not named, nothing.
    quantities: Annotated[tuple[tuple[AttributeName, Amount], ...], msgspec.Meta(max_length=QUANTITIES_MAX)] = (
        (CPUS, 1.0),
    )
    time_limit_s: float | None = None
    #: What its author says of the node where it runs (policy/conditions), beside what follows from the work itself
    #: (policy/match.py); empty: nothing.
    condition: Annotated[str, msgspec.Meta(max_length=CONDITION_LENGTH_MAX)] = ""

    @staticmethod
    def of(cpus: float = 1.0, memory_bytes: int = 0, time_limit_s: float | None = None, condition: str = "") -> "Needs":
        amounts = ((CPUS, cpus), (MEMORY, memory_bytes))
        return Needs(tuple(amount for amount in amounts if amount[1]), time_limit_s, condition)

    @property
    def cpus(self) -> float:
        return self._amount_of(CPUS)

    @property
    def memory_bytes(self) -> int:
        return int(self._amount_of(MEMORY))

    def _amount_of(self, quantity: str) -> float:
        for name, amount in self.quantities:
            if name == quantity:
                return amount
        return 0

    def without(self, quantity: str) -> "Needs":
        """Return the same without any of a quantity."""
        kept = tuple(taken for taken in self.quantities if taken[0] != quantity)
        return msgspec.structs.replace(self, quantities=kept)


#: What most tasks need, one value for all of them.
USUAL_NEEDS = Needs()


class Agreement(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How many nodes must have found the same result of an element, each by itself (core/agreement/agreeing.py)."""

    agreeing: Annotated[int, msgspec.Meta(ge=1, le=FINDINGS_MAX)]
    #: Findings after which the element has failed if so many still do not agree.
    limit: Annotated[int, msgspec.Meta(ge=1, le=FINDINGS_MAX)]


class TaskSpec(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The part of a task that never changes."""

    id: TaskId
    run: RunId
    work: Work
    elements: RangeSet
    submitted: Stamp
    edges: tuple[Edge, ...] = ()
    needs: Needs = USUAL_NEEDS
    priority: Priority = Priority.LOW
    retries: int = 0
    #: Whether every element has an input of its own (a line, a value, pickled arguments) among the items.
    has_items: bool = False
    #: In a pool the task whose lists say how many elements this one has; ``elements`` are then all blocks (pools.py).
    mapper: TaskId | None = None
    #: How many pools it lies in.
    depth: int = 0
    #: Whether a pool maps its results, which therefore must be lists.
    is_mapped: bool = False
    reuse: Reuse = Reuse.OFF
    #: If not empty, a result counts when most of these nodes hold it (core/quorum/quorum.py).
    voters: tuple[NodeId, ...] = ()
    #: If a running element handed it in: how many such elements stand one behind the other, and its place in the queue,
    #: which is before that of the task of that element (policy/order.py).
    nesting: int = 0
    turn_ms: int | None = None
    #: How long an element takes, as whoever handed it in states. It limits nothing; what is measured counts more.
    stated_s: float | None = None
    #: Whether several nodes may run an element at the same time, and the first result counts.
    repeatable: bool = True
    #: If there is one, a result counts when several nodes have found it, each by itself.
    agreement: Agreement | None = None
    #: By which policy nodes choose it (policy/catalogue.py); empty: by the default.
    policy: Annotated[str, msgspec.Meta(max_length=POLICY_NAME_LENGTH_MAX)] = ""

    @property
    def is_pure(self) -> bool:
        """Whether its author says that its inputs alone decide its results, and it may be repeated."""
        return self.may_repeat and self.reuse in _PURE

    @property
    def may_repeat(self) -> bool:
        """Whether there may be further attempts at what another node runs.

        Not at what nobody runs, such as steps that people do, nor at what does something that a result does not show.
        """
        return self.repeatable and not isinstance(self.work, UNRUN) and self.reuse is not Reuse.NEVER


class RunKind(StrEnum):
    """How a run came to be; it decides what ``get`` shows and when the run may end."""

    COMMAND = "command"
    FLOW = "flow"
    #: A Python session: tasks are added while it lives.
    SESSION = "session"


class RunSpec(msgspec.Struct, frozen=True, gc=False):
    """The part of a run that never changes."""

    id: RunId
    name: str
    kind: RunKind
    owner: str
    host: str
    submitted: Stamp
    #: Tasks whose results are the run's result; empty means those that feed no other.
    final: tuple[TaskId, ...] = ()
    #: Of which workflow it is a run, so that a later run of the same can resume it; empty: of none.
    workflow: str = ""


class Failure(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Why an attempt failed, with all that a person needs to see what went wrong."""

    #: One sentence: "exit code 3", "killed by signal 9 (SIGKILL)", "ValueError: bad", "took longer than 5 s".
    reason: str
    exit_code: int | None = None
    signal: int | None = None
    peak_memory_bytes: int | None = None
    duration_s: float | None = None
    #: The traceback, or the last lines of output.
    detail: str = ""
    #: Whether trying again is useless (the program is not there, the function cannot be loaded).
    permanent: bool = False
    #: What a function raised, for its caller to raise it again (executors/worker/raised.py). No node opens it.
    raised: Annotated[bytes, msgspec.Meta(max_length=EXCEPTION_BYTES_MAX)] = b""

    @property
    def size(self) -> int:
        """How much it takes to tell, more or less."""
        return len(self.reason) + len(self.detail) + len(self.raised)


def blobs_of(spec: TaskSpec) -> list[BlobHash]:
    """Return the code and shared arguments that a task's elements need."""
    match spec.work:
        case Command() | Value() | Manual():
            return []
        case Function(code=code, arguments=arguments, initializer=initializer, variables=variables):
            return [blob for blob in (code, arguments, initializer, variables) if blob is not None]
        case Script(code=code, arguments=arguments):
            return [code] if arguments is None else [code, arguments]
