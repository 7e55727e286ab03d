"""Dataflow: which elements have all their inputs, and which will never have them.

Rules
- An element is *available* when every edge into its task is satisfied for it: EACH by the source's element of the same
  index being done, or, into a pool, by the element in whose block it lies; SPREAD by its block's mapper being done;
  GATHER by everything below it being done; ALL, BROADCAST and AFTER by the whole source being done.
- An element is *doomed* when something that it needs failed, was cancelled or is doomed itself, and is not done. People
  see it as aborted. Doom is derived, never stored: a retry upstream lifts it by itself.
- A pool's task is whole when its mapper is, and all elements that exist are done (model/pools.py). How many exist
  follows from the accepted results of the mapper: ``lengths`` says what is to be merged into the pool's record.
- Whole edges are counted, not scanned, so that a fan-in of 10,000 costs 10,000 steps, not their square.

It follows the replica and does not know who runs what.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

import msgspec

from roost.core.queue.replica import Replica, TaskEntry
from roost.model.elements import NO_STATES, Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import TaskId
from roost.model.pools import above, behind, below, known_blocks
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.states import NO_LENGTH, Absent, Done, State
from roost.model.task import BY_ELEMENT, Edge, EdgeKind, TaskSpec


def needed_results(spec: TaskSpec, edge: Edge, source: TaskEntry, ranges: RangeSet) -> RangeSet:
    """Return the elements of an edge's source that must be done before these elements of a task can start."""
    levels = spec.depth - source.spec.depth
    match edge.kind:
        case EdgeKind.EACH | EdgeKind.SPREAD:
            return above(ranges, levels)
        case EdgeKind.GATHER:
            return below(ranges, -levels) & source.present
        case EdgeKind.ALL | EdgeKind.BROADCAST | EdgeKind.AFTER:
            return source.present


#: A chain goes on with one of the first; where much follows, looking on would cost more than it saves.
_FOLLOWERS_LOOKED_AT = 4
#: What most tasks have none of, kept once for all of them.
_NO_TASKS: Collection[TaskId] = frozenset()
#: Looking through so many sources takes no longer than finding one in a set, which takes more memory.
_FEW_SOURCES = 8


class Flow(msgspec.Struct, gc=False):
    """What dataflow keeps about one task. Sets that are not its own yet are copied before they change."""

    #: The edges over which each element has a source of its own.
    by_element: tuple[Edge, ...] = ()
    #: Sources of whole edges, and those of them that are not all done.
    whole: Collection[TaskId] = _NO_TASKS
    whole_missing: Collection[TaskId] = _NO_TASKS
    #: Sources of whole edges that lost an element.
    whole_lost: Collection[TaskId] = _NO_TASKS
    #: The mappers of sources that are pools: sources may leave memory before their targets do.
    mappers: tuple[TaskId, ...] = ()
    available: RangeSet = EMPTY
    doomed: RangeSet = EMPTY
    #: Tasks that have an edge from this one, or from a pool that it maps, in the order in which they were added.
    targets: dict[TaskId, None] = {}
    #: Those of them whose lengths are those of its lists; None until there is one.
    pools: dict[TaskId, None] | None = None


def _with(sources: Collection[TaskId], source: TaskId, *, there: bool) -> Collection[TaskId]:
    """Return the set with a source, or without it: the same one, unless it is shared."""
    if (source in sources) is there:
        return sources
    own = sources if isinstance(sources, set) else set(sources)
    if there:
        own.add(source)
    else:
        own.discard(source)
    return own or _NO_TASKS


class Dataflow:
    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._flows: dict[TaskId, Flow] = {}

    def add(self, entry: TaskEntry) -> None:
        """Follow a task whose sources are all in the replica already."""
        spec = entry.spec
        if not spec.edges:
            self._flows[spec.id] = Flow(available=spec.elements)
            return
        flow, is_fresh = self._follow_sources(spec)
        self._flows[spec.id] = flow
        if is_fresh and not flow.by_element and spec.mapper is None:
            return
        if not is_fresh:
            flow.mappers = self._mappers(spec)
            for name in flow.mappers:
                self._flows[name].targets[spec.id] = None
            for name in sorted(flow.whole):
                self._note_whole(flow, name)
        if spec.mapper is not None:
            mapping = self._flows[spec.mapper]
            mapping.pools = mapping.pools or {}
            mapping.pools[spec.id] = None
        self._recompute(spec.id)

    def _follow_sources(self, spec: TaskSpec) -> tuple[Flow, bool]:
        """Return a flow to which nothing has come; and whether nothing of the sources is done or lost, none is a pool.

        So it is when all came together. Then edges over which all of a source is needed are open, as the flow says.
        """
        tasks, flows, task, is_fresh = self._replica.tasks, self._flows, spec.id, True
        by_element: list[Edge] = []
        sources: list[TaskId] = []
        for edge in spec.edges:
            name = edge.source
            source, feeding = tasks[name], flows[name]
            feeding.targets[task] = None
            if source.elements is not NO_STATES or feeding.doomed is not EMPTY or source.spec.mapper is not None:
                is_fresh = False
            if edge.kind in BY_ELEMENT:
                by_element.append(edge)
            else:
                sources.append(name)
        whole = tuple(sources) if len(sources) <= _FEW_SOURCES else frozenset(sources)
        return Flow(tuple(by_element), whole, whole), is_fresh

    def waits(self, entry: TaskEntry) -> bool:
        """Whether nothing of a task that was just added can start, nor has any of it ended."""
        flow = self._flows[entry.spec.id]
        idle = flow.available is EMPTY and flow.doomed is EMPTY
        return idle and entry.elements is NO_STATES and entry.spec.mapper is None

    def drop(self, task: TaskId) -> None:
        """Forget a task that has ended, and whose targets have ended too."""
        sources = (edge.source for edge in self._replica.tasks[task].spec.edges)
        for name in (*sources, *self._flows[task].mappers):
            source = self._flows.get(name)
            if source is not None:
                source.targets.pop(task, None)
                if source.pools is not None:
                    source.pools.pop(task, None)
        del self._flows[task]

    def _mappers(self, spec: TaskSpec) -> tuple[TaskId, ...]:
        """Return the mappers of those sources of a task that are pools: their ends count for it, too."""
        found: dict[TaskId, None] = {}
        for edge in spec.edges:
            mapper = self._replica.tasks[edge.source].spec.mapper
            while mapper is not None and mapper not in found:
                found[mapper] = None
                mapper = self._replica.tasks[mapper].spec.mapper
        return tuple(found)

    def ready(self, task: TaskId) -> RangeSet:
        """Return the elements that nobody has and that could run now."""
        entry, flow = self._replica.tasks[task], self._flows[task]
        if flow.available is EMPTY:
            return EMPTY
        ready = entry.pending
        if flow.available is not entry.spec.elements:
            ready &= flow.available
        return ready - flow.doomed if flow.doomed else ready

    def doomed(self, task: TaskId) -> RangeSet:
        """Return the elements that need something that will not come, wherever they are themselves."""
        return self._flows[task].doomed

    def aborted(self, task: TaskId) -> RangeSet:
        """Return the elements that wait for something that will not come."""
        return self._replica.tasks[task].pending & self._flows[task].doomed

    def waiting(self, task: TaskId) -> RangeSet:
        entry, flow = self._replica.tasks[task], self._flows[task]
        return entry.pending - flow.available - flow.doomed

    def sole_follower(self, task: TaskId) -> TaskEntry | None:
        """Return a task of one element that waits for nothing but this one, if one of the first that it feeds does."""
        for target in islice(self._flows[task].targets, _FOLLOWERS_LOOKED_AT):
            flow, entry = self._flows[target], self._replica.tasks[target]
            waits_only = task in flow.whole_missing and not flow.by_element
            waits_only = waits_only and all(source == task for source in flow.whole)
            if waits_only and flow.doomed is EMPTY and entry.spec.elements == ONE and entry.spec.mapper is None:
                return entry
        return None

    def targets(self, task: TaskId) -> list[TaskId]:
        return list(self._flows[task].targets)

    def pools(self, task: TaskId) -> Iterator[TaskId]:
        """Yield the tasks of the pools that a task maps, and of those inside them: they end no sooner than it does."""
        for pool in self._flows[task].pools or ():
            yield pool
            yield from self.pools(pool)

    def aborted_behind(self, tasks: Iterable[TaskId]) -> list[TaskId]:
        """Return the tasks with aborted elements that these feed, directly or through others."""
        found: dict[TaskId, None] = {}
        pending = list(tasks)
        while pending:
            fed = [target for target in self._flows[pending.pop()].targets if target not in found]
            pending += fed
            found.update(dict.fromkeys(fed))
        return [task for task in found if self.aborted(task) or self._replica.tasks[task].spec.mapper is not None]

    def has_ended(self, task: TaskId) -> bool:
        entry = self._replica.tasks[task]
        pending, doomed = entry.pending, self._flows[task].doomed
        if entry.leased or (pending and (doomed is EMPTY or not pending.issubset(doomed))):
            return False
        return entry.spec.mapper is None or self.has_ended(entry.spec.mapper)

    def is_whole(self, task: TaskId) -> bool:
        """Whether all elements of a task are done, and no more of them will come."""
        entry = self._replica.tasks[task]
        if entry.spec.mapper is None:
            done = entry.done
            return bool(done) and len(done) == len(entry.spec.elements)
        return self.is_whole(entry.spec.mapper) and entry.done == entry.present

    def lengths(
        self, task: TaskId, states: Iterable[tuple[State, RangeSet]] | None = None
    ) -> Iterator[tuple[TaskId, Elements]]:
        """Yield what the pools that a task maps do not know yet of the lengths of its lists.

        ``states`` are the elements of the task to look at, by their states; all if none are given.
        """
        pools = self._flows[task].pools
        if not pools:
            return
        absent: dict[int, list[tuple[int, int]]] = {}
        for state, ranges in self._replica.tasks[task].elements.items() if states is None else states:
            if isinstance(state, Done) and state.length != NO_LENGTH:
                spans = absent.setdefault(state.edition, [])
                spans += (span for parent in ranges for span in behind(parent, state.length).spans())
        ends = Elements({Absent(edition=edition): RangeSet.of_spans(spans) for edition, spans in absent.items()})
        for pool in list(pools):
            news = ends.diff(self._replica.tasks[pool].elements)
            if news:
                yield pool, news

    def source_moved(self, task: TaskId) -> list[TaskId]:
        """Elements of ``task`` are done, lost, or no longer lost. Return the tasks whose ready set may have changed."""
        changed: dict[TaskId, None] = {}
        pending = [task]
        while pending:
            source = pending.pop()
            for target in self._flows[source].targets:
                flow = self._flows[target]
                for whole in self._whole_sources(flow, target, source):
                    self._note_whole(flow, whole)
                doomed_before, available_before = flow.doomed, flow.available
                self._recompute(target)
                if flow.doomed != doomed_before:
                    pending.append(target)
                if flow.doomed != doomed_before or flow.available != available_before:
                    changed[target] = None
        return list(changed)

    def _whole_sources(self, flow: Flow, target: TaskId, moved: TaskId) -> list[TaskId]:
        """Return the whole edges of a target that a move of this task may concern: its own, and those from pools."""
        own = [moved] if moved in flow.whole else []
        if not self._flows[moved].pools:
            return own
        edges = self._replica.tasks[target].spec.edges
        return own + [edge.source for edge in edges if edge.kind not in BY_ELEMENT and self._maps(moved, edge.source)]

    def _maps(self, mapper: TaskId, task: TaskId) -> bool:
        """Whether a task lies in a pool of this mapper, or in one inside it."""
        above_it = self._replica.tasks[task].spec.mapper
        return above_it is not None and (above_it == mapper or self._maps(mapper, above_it))

    def _note_whole(self, flow: Flow, source: TaskId) -> None:
        # What is not whole was before if a person has sent it back since.
        flow.whole_missing = _with(flow.whole_missing, source, there=not self.is_whole(source))
        flow.whole_lost = _with(flow.whole_lost, source, there=self._is_lost(source))

    def _is_lost(self, task: TaskId) -> bool:
        """Whether something of a task, or of what it would have been made of, will not come."""
        entry = self._replica.tasks[task]
        if self._lost(entry):
            return True
        return entry.spec.mapper is not None and self._is_lost(entry.spec.mapper)

    def _lost(self, entry: TaskEntry) -> RangeSet:
        """Return the elements that will not come, of those that exist or may turn out to."""
        lost = entry.lost
        doomed = self._flows[entry.spec.id].doomed
        if doomed is not EMPTY:
            # What was done before something that it needed was lost stays done, and can be taken.
            lost |= doomed - entry.done
        return lost - self._nonexistent(entry) if lost and entry.spec.mapper is not None else lost

    def _nonexistent(self, entry: TaskEntry) -> RangeSet:
        """Return the elements of a pool that do not exist, or lie below some that do not."""
        if entry.spec.mapper is None:
            return EMPTY
        return entry.absent | below(self._nonexistent(self._replica.tasks[entry.spec.mapper]))

    def _recompute(self, task: TaskId) -> None:
        entry = self._replica.tasks[task]
        flow, elements, depth = self._flows[task], entry.spec.elements, entry.spec.depth
        available, doomed = elements, EMPTY
        for edge in flow.by_element:
            source = self._replica.tasks[edge.source]
            if edge.kind is EdgeKind.GATHER:
                given, lost = self._gathered(source, source.spec.depth - depth)
            else:
                given, lost = source.done, self._lost(source)
                if source.spec.depth != depth:
                    inwards = depth - source.spec.depth
                    given, lost = below(given, inwards), below(lost, inwards)
            available &= given
            doomed |= lost & elements
        flow.available = EMPTY if flow.whole_missing else available
        flow.doomed = elements if flow.whole_lost else doomed

    def _gathered(self, source: TaskEntry, levels: int) -> tuple[RangeSet, RangeSet]:
        """Return the elements, so many pools further out, of which all below is done, and those of which some is lost.

        Of the source everything that exists must be done; further out, all that was mapped into the next pool.
        """
        complete, lost = source.done, self._lost(source)
        entry = source
        for _ in range(levels):
            assert entry.spec.mapper is not None, "a pool's task has a mapper"
            known = above(known_blocks(entry.absent))
            complete = known - above(entry.present - complete)
            mapper = self._replica.tasks[entry.spec.mapper]
            lost = above(lost) | self._lost(mapper)
            entry = mapper
        return complete, lost

    def check(self) -> None:
        for _ in self.checks():
            pass

    def checks(self) -> Iterator[None]:
        """Check in steps, between which tasks may come and go."""
        for task in [*self._flows]:
            flow = self._flows.get(task)
            if flow is None:
                continue
            whole = {edge.source for edge in self._replica.tasks[task].spec.edges if edge.kind not in BY_ELEMENT}
            missing = {source for source in whole if not self.is_whole(source)}
            lost = {source for source in whole if self._is_lost(source)}
            if missing != set(flow.whole_missing) or lost != set(flow.whole_lost):
                raise InvariantViolated(f"{task}: edges say {missing}, kept are {flow.whole_missing}")
            before = (flow.available, flow.doomed)
            self._recompute(task)
            if before != (flow.available, flow.doomed):
                raise InvariantViolated(f"{task}: available and doomed were {before}")
            for pool, news in self.lengths(task) if flow.pools else ():
                raise InvariantViolated(f"{pool} does not know of {news}, which the lists of {task} say")
            yield
