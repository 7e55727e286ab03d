"""Which elements an element needs, worked out one by one: slow, and without the machines that are to be checked."""

from collections.abc import Mapping

from roost.core.queue.replica import TaskEntry
from roost.model.ids import TaskId
from roost.model.pools import POOL_BLOCK, behind
from roost.model.record import TaskRecord
from roost.model.states import Done
from roost.model.task import BY_ELEMENT, EdgeKind, TaskSpec


def has_all_inputs(spec: TaskSpec, index: int, tasks: Mapping[TaskId, TaskRecord]) -> bool:
    """Whether everything that an element waits for is done."""
    for edge in spec.edges:
        source = tasks[edge.source]
        levels = spec.depth - source.spec.depth
        if edge.kind is EdgeKind.GATHER:
            is_there = _all_done_below(source, index, -levels, tasks)
        elif edge.kind in BY_ELEMENT:
            is_there = isinstance(source.elements.at(index // POOL_BLOCK**levels), Done)
        else:
            is_there = _all_done(source, tasks)
        if not is_there:
            return False
    return True


def _all_done(record: TaskRecord, tasks: Mapping[TaskId, TaskRecord]) -> bool:
    """Whether a task is done, and everything that decides how many elements it has."""
    mapper = record.spec.mapper
    if mapper is not None and not _all_done(tasks[mapper], tasks):
        return False
    return TaskEntry.of(record).present == record.elements.in_state(Done)


def _all_done_below(record: TaskRecord, index: int, levels: int, tasks: Mapping[TaskId, TaskRecord]) -> bool:
    """Whether everything is done that lies below an element, so many pools further out."""
    assert record.spec.mapper is not None, "only pools lie below something"
    mapper = tasks[record.spec.mapper]
    if levels > 1 and not _all_done_below(mapper, index, levels - 1, tasks):
        return False
    parents = [index] if levels == 1 else [at for at in TaskEntry.of(mapper).present if at // POOL_BLOCK == index]
    for parent in parents:
        state = mapper.elements.at(parent)
        if not isinstance(state, Done) or not behind(parent, state.length).issubset(TaskEntry.of(record).absent):
            return False
        if not all(isinstance(record.elements.at(parent * POOL_BLOCK + at), Done) for at in range(state.length)):
            return False
    return True
