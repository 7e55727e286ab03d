"""Why is it not running, and why did it fail: the answer in words, with counts."""

from typing import TYPE_CHECKING

from roost.core.draining import drains
from roost.core.report import element_ranges, running_elements
from roost.model.ids import NodeId, TaskId, name_of, run_number, run_of
from roost.model.ranges import RangeSet
from roost.model.resources import format_cpus, format_duration
from roost.model.states import Done
from roost.model.task import BY_ELEMENT, Manual
from roost.policy.match import reasons_never

if TYPE_CHECKING:
    from roost.core.node import Node


def explain(node: "Node", task: TaskId, index: int | None) -> list[str]:
    """Say where the elements of a task are and what they wait for; about one of them if ``index`` is given."""
    entry = node.replica.tasks[task]
    asked = entry.spec.elements if index is None else RangeSet.span(index, index + 1)
    lines = []
    for state, members in element_ranges(node, task).items():
        part = members & asked
        if part:
            subject = f"{len(part):,} of {len(entry.present):,} elements" if index is None else f"element {index}"
            lines += [f"{subject}: {sentence}" for sentence in _sentences(node, task, state, part)]
    return lines


def _sentences(node: "Node", task: TaskId, state: str, part: RangeSet) -> list[str]:
    match state:
        case "waiting":
            return [f"waiting: {reason}" for reason in _missing(node, task)]
        case "ready" if isinstance(node.replica.tasks[task].spec.work, Manual):
            return [f"ready: {_waits_for_a_person(node, task, part)}"]
        case "ready":
            # Another node may have other reasons, and may start it.
            where = f"on {node.name}: " if node.mesh.others else ""
            return [f"ready: {where}{reason}" for reason in _why_not_started(node, task)]
        case "running":
            return [f"running: {_running_where(node, task, part)}"]
        case "suspended":
            return ["suspended by a person; 'roost resume' lets it go on"]
        case "failed":
            return [f"failed, after {node.replica.tasks[task].spec.retries} retries; 'roost retry' tries it again"]
        case "aborted":
            return [f"aborted: {reason}" for reason in _doom(node, task)]
        case _:
            return [state]


def _waits_for_a_person(node: "Node", task: TaskId, part: RangeSet) -> str:
    entry = node.replica.tasks[task]
    work, name = entry.spec.work, name_of(task)
    who = f" ({', '.join(work.who)})" if isinstance(work, Manual) and work.who else ""
    place = name if len(entry.present) == 1 else f"{name}/{part.first}"
    return f"waits for a person{who}; 'roost complete {run_number(entry.spec.run)} {place}' answers it"


def _missing(node: "Node", task: TaskId) -> list[str]:
    reasons = []
    for edge in node.replica.tasks[task].spec.edges:
        source = node.replica.tasks[edge.source]
        missing = len(source.present) - len(source.done)
        if missing:
            how = "its own element of" if edge.kind in BY_ELEMENT else "all of"
            reasons.append(f"it needs {how} '{_named(edge.source, task)}', of which {missing:,} are not done")
    return reasons or ["its inputs are on their way"]


def _doom(node: "Node", task: TaskId) -> list[str]:
    reasons = []
    for edge in node.replica.tasks[task].spec.edges:
        source = node.replica.tasks[edge.source]
        lost = len(source.lost) + len(node.dataflow.aborted(edge.source))
        if lost:
            source_name = _named(edge.source, task)
            reasons.append(f"it needs '{source_name}', of which {lost:,} failed, were cancelled or aborted")
    return reasons


def _named(source: TaskId, task: TaskId) -> str:
    """Return the name of a task as the reader of another one knows it: with its run, if that is not the same."""
    return name_of(source) if run_of(source) == run_of(task) else source


def _why_not_started(node: "Node", task: TaskId) -> list[str]:
    if node.tickets.trouble:
        return [f"nothing starts while this node cannot write its journal ({node.tickets.trouble})"]
    if node.draining.on:
        return [_why_drained(node)]
    spec, lanes = node.replica.tasks[task].spec, node.scheduler.lanes
    never = reasons_never(spec, lanes.capacity)
    if never:
        return [f"this node will not take it: {reason}" for reason in never]
    ahead = node.scheduler.position(task)
    if ahead is None:
        return ["it is in a lane and comes next"]
    reasons = _far_inputs(node, task)
    if not lanes.fits(spec.needs):
        others = len(lanes.open_lanes)
        reasons.append(
            f"it needs {format_cpus(spec.needs.cpus)}, and {max(lanes.free.cpus, 0):g} of {lanes.capacity.cpus:g} are "
            f"free; {others} other {'element runs' if others == 1 else 'elements run'}"
        )
    if ahead:
        reasons.append(f"{ahead} {'task is' if ahead == 1 else 'tasks are'} ahead of it in the queue")
    return reasons or ["it starts now"]


def _why_drained(node: "Node") -> str:
    others = node.mesh.others
    if any(not drains(node, other) for other in others):
        return "this node drains and takes nothing; the others may"
    who = f"all {len(others) + 1} nodes drain" if others else "this node drains, and no other is there"
    return f"{who}, so nothing starts; 'roost drain --off' lets this one work again"


def _far_inputs(node: "Node", task: TaskId) -> list[str]:
    """Say who has inputs that are not here, and whether he is away."""
    if node.mesh.members is None:
        return []
    spec = node.replica.tasks[task].spec
    lacking = node.stock.lacking(spec, node.ready(task))
    holders = {spec.submitted.node: None} if lacking.items or lacking.blobs else {}
    for source, ranges in lacking.results:
        made = node.replica.tasks[source].elements.entries_within(ranges)
        holders |= {state.node: None for state, _ in made if isinstance(state, Done)}
    return [
        f"it needs data that {holder} has" + ("" if holder in node.mesh.others else ", which is away")
        for holder in sorted(holders)
        if holder != node.name
    ]


def _running_where(node: "Node", task: TaskId, part: RangeSet) -> str:
    """Say where elements run, and on each node for how long at most."""
    longest: dict[NodeId, float] = {}
    for element in running_elements(node, task):
        if element.index in part:
            longest[element.node] = max(longest.get(element.node, 0.0), element.seconds or 0.0)
    return ", ".join(
        f"on {name} for {format_duration(seconds)}" if seconds else f"on {name}"
        for name, seconds in sorted(longest.items())
    )
