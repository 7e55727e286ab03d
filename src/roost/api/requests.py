"""Everything the API is asked: bodies and query parameters. The OpenAPI description is made from these very structs.

Fields that are not known are refused: a misspelt ``retires`` must not be a task without retries.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from roost.model.limits import (
    CONDITION_LENGTH_MAX,
    CONDITIONS_TOLD_MAX,
    CPUS_MAX,
    EDGES_MAX,
    FIELDS_MAX,
    MEMORY_BYTES_MAX,
    NAME_LENGTH_MAX,
    PAGE_ELEMENTS_MAX,
    POLICY_NAME_LENGTH_MAX,
    POOL_INDEX_MAX,
    REASON_LENGTH_MAX,
    RETRIES_MAX,
    SAFE_MAX,
    SIZE_BYTES_MAX,
    TASKS_MAX,
    TIME_LIMIT_S_MAX,
    TODO_ELEMENTS_MAX,
    WORKFLOW_NAME_LENGTH_MAX,
)
from roost.model.recorded import Recorded
from roost.model.task import EdgeKind, FieldType, PortType, Priority, Protocol
from roost.wire.values import ContentHash

Name = Annotated[str, Meta(max_length=NAME_LENGTH_MAX)]
#: Also of a pool.
ElementIndex = Annotated[int, Meta(ge=0, le=POOL_INDEX_MAX)]
PageLimit = Annotated[int, Meta(ge=1, le=PAGE_ELEMENTS_MAX)]
Stream = Literal["stdout", "stderr"]
#: The number, from 0, of something that several tasks share.
Entry = Annotated[int, Meta(ge=0, le=TASKS_MAX)]


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Base of everything that comes from outside. JSON has no cycles, so the garbage collector need not look at it."""


class Nothing(Asked, frozen=True):
    """No parameters."""


class RawBytes(Asked, frozen=True):
    """The body is bytes as they are, which the handler reads itself."""


class DrainAsked(Asked, frozen=True):
    """Take no new work, or work again."""

    on: bool = True
    #: Whether what runs is given back to the others instead of being ended here.
    at_once: bool = False


class LeaveAsked(Asked, frozen=True):
    """Leave the cluster for good."""

    #: Whether to leave although something is only here.
    force: bool = False


class KeyAsked(Asked, frozen=True):
    """Change the key of the cluster."""

    #: The node that is not told, and so is kept out; null: all are told.
    without: Name | None = None


class CommandAsked(Asked, frozen=True):
    """A program to run for each element. Words may hold placeholders."""

    argv: tuple[str, ...]
    #: A relative folder lies in the submission's. Null is a fresh folder for each element if the command has outputs or
    #: the submission has no folder, else the submission's folder.
    cwd: str | None = None
    #: Variables; or the number of an entry of the submission's ``environments``.
    env: dict[str, str] | Entry = {}
    stdin: str | None = None
    protocol: Protocol = Protocol.PLAIN
    #: Files that the program must leave: name -> path inside its folder. Elements that share a folder need paths that
    #: differ.
    outputs: dict[str, str] = {}
    #: If not empty, the program of this name is run that each node keeps in its programs' folder, and the first word
    #: is for people only; nodes that lack it leave the task to others.
    program: str = ""
    #: What it was in a recorded workflow, if it comes from one; traces of the run tell that. It changes nothing.
    recorded: Recorded | None = None


class FunctionAsked(Asked, frozen=True):
    """A Python function to call for each element, named as ``module:function``.

    Values of ``arguments`` and ``keywords`` may be {"port": name}, {"item": true} or {"index": true}. Without both, an
    array with items calls the function with the item.
    """

    call: str
    #: Folders to put on sys.path.
    path: list[str] = []
    arguments: list[Any] | None = None
    keywords: dict[str, Any] | None = None
    #: Variables that it finds in its environment; or the number of an entry of the submission's ``environments``.
    env: dict[str, str] | Entry = {}


class ScriptAsked(Asked, frozen=True):
    """A JavaScript function to call for each element.

    Values of ``arguments`` may be {"port": name}, {"item": true} or {"index": true}. Without them, an array with items
    calls the function with the item.
    """

    #: The source; or the number of an entry of the submission's ``codes``.
    code: str | Entry
    #: The function that is called.
    entry: Name = "weevil_main"
    arguments: list[Any] | None = None
    #: The type of what it returns; an element that returns anything else fails.
    returns: PortType = PortType.ANY
    #: The type that it is said to return; a result of another type has a warning.
    declares: PortType = PortType.ANY


class ValueAsked(Asked, frozen=True):
    """A value that other tasks take; there is nothing to run."""

    json: Any


class FieldAsked(Asked, frozen=True):
    """One field of the form of a manual task."""

    name: Name
    type: FieldType = FieldType.TEXT
    label: str = ""
    required: bool = True
    choices: list[str] = []


class ManualAsked(Asked, frozen=True):
    """A step that a person does. Its result is the map of the fields."""

    title: Name
    instructions: str = ""
    fields: Annotated[list[FieldAsked], Meta(max_length=FIELDS_MAX)] = []
    #: Ports whose values the person should look at.
    show: list[Name] = []
    #: Who may answer; anybody if it is empty.
    who: list[Name] = []
    deadline_s: Annotated[float, Meta(gt=0, le=TIME_LIMIT_S_MAX)] | None = None


class EdgeAsked(Asked, frozen=True):
    """Something the task waits for: a task of this submission by name, or an earlier run or task by its id."""

    source: str
    kind: EdgeKind
    port: Name = ""
    #: Which part of the result arrives: the value of this name, or the item of this number; all of it if empty.
    pick: Name = ""
    #: What the port takes; anything if empty.
    type: PortType = PortType.ANY


class TaskAsked(Asked, frozen=True):
    """A task: its name and what it does (a command, a function, a script, a value or a manual step) are needed."""

    name: Name
    command: CommandAsked | None = None
    function: FunctionAsked | None = None
    script: ScriptAsked | None = None
    value: ValueAsked | None = None
    manual: ManualAsked | None = None
    #: The indices, e.g. "1-1000"; null is one element with index 0, or as many as there are items.
    array: str | None = None
    items: list[Any] | None = None
    #: In a pool: the task whose result, a list, says how many elements this one has. Then it has no array and no items.
    sized_by: Name | None = None
    edges: Annotated[list[EdgeAsked], Meta(max_length=EDGES_MAX)] = []
    cpus: Annotated[float, Meta(gt=0, le=CPUS_MAX)] = 1.0
    memory_bytes: Annotated[int, Meta(ge=0, le=MEMORY_BYTES_MAX)] = 0
    #: What its node must be, e.g. 'os == "linux" and mem >= 8GiB'; where that does not hold, or is not known to, it is
    #: not run. Empty: any node will do.
    require: Annotated[str, Meta(max_length=CONDITION_LENGTH_MAX)] = ""
    time_limit_s: Annotated[float, Meta(gt=0, le=TIME_LIMIT_S_MAX)] | None = None
    #: How long an element takes, as you expect; it limits nothing. Null: nobody knows before the first has ended.
    length_s: Annotated[float, Meta(gt=0, le=TIME_LIMIT_S_MAX)] | None = None
    retries: Annotated[int, Meta(ge=0, le=RETRIES_MAX)] = 0
    priority: Priority = Priority.LOW
    #: True: nothing but its inputs decides its results, so that those of any earlier element with the same inputs are
    #: taken over. False: it takes nothing over, whatever the run says. Null: only if the run is to resume another.
    reuse: bool | None = None


class NeedsAsked(Asked, frozen=True):
    """What a task needs of a node, whatever it does; the fields are those of a task."""

    require: Annotated[str, Meta(max_length=CONDITION_LENGTH_MAX)] = ""
    cpus: Annotated[float, Meta(gt=0, le=CPUS_MAX)] = 1.0
    memory_bytes: Annotated[int, Meta(ge=0, le=MEMORY_BYTES_MAX)] = 0


class FittingAsked(Asked, frozen=True):
    """Can any node that is here run what needs this?"""

    needs: Annotated[list[NeedsAsked], Meta(max_length=CONDITIONS_TOLD_MAX)]


class Submission(Asked, frozen=True):
    """A new run."""

    tasks: Annotated[list[TaskAsked], Meta(min_length=1, max_length=TASKS_MAX)]
    #: How people know it; the first task's name if it stays away.
    name: Name = ""
    kind: Literal["command", "flow"] = "command"
    #: The folder that relative paths start from, and where commands run that name no other.
    cwd: str | None = None
    #: Tasks whose results are the run's; those that feed no other if it stays away.
    final: list[Name] = []
    #: Variables and sources of scripts that several tasks have; these name them by their numbers.
    environments: Annotated[list[dict[str, str]], Meta(max_length=TASKS_MAX)] = []
    codes: Annotated[list[str], Meta(max_length=TASKS_MAX)] = []
    #: On how many nodes' disks it is to be before it is answered; null is two, or one if no other node is there. If
    #: there are not so many, it is answered when it is on all of them, with a warning.
    safe: Annotated[int, Meta(ge=2, le=SAFE_MAX)] | None = None
    #: Of which workflow it is a run: those with the same text are runs of the same. Empty: of none, and nothing that it
    #: does is kept for a later run that resumes it.
    workflow: Annotated[str, Meta(max_length=WORKFLOW_NAME_LENGTH_MAX)] = ""
    #: Whether an element takes over what the same element of the same task did in an earlier run of this workflow.
    resume: bool = False
    #: Whether tasks with ``reuse`` true do everything anew, too.
    fresh: bool = False
    #: Whether results are to count only when most of the nodes that are known at its submission hold them.
    quorum: bool = False
    #: By which policy nodes choose its tasks ('roost policies' lists them); that of the node if it is empty.
    policy: Annotated[str, Meta(max_length=POLICY_NAME_LENGTH_MAX)] = ""
    #: The id of the task whose running element hands it in, as its ROOST_TASK says; it goes before the rest of that.
    within: str = ""


class ActAsked(Asked, frozen=True):
    """What of a run an act is about: all of it, one task, or elements of one task."""

    task: str | None = None
    #: E.g. "1-5,8".
    elements: str | None = None


class ForgetWanted(Asked, frozen=True):
    """Which runs that have ended are to be forgotten."""

    #: all, last, 5, 1-10, 5-ked, or several of them with commas.
    select: str
    #: Only what ended so many seconds ago or more.
    older_s: Annotated[float, Meta(gt=0)] | None = None
    #: Whether it is only asked what would go.
    dry_run: bool = False


class AnswerAsked(Asked, frozen=True):
    """What a person answers in a manual step."""

    #: Who answers.
    who: Name
    #: The fields by their names; those that are not required may be left out.
    values: dict[str, Any] = {}
    #: Not needed if just one element of the run is meant.
    task: str | None = None
    element: ElementIndex | None = None
    #: Whether it takes the place of an answer that was given; what was made of that is done again.
    amend: bool = False


class RejectAsked(Asked, frozen=True):
    """An earlier step is to be done again, with everything that was made of it."""

    #: Who sends it back.
    who: Name
    #: The step that is to be done again; of an array, the elements that lead to this one.
    to: str
    why: Annotated[str, Meta(max_length=REASON_LENGTH_MAX)]
    #: The manual step; not needed if just one element of the run waits for a person.
    task: str | None = None
    element: ElementIndex | None = None
    #: Whether an answer that was given is given up.
    amend: bool = False


class TodoQuery(Asked, frozen=True):
    """Which elements that wait for people."""

    #: Only what this person may answer.
    who: str | None = None
    #: all, last, 5, 1-10, 5-ked, or several of them with commas.
    run: str = "all"
    task: str | None = None
    element: ElementIndex | None = None
    #: Whether the values that a person should look at are told.
    values: bool = True
    limit: Annotated[int, Meta(ge=1, le=TODO_ELEMENTS_MAX)] = 100


class RunsQuery(Asked, frozen=True):
    #: all, last, 5, 1-10, 5-ked, or several of them with commas.
    select: str = "all"
    #: Only the newest so many.
    limit: Annotated[int, Meta(ge=1)] | None = None
    #: Count only the elements of this task, which each of the runs must have.
    task: str | None = None


class PageQuery(Asked, frozen=True):
    """Which elements, and where a page begins."""

    task: str | None = None
    elements: str | None = None
    limit: PageLimit = 1000
    start: ElementIndex | None = None
    start_task: str | None = None


class NodesQuery(Asked, frozen=True):
    #: Whether the nodes are asked for all that they say of themselves, beyond what their heartbeats tell.
    attributes: bool = False


class ExplainQuery(Asked, frozen=True):
    task: str | None = None
    element: ElementIndex | None = None
    #: Whether it is asked what was taken over, and why the rest was not.
    cache: bool = False


class LogsQuery(Asked, frozen=True):
    task: str | None = None
    element: ElementIndex | None = None
    stream: Stream = "stdout"
    offset: Annotated[int, Meta(ge=0, le=SIZE_BYTES_MAX)] = 0
    #: Bytes to answer with at most; null is all that there are.
    limit: Annotated[int, Meta(ge=1, le=SIZE_BYTES_MAX)] | None = None


class FilesQuery(Asked, frozen=True):
    task: str | None = None
    element: ElementIndex | None = None
    name: str | None = None


class ValueQuery(Asked, frozen=True):
    """A value as references to it name it."""

    content: ContentHash
    bytes: Annotated[int, Meta(ge=0, le=SIZE_BYTES_MAX)]


class EventsQuery(Asked, frozen=True):
    #: Only changes of these runs; ``all`` includes runs that are still to come.
    run: str = "all"
    #: For browsers, which cannot set headers here.
    token: str | None = None


class SessionQuery(Asked, frozen=True):
    #: For browsers, which cannot set headers here.
    token: str | None = None
