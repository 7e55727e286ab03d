"""``explain --cache``: what was taken over and from where, and why the rest was not.

What was not is compared with the nearest earlier element: that of the same index of the same step in the last run
before this one of the same workflow, or of the same name where elements are found by content. A node tells what it
knows; what another node did, it knows only as far as its records.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roost.executors.reuse.differences import part_differences, work_differences
from roost.executors.reuse.entries import Entry
from roost.model.elements import Elements
from roost.model.errors import NotFound, RoostError
from roost.model.ids import NodeId, RunId, TaskId, name_of, run_of, task_id
from roost.model.limits import REUSE_EARLIER_RUNS_MAX, REUSE_EXPLAINED_MAX
from roost.model.paths import shown_in
from roost.model.ranges import RangeSet
from roost.model.states import Cancelled, Done, Failed, State
from roost.model.task import Manual, Reuse, RunSpec, TaskSpec, Value
from roost.runtime.data.shelf import Shelf
from roost.runtime.journal.journal import Journal

_NOT_ASKED = {
    Reuse.OFF: "not taken over: nobody asked for it ('reuse: true' of the step does, and so does 'roost run --resume')",
    Reuse.KEPT: "not taken over: nobody asked for it; a later run with --resume may take it over",
    Reuse.FRESH: "not taken over: the run was started with --fresh",
    Reuse.NEVER: "not taken over: the step says 'reuse: false'",
}


class _Side(NamedTuple):
    """One of two tasks that are compared."""

    spec: TaskSpec
    elements: Elements
    entries: dict[int, Entry]


class ReuseReasons:
    def __init__(self, journal: Journal, shelf: Shelf, me: NodeId) -> None:
        self._journal = journal
        self._shelf = shelf
        self._me = me

    def explain(self, task: TaskId, index: int | None) -> list[str]:
        """Say it of a task, by groups of elements, or of one element."""
        spec = self._shelf.spec(task)
        flat = _without_lookup(spec)
        if flat is not None:
            return [flat]
        asked = self._asked(task, index)
        now = self._side(task, asked)
        before = self._before(now, asked)
        groups: dict[str, list[int]] = {}
        for element in asked:
            groups.setdefault(self._sentence(element, now, before, alone=index is not None), []).append(element)
        if index is not None:
            return [f"element {shown_in(spec, index)}: {sentence}" for sentence in groups]
        lines = [f"{len(members):,} of {len(asked):,} elements: {sentence}" for sentence, members in groups.items()]
        return lines or ["nothing of it is known yet"]

    def _asked(self, task: TaskId, index: int | None) -> RangeSet:
        if index is not None:
            return RangeSet.span(index, index + 1)
        spec = self._shelf.spec(task)
        elements = spec.elements if spec.mapper is None else self._shelf.elements(task).in_state(Done)
        return elements.take(REUSE_EXPLAINED_MAX)

    def _side(self, task: TaskId, asked: RangeSet) -> _Side:
        elements = self._shelf.elements(task)
        # Of two nodes that did an element, the one whose result was not accepted has noted something, too.
        entries = {
            index: noted.entry
            for index, noted in self._journal.entries(task, asked).items()
            if isinstance(state := elements.at(index), Done) and (state.token, state.node) == (noted.token, noted.node)
        }
        return _Side(self._shelf.spec(task), elements, entries)

    def _before(self, now: _Side, asked: RangeSet) -> _Side | None:
        """Find the same step in the last run before this one."""
        name = name_of(now.spec.id)
        for run in self._earlier_runs(now.spec):
            task = task_id(run, name)
            if self._journal.has_task(task):
                side = self._side(task, asked)
                return side._replace(entries=self._followed(side.entries))
        return None

    def _earlier_runs(self, spec: TaskSpec) -> Iterator[RunId]:
        """Yield earlier runs of the same workflow, or of the same name, the latest first."""
        runs = self._journal.run_ids()
        this = self._shelf.run_spec(spec.run)
        for other in self._specs(runs[: runs.index(this.id)]):
            if other.workflow == this.workflow if spec.reuse.by_place else other.name == this.name:
                yield other.id

    def _specs(self, runs: Sequence[RunId]) -> Iterator[RunSpec]:
        return map(self._shelf.run_spec, reversed(runs[-REUSE_EARLIER_RUNS_MAX:]))

    def has_run_of(self, workflow: str) -> bool:
        """Whether one of the last runs was one of this workflow."""
        return any(spec.workflow == workflow for spec in self._specs(self._journal.run_ids()))

    def _followed(self, entries: dict[int, Entry]) -> dict[int, Entry]:
        """Put in the place of what was taken over what it was taken from, which has the parts of the key."""
        origins: dict[str, list[int]] = {}
        for entry in entries.values():
            if entry.task:
                origins.setdefault(entry.task, []).append(entry.index)
        known = {task: self._journal.entries(TaskId(task), RangeSet.of(found)) for task, found in origins.items()}
        followed = dict(entries)
        for index, entry in entries.items():
            if entry.task and entry.index in known[entry.task]:
                followed[index] = known[entry.task][entry.index].entry
        return followed

    def _sentence(self, index: int, now: _Side, before: _Side | None, *, alone: bool) -> str:
        state, entry = now.elements.at(index), now.entries.get(index)
        if not isinstance(state, Done):
            return _how_it_stands(state)
        if state.reused:
            return self._taken_from(state, entry, alone=alone)
        if state.edition:
            return "not taken over: a person had it done again"
        if entry is None:
            return f"not taken over: it was done on {state.node}, which alone may know why"
        if entry.never:
            return f"not taken over: {entry.why}"
        return f"not taken over: {self._why(index, entry, now, before, alone=alone)}{_asked_others(entry)}"

    def _taken_from(self, state: Done, entry: Entry | None, *, alone: bool) -> str:
        if entry is None or not entry.task:
            return f"taken over by {state.node}, which knows from where"
        giver = f", which {entry.node} had" if entry.node else ""
        if not alone:
            return f"taken over from {entry.task}{giver}"
        return f"taken over from {entry.task} element {self._place(TaskId(entry.task), entry.index)}{giver}"

    def _place(self, task: TaskId, index: int) -> str:
        try:
            return shown_in(self._shelf.spec(task), index)
        except NotFound:
            # It was taken over from another node, and its run has never been heard of here.
            return str(index)

    def _why(self, index: int, entry: Entry, now: _Side, before: _Side | None, *, alone: bool) -> str:
        if before is None:
            return "no earlier run of this workflow has it" if now.spec.reuse.by_place else "it never ran before"
        run, state = before.spec.run, before.elements.at(index)
        if index not in before.spec.elements or state is None:
            return f"it never ran before; run {run} had no such element"
        if not isinstance(state, Done):
            return f"the earlier one, in run {run}, {_ending_of(state)}"
        earlier = before.entries.get(index)
        if earlier is None:
            return _not_kept(before.spec, state.node, self._me)
        differences = [*work_differences(before.spec.work, now.spec.work), *part_differences(earlier, entry)]
        if alone:
            differences += self._items_shown(index, now.spec, before.spec)
        if not before.spec.reuse.keeps or before.spec.reuse.by_place != now.spec.reuse.by_place:
            return f"in run {run} the step did not say 'reuse' as it does now, so that its result was kept otherwise"
        if differences:
            return f"since run {run} {'; '.join(differences)}"
        if earlier.why:
            return f"the result of run {run} was not kept for it: {earlier.why}"
        return f"nothing changed since run {run}, but its result was not there yet, or is no longer whole"

    def _items_shown(self, index: int, now: TaskSpec, before: TaskSpec) -> list[str]:
        if not (now.has_items and before.has_items):
            return []
        one = RangeSet.span(index, index + 1)
        try:
            was, is_now = (self._journal.items(spec.id, one)[0].values()[0] for spec in (before, now))
        except (RoostError, IndexError):
            return []
        if was == is_now or not was.isascii() or not is_now.isascii():
            return []
        return [f"the item was {was[:60].decode()}, is {is_now[:60].decode()}"]


def _asked_others(entry: Entry) -> str:
    """Say what became of asking other nodes for it."""
    if not entry.asked:
        return ""
    late = [f"{name} did not give it in time" for name in entry.silent]
    others = entry.asked - len(late)
    if others:
        has = "one other node was" if others == 1 else f"{others:,} other nodes were"
        late.insert(0, f"{has} asked and does not have it" if others == 1 else f"{has} asked, and none has it")
    return f"; {', and '.join(late)}"


def _without_lookup(spec: TaskSpec) -> str | None:
    """Say why nothing of a task can have been taken over; None if it could have been."""
    if isinstance(spec.work, Manual):
        return "not taken over: a person does it, and a person's word belongs to its run"
    if isinstance(spec.work, Value):
        return "a value; there is nothing to run"
    return _NOT_ASKED.get(spec.reuse)


def _how_it_stands(state: State | None) -> str:
    match state:
        case Failed():
            return "it failed, and failures are never taken over"
        case Cancelled():
            return "it was cancelled"
        case _:
            return "it has not run yet"


def _ending_of(state: State) -> str:
    match state:
        case Failed():
            return "failed"
        case Cancelled():
            return "was cancelled"
        case _:
            return "did not come to its end"


def _not_kept(spec: TaskSpec, maker: NodeId, me: NodeId) -> str:
    if spec.reuse is Reuse.OFF:
        return f"run {run_of(spec.id)} did not ask for it, so that its results were not kept for it"
    if spec.reuse is Reuse.NEVER:
        return f"in run {run_of(spec.id)} the step said 'reuse: false'"
    where = f"was done on {maker}" if maker != me else "was done before keys were kept"
    return f"that of run {run_of(spec.id)} {where}, and is not known here"
