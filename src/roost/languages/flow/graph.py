"""How the tasks of a flow fit together: what they wait for exists, goes round in no circle, and has fitting indices."""

from collections.abc import Collection, Iterable, Mapping
from graphlib import CycleError

from roost.languages.flow.drafts import Draft
from roost.languages.flow.edges import Wait
from roost.languages.flow.pools import check_pool_edge, enter_pool
from roost.languages.problems import Problems, did_you_mean, shown
from roost.model.order import in_order
from roost.model.ranges import RangeSet
from roost.model.task import EdgeKind

ONE_ELEMENT = RangeSet.span(0, 1)
#: How many names one sentence lists.
_NAMES_LISTED = 8


def settle(drafts: Mapping[str, Draft], problems: Problems, broken: Collection[str] = ()) -> None:
    """Check all edges and give every draft its indices; tasks after a mistake keep None.

    ``broken`` are tasks that could not be read; to need one of them is no further mistake.
    """
    for draft in drafts.values():
        draft.waits = [wait for wait in draft.waits if _exists(draft, wait, drafts, problems, broken)]
        if draft.sized_by is not None and not _exists(draft, _sizing(draft), drafts, problems, broken):
            draft.sized_by = None
    try:
        order = in_order({name: _sources(draft) for name, draft in drafts.items()})
    except CycleError as error:
        _note_circle(error.args[1], drafts, problems)
        return
    for name in order:
        draft = drafts[name]
        if not enter_pool(draft, drafts):
            draft.indices = _indices(draft, drafts, problems)
        for wait in draft.waits:
            source = drafts[wait.source]
            if source.mappers or draft.mappers:
                check_pool_edge(draft, wait, source)
            elif wait.kind is not EdgeKind.AFTER:
                _check_fit(draft, wait, source, problems)


def warn_of_vain_tasks(drafts: Mapping[str, Draft], final: Iterable[str], problems: Problems) -> None:
    """Warn of tasks on which no result depends."""
    reached = set(final)
    waiting = list(reached)
    while waiting:
        draft = drafts[waiting.pop()]
        for source in _sources(draft):
            if source not in reached:
                reached.add(source)
                waiting.append(source)
    vain = [draft for draft in drafts.values() if draft.name not in reached]
    if vain:
        names = ", ".join(f"'{draft.name}'" for draft in vain[:_NAMES_LISTED])
        more = f" and {len(vain) - _NAMES_LISTED:,} more" if len(vain) > _NAMES_LISTED else ""
        problems.warn(
            vain[0].line, f"no result of this flow depends on {names}{more}; add it to 'result', or remove it"
        )


def _sizing(draft: Draft) -> Wait:
    assert draft.sized_by is not None
    return Wait(draft.sized_by, EdgeKind.SPREAD, "", draft.fields.line("sized_by"))


def _sources(draft: Draft) -> list[str]:
    sources = [wait.source for wait in draft.waits]
    return sources if draft.sized_by is None else [*sources, draft.sized_by]


def _exists(draft: Draft, wait: Wait, drafts: Mapping[str, Draft], problems: Problems, broken: Collection[str]) -> bool:
    if wait.source == draft.name:
        problems.add(wait.line, f"task '{draft.name}' needs itself; name another task")
        return False
    if wait.source in drafts or wait.source in broken:
        return wait.source in drafts
    hint = did_you_mean(wait.source, drafts) or "; add it, or name one that is"
    if "," in wait.source:
        hint = f"; write a list: [{wait.source}]"
    problems.add(wait.line, f"task '{draft.name}' needs {shown(wait.source)}, which is not in this file{hint}")
    return False


def _note_circle(circle: list[str], drafts: Mapping[str, Draft], problems: Problems) -> None:
    # graphlib lists sources before those that need them, and the first again at the end.
    needing = circle[::-1]
    first = drafts[needing[0]]
    line = next((wait.line for wait in first.waits if wait.source == needing[1]), first.fields.line("sized_by"))
    words = " needs ".join(needing if len(needing) <= 10 else [*needing[:5], "...", *needing[-4:]])
    problems.add(line, f"these tasks wait for each other in a circle: {words}; remove one of these needs")


def _indices(draft: Draft, drafts: Mapping[str, Draft], problems: Problems) -> RangeSet | None:
    """Return the task's own indices, else those of the tasks it takes each of, else the one index 0."""
    own = draft.elements.indices
    if own is not None:
        return own
    each = [wait for wait in draft.waits if wait.kind is EdgeKind.EACH]
    if not each:
        return ONE_ELEMENT
    first = drafts[each[0].source]
    for wait in each[1:]:
        other = drafts[wait.source]
        if first.indices is not None and other.indices not in {None, first.indices}:
            problems.add(
                wait.line,
                f"task '{draft.name}' takes '{first.name}' ({_named(first.indices)}) and '{other.name}' "
                f"({_named(other.indices)}) element by element; give both the same indices, or this task an 'array'",
            )
            return None
    return first.indices


def _check_fit(draft: Draft, wait: Wait, source: Draft, problems: Problems) -> None:
    if source.indices is None or draft.indices is None:
        return
    if wait.kind is EdgeKind.BROADCAST and len(source.indices) != 1:
        problems.add(
            wait.line,
            f"task '{draft.name}' needs '{source.name}', which has {len(source.indices):,} elements; write "
            f"'each: {source.name}' to take them one by one, or 'all: {source.name}' to take the list",
        )
    if wait.kind is EdgeKind.EACH and not draft.indices.issubset(source.indices):
        problems.add(
            wait.line,
            f"task '{draft.name}' ({_named(draft.indices)}) takes '{source.name}' ({_named(source.indices)}) element "
            f"by element; give both the same indices, for example 'array: {_named(source.indices)}', or write 'all'",
        )


def _named(indices: RangeSet | None) -> str:
    text = str(indices)
    return text if len(text) <= 30 else f"{text[:27]}..."
