"""Pools in flow files: which tasks lie in which, and whether their edges make sense (model/pools.py).

A task that takes items of a list (``spread``) makes a pool, as long as that list. What takes ``each`` of a pool's task
lies in the same pool. ``sized_by`` says it where neither does. A pool inside a pool has the list of a pool's task.
"""

from collections.abc import Mapping

from roost.languages.flow.drafts import Draft
from roost.languages.flow.edges import Wait
from roost.model.limits import POOL_INDEX_MAX
from roost.model.pools import POOL_BLOCK, POOL_DEPTH_MAX
from roost.model.task import EdgeKind

_NO_POOLS: tuple[str, ...] = ()


def enter_pool(draft: Draft, drafts: Mapping[str, Draft]) -> bool:
    """Find the pools that a task lies in, now that those it waits for are known; return whether there are any."""
    mappers = _mappers(draft, drafts)
    if not mappers:
        return False
    outermost = drafts[mappers[0]]
    draft.mappers, draft.indices = mappers, outermost.indices
    task = draft.fields
    for key in [key for key in task.keys if key in {"array", "items", "items_from", "matrix"}]:
        wrong = f"{task.where} lies in the pool of '{mappers[-1]}', whose list says how many elements it has"
        task.wrong(key, f"{wrong}; remove '{key}'")
    if len(mappers) > POOL_DEPTH_MAX:
        task.wrong("spread", f"{task.where} lies in {len(mappers)} pools; at most {POOL_DEPTH_MAX} may be nested")
    elif outermost.indices and outermost.indices.last >= POOL_INDEX_MAX // POOL_BLOCK ** len(mappers):
        task.wrong("spread", f"the indices of '{outermost.name}' are too large to map a pool; let them begin at 0")
    return True


def _mappers(draft: Draft, drafts: Mapping[str, Draft]) -> tuple[str, ...]:
    """Return the mapper of the pool that the task lies in, and of those around it, the outermost first."""
    sizer, deepest = draft.sized_by, _NO_POOLS
    for wait in draft.waits if sizer is None else ():
        if wait.kind is EdgeKind.SPREAD:
            sizer = wait.source
            break
        # Beside one another the deepest counts: those further out give the same to all that lies below them.
        if wait.kind is EdgeKind.EACH and len(drafts[wait.source].mappers) > len(deepest):
            deepest = drafts[wait.source].mappers
    return deepest if sizer is None else (*drafts[sizer].mappers, sizer)


def check_pool_edge(draft: Draft, wait: Wait, source: Draft) -> None:
    """Note what is wrong with an edge from or to a task in a pool."""
    wrong = _CHECKS[wait.kind](draft, source) if wait.kind in _CHECKS else None
    if wrong is not None:
        draft.fields.wrong("", f"task '{draft.name}' {wrong}", wait.line)


def _each(draft: Draft, source: Draft) -> str | None:
    inner, outer = draft.mappers, source.mappers
    if outer != inner[: len(outer)]:
        return (
            f"({_place(draft)}) takes '{source.name}' ({_place(source)}) element by element, but they lie in different "
            f"pools; gather with 'all: {source.name}' first"
        )
    return _other_indices(draft, source)


def _other_indices(draft: Draft, source: Draft) -> str | None:
    ours, theirs = draft.indices, source.indices
    if ours is None or theirs is None or ours.issubset(theirs):
        return None
    return (
        f"lies in a pool of '{draft.mappers[0]}' and takes from each element of '{source.name}', which has other "
        f"indices; write 'all: {source.name}' to take the list"
    )


def _broadcast(_: Draft, source: Draft) -> str | None:
    if source.mappers:
        return (
            f"needs '{source.name}', which has as many elements as the list of '{source.mappers[-1]}' has items; write "
            f"'each: {source.name}' to take them one by one, or 'all: {source.name}' to take the list"
        )
    if source.indices is not None and len(source.indices) != 1:
        return f"needs '{source.name}', which has {len(source.indices):,} elements; write 'all: {source.name}'"
    return None


def _all(draft: Draft, source: Draft) -> str | None:
    inner, outer = source.mappers, draft.mappers
    if not inner or not outer or (len(outer) < len(inner) and outer == inner[: len(outer)]):
        return None
    return (
        f"({_place(draft)}) takes all of '{source.name}' ({_place(source)}), which lies in no pool below it; gather it "
        "in a task outside the pools, and take that with 'needs'"
    )


def _spread(draft: Draft, source: Draft) -> str | None:
    if source.mappers == draft.mappers[:-1]:
        return _other_indices(draft, source)
    return (
        f"({_place(draft)}) takes items of the list of '{source.name}' ({_place(source)}), which is not just outside "
        f"its pool; let it lie in the pool of '{source.name}' alone"
    )


_CHECKS = {
    EdgeKind.EACH: _each, EdgeKind.BROADCAST: _broadcast, EdgeKind.ALL: _all, EdgeKind.SPREAD: _spread,
}  # fmt: skip


def _place(draft: Draft) -> str:
    return f"in the pool of '{draft.mappers[-1]}'" if draft.mappers else "in no pool"
