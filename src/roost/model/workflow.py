"""The rules that the tasks of a submission obey together, checked before anything is accepted."""

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError
from math import inf

from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import TASK_NAME, TaskId, name_of
from roost.model.limits import (
    COMMAND_BYTES_MAX,
    COMMAND_WORDS_MAX,
    DURATION_S_MAX,
    EDGES_MAX,
    ELEMENTS_MAX,
    FINDINGS_MAX,
    POOL_INDEX_MAX,
    RETRIES_MAX,
    SIZE_BYTES_MAX,
    STDIN_BYTES_MAX,
    TASKS_MAX,
)
from roost.model.order import in_order
from roost.model.pools import POOL_BLOCK, POOL_DEPTH_MAX, above, below
from roost.model.ranges import ONE
from roost.model.task import CPUS, MEMORY, USUAL_NEEDS, Agreement, Command, Edge, EdgeKind, Manual, Needs, TaskSpec


def check_submission(tasks: Sequence[TaskSpec], known: Mapping[TaskId, TaskSpec]) -> list[TaskSpec]:
    """Return the tasks, each after those it needs.

    Raise InvalidInput with one sentence if they cannot be accepted beside the ``known`` ones.
    """
    if len(tasks) > TASKS_MAX:
        raise InvalidInput(f"{len(tasks):,} tasks at once are too many; submit at most {TASKS_MAX:,}")
    new = {task.id: task for task in tasks}
    if len(new) < len(tasks) or not known.keys().isdisjoint(new):
        raise InvalidInput(f"two tasks are named '{_doubled(tasks, known)}'; give each its own name")
    env: Mapping[str, str] = {}
    for task in tasks:
        _check_task(task)
        if isinstance(task.work, Command) and task.work.env is not env:
            # Many tasks share their variables, and these are many, too.
            env = task.work.env
            _check_texts(name_of(task.id), (*env, *env.values()))
    return list(tasks) if _check_edges(tasks, new, known) else _in_order(new)


def _check_edges(tasks: Sequence[TaskSpec], new: dict[TaskId, TaskSpec], known: Mapping[TaskId, TaskSpec]) -> bool:
    """Check what leads to each task; return whether all stand behind what they need."""
    everything = ChainMap(new, dict(known))
    after, broadcast = EdgeKind.AFTER, EdgeKind.BROADCAST
    placed, are_in_order = dict(known), True
    for task in tasks:
        if len(task.edges) > EDGES_MAX:
            name = name_of(task.id)
            raise InvalidInput(f"task '{name}' waits for {len(task.edges):,} others; at most {EDGES_MAX:,} are allowed")
        for edge in task.edges:
            source = placed.get(edge.source)
            if source is None:
                source, are_in_order = new.get(edge.source), False
            if source is None:
                raise NotFound(f"task '{name_of(task.id)}' needs '{edge.source}', which does not exist")
            # Waiting for the end of a task, or for its one element, fits any two tasks.
            kind = edge.kind
            if kind is not after and (kind is not broadcast or source.elements is not ONE or source.mapper is not None):
                _check_edge(task, edge, source)
            if task.depth and source.depth:
                _check_same_pool(task, edge, source, everything)
        _check_ports(task)
        if task.depth or task.mapper is not None:
            _check_pool(task, new, known)
        placed[task.id] = task
    return are_in_order


def _doubled(tasks: Sequence[TaskSpec], known: Mapping[TaskId, TaskSpec]) -> str:
    seen = set(known)
    for task in tasks:
        if task.id in seen:
            return name_of(task.id)
        seen.add(task.id)
    raise AssertionError("only called if a name stands there twice")


def check_quorum(tasks: Iterable[TaskSpec]) -> None:
    """Raise InvalidInput if no quorum can decide on the results of one of these tasks."""
    manual = next((task for task in tasks if isinstance(task.work, Manual)), None)
    if manual is not None:
        raise InvalidInput(
            f"task '{name_of(manual.id)}' is done by people, whose answers no quorum decides; "
            "submit the run without --quorum, or leave 'quorum' out of its file"
        )


def _check_task(task: TaskSpec) -> None:
    run, _, name = task.id.partition("/")
    if not TASK_NAME.fullmatch(name):
        raise InvalidInput(
            f"'{name[:80]}' cannot be a task's name; use letters, digits, '_', '-' and '.', at most 64, a letter first"
        )
    if run != task.run:
        raise InvalidInput(f"task '{task.id}' does not belong to run {task.run}")
    if task.elements is not ONE:
        _check_elements(name, task)
    if not 0 <= task.retries <= RETRIES_MAX:
        raise InvalidInput(f"task '{name}' asks for {task.retries} retries; use 0 to {RETRIES_MAX}")
    if task.needs is not USUAL_NEEDS:
        _check_needs(name, task.needs)
    if task.stated_s is not None and not 0 < task.stated_s <= DURATION_S_MAX:
        raise InvalidInput(f"task '{name}' is said to take {task.stated_s:g} s; use a time above zero")
    if task.agreement is not None:
        _check_agreement(name, task, task.agreement)
    if isinstance(task.work, Command):
        _check_command(name, task.work)


def _check_agreement(name: str, task: TaskSpec, agreement: Agreement) -> None:
    if not task.may_repeat:
        raise InvalidInput(
            f"task '{name}' must not be repeated, so its results cannot be compared; ask for no agreement"
        )
    if task.reuse.looks:
        raise InvalidInput(
            f"task '{name}' may take over results of earlier runs, which nobody has found by himself; "
            "ask for no agreement, or for no reuse"
        )
    if not 1 <= agreement.agreeing <= agreement.limit <= FINDINGS_MAX:
        raise InvalidInput(
            f"task '{name}' wants {agreement.agreeing} agreeing results of at most {agreement.limit}; "
            f"use 1 to {FINDINGS_MAX} for both, the first not above the second"
        )


def _check_elements(name: str, task: TaskSpec) -> None:
    if not task.elements:
        raise InvalidInput(f"task '{name}' has no elements; an array needs at least one")
    if task.mapper is None and len(task.elements) > ELEMENTS_MAX:
        raise InvalidInput(f"task '{name}' has {len(task.elements):,} elements; at most {ELEMENTS_MAX:,} are allowed")


def _check_needs(name: str, needs: Needs) -> None:
    names = [quantity for quantity, _ in needs.quantities]
    if names != sorted(set(names)):
        raise InvalidInput(f"task '{name}' names what it takes twice, or not in the order of the names")
    for quantity, amount in needs.quantities:
        if quantity not in {CPUS, MEMORY} and not 0 < amount <= SIZE_BYTES_MAX:
            raise InvalidInput(f"task '{name}' asks for {amount:g} {quantity}; use a number above zero")
    if not 0 < needs.cpus < inf:
        raise InvalidInput(f"task '{name}' asks for {needs.cpus:g} CPUs; use a number above zero")
    if not 0 <= needs.memory_bytes <= SIZE_BYTES_MAX:
        raise InvalidInput(f"task '{name}' asks for {needs.memory_bytes:,} bytes of memory; use a size like 2GiB")
    if needs.time_limit_s is not None and not 0 < needs.time_limit_s <= DURATION_S_MAX:
        raise InvalidInput(f"the time limit of task '{name}' is {needs.time_limit_s:g} s; use a time above zero")


def _check_ports(task: TaskSpec) -> None:
    arriving: dict[str, Edge] = {}
    for edge in task.edges:
        if edge.port and edge.kind is not EdgeKind.AFTER and arriving.setdefault(edge.port, edge) != edge:
            name = name_of(task.id)
            raise InvalidInput(f"two inputs of task '{name}' have the same name '{edge.port}'; name them differently")


def _check_command(name: str, command: Command) -> None:
    if not command.argv or not command.argv[0]:
        raise InvalidInput(f"task '{name}' has no command; name a program to run")
    if len(command.argv) > COMMAND_WORDS_MAX or len("".join(command.argv)) > COMMAND_BYTES_MAX:
        raise InvalidInput(f"the command of task '{name}' is too long; put its arguments into a file")
    if len(command.stdin or "") > STDIN_BYTES_MAX:
        raise InvalidInput(f"the standard input of task '{name}' is too long; put it into a file")
    kept = (command.stdin or "", *command.outputs, *command.outputs.values())
    _check_texts(name, (*command.argv, command.cwd or ""), kept)


def _check_texts(name: str, given: Sequence[str], kept: Sequence[str] = ()) -> None:
    """Check what a program is given, and what is only kept for it: all texts at once, which is several times as quick.

    Half a surrogate pair, as a badly encoded file name becomes, cannot be stored.
    """
    if "\0" in "".join(given):
        raise InvalidInput(f"the command of task '{name}' holds a zero byte, which no program can be given")
    if not _is_unicode("".join((*given, *kept))):
        text = next(text for text in (*given, *kept) if not _is_unicode(text))
        raise InvalidInput(f"the command of task '{name}' holds {text[:40]!a}, which is not valid Unicode text")


def _is_unicode(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _check_edge(task: TaskSpec, edge: Edge, source: TaskSpec) -> None:
    kind = edge.kind
    ours, theirs, inwards = name_of(task.id), name_of(source.id), task.depth - source.depth
    if kind is EdgeKind.EACH and (inwards < 0 or not task.elements.issubset(below(source.elements, inwards))):
        raise InvalidInput(
            f"task '{ours}' takes '{theirs}' element by element, but has elements that '{theirs}' lacks; "
            "give both the same indices, or take all of it"
        )
    if kind is EdgeKind.BROADCAST and (source.mapper is not None or len(source.elements) != 1):
        count = "as many as a list has items" if source.mapper is not None else f"{len(source.elements):,}"
        raise InvalidInput(
            f"task '{ours}' takes the one result of '{theirs}', which has {count}; "
            "take it element by element, or all of it"
        )
    if kind is EdgeKind.SPREAD and (inwards != 1 or not task.elements.issubset(below(source.elements))):
        raise InvalidInput(f"task '{ours}' takes items of the list of '{theirs}', which is not just outside its pool")
    if kind is EdgeKind.GATHER and (inwards >= 0 or not above(source.elements, -inwards).issubset(task.elements)):
        raise InvalidInput(f"task '{ours}' gathers '{theirs}', which does not lie in a pool below it")
    if kind is EdgeKind.ALL and source.depth and task.depth:
        raise InvalidInput(f"task '{ours}' lies in a pool and takes all of '{theirs}', which does, too; gather instead")


def _check_same_pool(task: TaskSpec, edge: Edge, source: TaskSpec, tasks: Mapping[TaskId, TaskSpec]) -> None:
    """Elements of two pools belong together only if both follow the same list: else one may wait for what is not."""
    if edge.kind not in {EdgeKind.EACH, EdgeKind.GATHER}:
        return
    inner, outer = (task, source) if edge.kind is EdgeKind.EACH else (source, task)
    at: TaskSpec | None = inner
    for _ in range(inner.depth - outer.depth):
        at = None if at is None or at.mapper is None else tasks.get(at.mapper)
    if at is None or at.mapper != outer.mapper:
        raise InvalidInput(
            f"task '{name_of(task.id)}' takes '{name_of(source.id)}' element by element, which lies in another pool; "
            "put both into the same, or take all of it outside"
        )


def _check_pool(task: TaskSpec, new: Mapping[TaskId, TaskSpec], known: Mapping[TaskId, TaskSpec]) -> None:
    """A pool's task lies just inside its mapper, has an edge from it, and may have any number of elements."""
    if task.mapper is None:
        if task.depth:
            raise InvalidInput(f"task '{name_of(task.id)}' lies in {task.depth} pools and names no mapper")
        return
    name, mapper = name_of(task.id), new.get(task.mapper) or known.get(task.mapper)
    if mapper is None or all(edge.source != task.mapper for edge in task.edges):
        raise InvalidInput(f"task '{name}' is sized by '{task.mapper}' and does not wait for it")
    if isinstance(mapper.work, Manual):
        raise InvalidInput(f"task '{name}' is sized by '{name_of(mapper.id)}', which people do; they give no lists")
    if not mapper.is_mapped or task.depth != mapper.depth + 1 or task.has_items:
        raise InvalidInput(f"task '{name}' does not fit the pool that '{name_of(mapper.id)}' maps")
    if task.depth > POOL_DEPTH_MAX or mapper.elements.last >= POOL_INDEX_MAX // POOL_BLOCK:
        raise InvalidInput(
            f"task '{name}' lies in too many pools, or its mapper has too large indices; "
            f"at most {POOL_DEPTH_MAX} pools may lie inside each other"
        )
    if task.elements != below(mapper.elements):
        raise InvalidInput(f"task '{name}' does not have the blocks of its pool")


def _in_order(tasks: Mapping[TaskId, TaskSpec]) -> list[TaskSpec]:
    graph = {task.id: [edge.source for edge in task.edges] for task in tasks.values()}
    try:
        return [tasks[task] for task in in_order(graph)]
    except CycleError as error:
        names = [name_of(task) for task in reversed(error.args[1])]
        circle = " → ".join(names if len(names) <= 10 else [*names[:9], "…", names[-1]])
        raise InvalidInput(f"these tasks wait for each other in a circle: {circle}; remove one of the edges") from None
