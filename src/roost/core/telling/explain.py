"""Why is it not running, and why did it fail: the answer in words, with counts.

Whatever is ready waits on every node for a reason of that node's own. A node tells its own reasons only
(``why_not_started``); whoever explains something to a person asks the others for theirs (runtime/far/reasons.py).
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from roost.core.queue.draining import drains
from roost.core.telling.summaries import element_ranges, running_elements
from roost.core.telling.undecided import all_undecided, why_undecided
from roost.model.ids import NodeId, TaskId, name_of, run_number, run_of
from roost.model.limits import LENT_LANES_MAX, NAMED_MAX
from roost.model.paths import shown_in
from roost.model.ranges import EMPTY, RangeSet
from roost.model.resources import format_cpus, format_duration
from roost.model.states import Done, Leased
from roost.model.task import BY_ELEMENT, Manual
from roost.policy.match import reasons_never

if TYPE_CHECKING:
    from roost.core.node import Node

#: What other nodes say why they do not start something: nothing if they do not know it, None if they do not answer.
Reasons: TypeAlias = Mapping[NodeId, Sequence[str] | None]
NOBODY_ELSE: Reasons = {}


def explain(node: "Node", task: TaskId, index: int | None, elsewhere: Reasons = NOBODY_ELSE) -> list[str]:
    """Say where the elements of a task are and what they wait for; about one of them if ``index`` is given.

    ``elsewhere`` has the reasons of the other nodes among those that are ``asked_about``.
    """
    entry = node.replica.tasks[task]
    asked = entry.spec.elements if index is None else RangeSet.span(index, index + 1)
    lines = []
    for state, members in element_ranges(node, task).items():
        for part, sentences in _parts(node, task, state, members & asked, elsewhere):
            subject = (
                f"{len(part):,} of {len(entry.present):,} elements"
                if index is None
                else f"element {shown_in(entry.spec, index)}"
            )
            lines += [f"{subject}: {sentence}" for sentence in sentences]
    return lines


def asked_about(node: "Node", task: TaskId, index: int | None) -> list[NodeId]:
    """Return the nodes whose reasons are told for what is ready of a task; none if nothing is.

    They are the same whichever node explains it.
    """
    ready = node.ready(task) if task in node.replica.tasks else EMPTY
    return _speakers(node) if (ready if index is None else index in ready) else []


def _speakers(node: "Node") -> list[NodeId]:
    return sorted((node.name, *node.mesh.others))[:NAMED_MAX]


def why_not_started(node: "Node", task: TaskId) -> list[str] | None:
    """Say why this node does not start what is ready of a task; None if it does not know the task."""
    if task not in node.replica.tasks:
        return None
    return _why_not_started(node, task) if node.ready(task) else ["nothing of it is ready there any more"]


_Part: TypeAlias = tuple[RangeSet, list[str]]


def _parts(node: "Node", task: TaskId, state: str, part: RangeSet, elsewhere: Reasons) -> list[_Part]:
    """Return the elements in this state, with what is to be said of them; of what is ready, by who has it."""
    if state == "running" and node.replica.tasks[task].spec.voters:
        waiting = why_undecided(node, task, part)
        part -= all_undecided(node, task)
        return [*waiting, (part, _sentences(node, task, state, part))] if part else waiting
    if state != "ready" or isinstance(node.replica.tasks[task].spec.work, Manual):
        return [(part, _sentences(node, task, state, part))] if part else []
    parts: list[_Part] = []
    for leased, ranges in node.replica.tasks[task].elements.entries_within(part):
        if isinstance(leased, Leased):
            parts.append((ranges, [f"ready: {_why_in_lane(node, leased.node)}"]))
            part -= ranges
    return [*parts, (part, _on_each_node(node, task, elsewhere))] if part else parts


def _why_in_lane(node: "Node", holder: NodeId) -> str:
    if node.trouble and holder == node.name:
        return _why_in_trouble(node.trouble)
    return f"it is in a lane{f' of {holder}' if node.mesh.others else ''} and comes next"


def _why_in_trouble(trouble: str) -> str:
    return f"nothing starts while {trouble}"


def _on_each_node(node: "Node", task: TaskId, elsewhere: Reasons) -> list[str]:
    """Say, a line a node, why it is not started."""
    own = _why_not_started(node, task)
    if not node.mesh.others:
        return [f"ready: {reason}" for reason in own]
    reasons = {**elsewhere, node.name: own}
    named = _speakers(node)
    lines = [f"ready: on {name}: {_in_words(reasons.get(name))}" for name in named]
    more = 1 + len(node.mesh.others) - len(named)
    return [*lines, f"ready: and {more:,} more, which were not asked"] if more else lines


def _in_words(reasons: Sequence[str] | None) -> str:
    if reasons is None:
        return "it does not answer"
    return "; ".join(reasons) or "it has not heard of it yet"


def _sentences(node: "Node", task: TaskId, state: str, part: RangeSet) -> list[str]:
    match state:
        case "waiting":
            return [f"waiting: {reason}" for reason in _missing(node, task)]
        case "ready":
            return [f"ready: {_waits_for_a_person(node, task, part)}"]
        case "running":
            return [f"running: {_running_where(node, task, part)}"]
        case "suspended":
            return [_why_suspended(node, task)]
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
    place = name if len(entry.present) == 1 else f"{name}/{shown_in(entry.spec, part.first)}"
    return f"waits for a person{who}; 'roost complete {run_number(entry.spec.run)} {place}' answers it"


def _why_suspended(node: "Node", task: TaskId) -> str:
    if node.replica.runs[run_of(task)].suspended:
        return "suspended by a person; 'roost resume' lets it go on"
    offered = node.scheduler.lanes.capacity.cpus
    return f"frozen on {node.name}, which offers {format_cpus(offered)} now; it goes on when there is room"


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
    held = node.disk_pressure.why_held(task, node.now)
    if node.trouble and (held is None or node.tickets.trouble):
        return [_why_in_trouble(node.trouble)]
    if node.draining.on:
        return [_why_drained(node)]
    spec, lanes = node.replica.tasks[task].spec, node.scheduler.lanes
    never = reasons_never(spec, lanes.capacity)
    if never:
        return [f"this node will not take it: {reason}" for reason in never]
    if held is not None:
        return [held]
    ahead = node.scheduler.position(task)
    reasons = _far_inputs(node, task)
    if not lanes.fits(spec.needs):
        others = sum(not lane.lent for lane in lanes.open_lanes.values())
        reasons.append(
            f"it needs {format_cpus(spec.needs.cpus)}, and {max(lanes.free.cpus, 0):g} of {lanes.capacity.cpus:g} are "
            f"free; {others} other {'element runs' if others == 1 else 'elements run'}"
        )
        if unlent := node.lending.unlent:
            reasons.append(
                f"{unlent:,} of them only wait for other work, and keep their processors because {LENT_LANES_MAX} that "
                "wait, which is the limit, have lent theirs"
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
    if node.mesh.members is None and node.inventory.is_whole:
        return []
    spec = node.replica.tasks[task].spec
    lacking = node.inventory.lacking(spec, node.ready(task))
    holders = {spec.submitted.node: None} if lacking.items or lacking.blobs else {}
    for source, ranges in lacking.results:
        made = node.replica.tasks[source].elements.entries_within(ranges)
        holders |= {state.node: None for state, _ in made if isinstance(state, Done)}
    where = {holder: "" if holder in node.mesh.others else ", which is away" for holder in sorted(holders)}
    return [
        f"it needs data that {holder} has{away}"
        if holder != node.name
        else "it needs data that was damaged on this disk, and that no node that is here has"
        for holder, away in where.items()
    ]


def _running_where(node: "Node", task: TaskId, part: RangeSet) -> str:
    """Say where elements run, and on each node for how long at most."""
    longest: dict[NodeId, float] = {}
    for element in running_elements(node, task):
        if element.index in part:
            longest[element.node] = max(longest.get(element.node, 0.0), element.seconds or 0.0)
    places = ", ".join(
        f"on {name} for {format_duration(seconds)}" if seconds else f"on {name}"
        for name, seconds in sorted(longest.items())
    )
    fronts = [lane.front for lane in node.scheduler.lanes.open_lanes.values() if lane.front.spec.id == task]
    waiting = sum(node.lending.waits(lease) for lease in fronts if lease.outstanding.first in part)
    if not waiting:
        return places
    who = "it waits" if len(part) == 1 else f"{waiting:,} of them wait"
    return f"{places}; {who} for other work, which may have the processors meanwhile"
