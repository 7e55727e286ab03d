"""Delivery: what this disk holds of what another node asks for."""

from roost.model.errors import NotFound
from roost.model.ids import NodeId, TaskId, Token
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment
from roost.model.states import Done
from roost.runtime.journal import Journal
from roost.wire.messages import Fetch, Records


def answer(fetch: Fetch, journal: Journal) -> Records:
    """Return everything that was asked for and is here; perhaps nothing, so that the other node asks elsewhere."""
    items = [(task, segment) for task, ranges in fetch.items for segment in _items(journal, task, ranges)]
    results: list[tuple[TaskId, Token, NodeId, Segment]] = []
    for task, ranges in fetch.results:
        results += _results(journal, task, ranges)
    blobs = [(blob, journal.blob(blob)) for blob in fetch.blobs if journal.has_blob(blob)]
    return Records(items=tuple(items), results=tuple(results), blobs=tuple(blobs), answers=fetch.number)


def _items(journal: Journal, task: TaskId, ranges: RangeSet) -> list[Segment]:
    here = journal.holdings(task).items & ranges
    return journal.items(task, here) if here else []


def _results(journal: Journal, task: TaskId, ranges: RangeSet) -> list[tuple[TaskId, Token, NodeId, Segment]]:
    try:
        elements = journal.task_record(task).elements
    except NotFound:
        return []
    held = {(token, node): part for token, node, part in journal.holdings(task).results}
    found: list[tuple[TaskId, Token, NodeId, Segment]] = []
    for state, part in elements.entries_within(ranges):
        if isinstance(state, Done):
            here = part & held.get((state.token, state.node), EMPTY)
            found += [(task, state.token, state.node, segment) for segment in journal.results(task, elements, here)]
    return found
