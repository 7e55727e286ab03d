"""From a submission in JSON to the event that the core decides on.

Whatever concerns one task alone is checked here, before the run gets its id. What tasks must obey together (names,
cycles, matching indices) the core checks, because only it knows all of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from roost.api.requests import NeedsAsked, Submission, TaskAsked
from roost.api.unrun import length_of
from roost.app.intake.pools import PoolPlaces, elements_in_pool, mapper_of
from roost.app.intake.shared import Shared
from roost.app.intake.sources import Sources
from roost.app.intake.work import PreparedWork, full_path, prepare
from roost.core.events import Submitted
from roost.languages.memory import collector_paused
from roost.model.clock import Stamp
from roost.model.errors import InvalidInput
from roost.model.ids import CauseId, RunId, TaskId
from roost.model.limits import KIB
from roost.model.ranges import ONE, RangeSet
from roost.model.segments import Segment, pack
from roost.model.states import NO_LENGTH
from roost.model.task import USUAL_NEEDS, Edge, EdgeKind, Needs, Reuse, RunKind, RunSpec, TaskSpec, reuse_of
from roost.model.visible import quoted
from roost.policy.catalogue import recorded_policy
from roost.policy.conditions.parsing import check_condition
from roost.runtime import origin
from roost.runtime.service import NodeService

#: A lease takes part of a segment and has to open all of it, so segments are no larger than a small lease.
_SEGMENT_VALUES = 1_000
_SEGMENT_BYTES = 256 * KIB
_NO_PORTS: Mapping[str, EdgeKind] = {}


class Naming(Protocol):
    """Who gives names and stamps to what is submitted."""

    def new_run_id(self) -> RunId: ...

    def stamp(self) -> Stamp: ...

    def new_cause(self, word: str) -> CauseId: ...

    @property
    def policy(self) -> str:
        """The policy of what names none."""


def to_event(submission: Submission, service: NodeService) -> Submitted:
    """Raise InvalidInput or NotFound, with the task and the field, if the submission cannot be."""
    return event_of(submission, service.facts().capacity.python, service, service)


def event_of(submission: Submission, python: str, naming: Naming, earlier: NodeService | None) -> Submitted:
    """The same for functions of this version of Python; ``earlier`` runs are found where a node is."""
    with collector_paused():
        return _event_of(submission, python, naming, earlier)


def _event_of(submission: Submission, python: str, naming: Naming, earlier: NodeService | None) -> Submitted:
    names = dict.fromkeys([task.name for task in submission.tasks])
    title, workflow, reuses = _title(submission), submission.workflow, _reuses(submission)
    policy = policy_of(submission.policy, naming.policy)
    for name in submission.final:
        if name not in names:
            raise InvalidInput(f"field 'final': {quoted(name)} is not a task of this submission")
    folder = None if submission.cwd is None else full_path("cwd", submission.cwd, None)
    sources = Sources(earlier, names)
    shared = Shared(submission)
    works, own_elements = list[PreparedWork](), list[RangeSet]()
    for task in submission.tasks:
        work, own = _prepared(task, folder, python, shared, sources)
        works.append(work)
        own_elements.append(own)
    places = PoolPlaces(submission.tasks, own_elements)
    run, stamp = naming.new_run_id(), naming.stamp()
    sources.name_all(run, submission.tasks)
    final = tuple(map(sources.id_of, dict.fromkeys(submission.final)))
    items, given = list[tuple[TaskId, Segment]](), list[tuple[TaskId, Segment, int]]()
    for task, work, own in zip(submission.tasks, works, own_elements, strict=True):
        if work.items is not None:
            items += [(sources.id_of(task.name), segment) for segment in segments_of(own, work.items)]
        if task.value is not None and work.result is not None:
            length = length_of(task.value, is_mapped=task.name in places.mapped)
            segment = pack(0, [work.result])
            given.append((sources.id_of(task.name), segment, NO_LENGTH if length is None else length))
    return Submitted(
        cause=naming.new_cause("submit"),
        run=RunSpec(run, title, RunKind(submission.kind), origin.owner(), origin.host(), stamp, final, workflow),
        tasks=tuple(_specs(run, stamp, submission.tasks, works, sources, places, reuses, policy)),
        items=tuple(items),
        blobs=tuple({blob: content for work in works for blob, content in work.blobs}.items()),
        given=tuple(given),
        safe=submission.safe or 0,
        quorum=submission.quorum,
    )


def policy_of(asked: str, default: str) -> str:
    """Return what records say of the policy that a person ``asked`` for, or of the default."""
    try:
        return recorded_policy(asked, default)
    except InvalidInput as error:
        raise InvalidInput(f"field 'policy': {error}") from None


def _reuses(submission: Submission) -> dict[bool | None, Reuse]:
    kept, resumed, fresh = bool(submission.workflow), submission.resume, submission.fresh
    if resumed and fresh:
        raise InvalidInput("fields 'resume' and 'fresh': one takes over what the other does anew; give one of them")
    if resumed and not kept:
        raise InvalidInput("field 'resume': 'workflow' must say of which workflow earlier runs are meant")
    return {own: reuse_of(own, kept=kept, resumed=resumed, fresh=fresh) for own in (None, False, True)}


def segments_of(elements: RangeSet, values: list[bytes]) -> Iterator[Segment]:
    """Pack one value for each element into segments that stay small in count and in bytes."""
    at = 0
    for start, stop in elements.spans():
        while start < stop:
            first, size = at, 0
            while start + at - first < stop and at - first < _SEGMENT_VALUES and size < _SEGMENT_BYTES:
                size += len(values[at])
                at += 1
            yield pack(start, values[first:at])
            start += at - first


def _title(submission: Submission) -> str:
    title = submission.name or submission.tasks[0].name
    if not title.isprintable():
        raise InvalidInput(f"field 'name': {quoted(title)} must be one line of printable text")
    return title


def _prepared(
    task: TaskAsked, folder: str | None, python: str, shared: Shared, sources: Sources
) -> tuple[PreparedWork, RangeSet]:
    """Return the task's work and its own elements; a task in a pool has none of its own."""
    ports = sources.resolve(task) if task.edges else _NO_PORTS
    try:
        condition_of(task)
        is_in_pool = mapper_of(task) is not None
        elements = elements_in_pool(task) if is_in_pool else _elements(task)
        return prepare(task, None if is_in_pool else elements, folder, python, shared, ports), elements
    except InvalidInput as error:
        separator = "," if str(error).startswith("field ") else ":"
        raise InvalidInput(f"task {quoted(task.name)}{separator} {error}") from None


def _elements(task: TaskAsked) -> RangeSet:
    if task.items is None and task.array is None:
        return ONE
    count = 1 if task.items is None else len(task.items)
    if not count:
        raise InvalidInput("field 'items': it is empty; an array needs at least one")
    if task.array is None:
        return RangeSet.span(0, count)
    try:
        elements = RangeSet.parse(task.array)
    except InvalidInput as error:
        raise InvalidInput(f"field 'array': {error}") from None
    if task.items is not None and len(elements) != count:
        raise InvalidInput(f"field 'items': there are {count:,}, but the array has {len(elements):,} elements")
    return elements


def _needs(task: TaskAsked) -> Needs:
    if task.cpus == USUAL_NEEDS.cpus and not task.memory_bytes and task.time_limit_s is None and not task.require:
        return USUAL_NEEDS
    return Needs.of(task.cpus, task.memory_bytes, task.time_limit_s, condition_of(task))


def condition_of(asked: TaskAsked | NeedsAsked) -> str:
    """Return what the node must be. Raise InvalidInput, with the column, if that is no condition."""
    try:
        return check_condition(asked.require) if asked.require else ""
    except InvalidInput as error:
        raise InvalidInput(f"field 'require': {error}") from None


def _specs(
    run: RunId,
    stamp: Stamp,
    tasks: Sequence[TaskAsked],
    works: Sequence[PreparedWork],
    sources: Sources,
    places: PoolPlaces,
    reuses: Mapping[bool | None, Reuse],
    policy: str,
) -> Iterator[TaskSpec]:
    # There may be a hundred thousand: what is the same for all of them is looked up once.
    id_of, place_of = sources.id_of, places.of
    for asked, prepared in zip(tasks, works, strict=True):
        place = place_of(asked.name)
        mapper = None if place.mapper is None else id_of(place.mapper)
        edges = sources.edges(asked, places) if asked.edges else ()
        if mapper is not None and all(edge.source != mapper for edge in edges):
            edges += (Edge(mapper, EdgeKind.SPREAD),)
        # In the order of the fields, which is much quicker than by their names.
        yield TaskSpec(
            id_of(asked.name),
            run,
            prepared.work,
            place.elements,
            stamp,
            edges,
            _needs(asked),
            asked.priority,
            asked.retries,
            prepared.items is not None,
            mapper,
            place.depth,
            asked.name in places.mapped,
            reuses[asked.reuse],
            stated_s=asked.length_s,
            policy=policy,
        )
