"""Why is it not running, and why did it fail: the answer in words, with counts.

Whatever is ready waits on every node for a reason of that node's own. A node tells its own reasons only
(``why_not_started``); whoever explains something to a person asks the others for theirs (runtime/far/reasons.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from roost.core.data.inventory import Inventory
from roost.core.peers import Peers
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.disk_pressure import DiskPressure
from roost.core.queue.draining import Draining
from roost.core.queue.expectations import Expectations
from roost.core.queue.fair_queue import FairQueue
from roost.core.queue.leasing import Claims
from roost.core.queue.lending import Lending
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import Replica
from roost.core.queue.scheduler import Scheduler
from roost.core.telling.summaries import Summaries
from roost.core.telling.undecided import Undecided
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.downed import has_failed, in_words, why_failed
from roost.model.ids import NodeId, TaskId, name_of, run_number, run_of
from roost.model.limits import LENT_LANES_MAX, NAMED_MAX
from roost.model.paths import shown_in
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.resources import format_amount, format_cpus, format_duration, format_quantity
from roost.model.states import Done, Failed, Leased, downed_in
from roost.model.task import BY_ELEMENT, Manual, Needs
from roost.policy.match import reasons_never

#: What other nodes say why they do not start something: nothing if they do not know it, None if they do not answer.
Reasons: TypeAlias = Mapping[NodeId, Sequence[str] | None]
NOBODY_ELSE: Reasons = {}
_Part: TypeAlias = tuple[RangeSet, list[str]]


class Explanations:
    def __init__(
        self,
        turn: Turn,
        *,
        peers: Peers,
        tickets: Tickets,
        replica: Replica,
        dataflow: Dataflow,
        scheduler: Scheduler,
        fair_queue: FairQueue,
        expectations: Expectations,
        readiness: Readiness,
        disk_pressure: DiskPressure,
        draining: Draining,
        lending: Lending,
        inventory: Inventory,
        summaries: Summaries,
        undecided: Undecided,
        claims: Claims,
    ) -> None:
        self._turn = turn
        self._peers = peers
        self._tickets = tickets
        self._replica = replica
        self._dataflow = dataflow
        self._scheduler = scheduler
        self._queue = fair_queue
        self._expectations = expectations
        self._lanes = scheduler.lanes
        self._readiness = readiness
        self._disk_pressure = disk_pressure
        self._draining = draining
        self._lending = lending
        self._inventory = inventory
        self._summaries = summaries
        self._undecided = undecided
        self._claims = claims

    def explain(self, task: TaskId, index: int | None, elsewhere: Reasons = NOBODY_ELSE) -> list[str]:
        """Say where the elements of a task are and what they wait for; about one of them if ``index`` is given.

        ``elsewhere`` has the reasons of the other nodes among those that are ``asked_about``.
        """
        entry = self._replica.tasks[task]
        asked = entry.spec.elements if index is None else RangeSet.span(index, index + 1)
        lines = []
        for state, members in self._summaries.element_ranges(task).items():
            for part, sentences in self._parts(task, state, members & asked, elsewhere):
                subject = (
                    f"{len(part):,} of {len(entry.present):,} elements"
                    if index is None
                    else f"element {shown_in(entry.spec, index)}"
                )
                lines += [f"{subject}: {sentence}" for sentence in sentences]
        return lines

    def asked_about(self, task: TaskId, index: int | None) -> list[NodeId]:
        """Return the nodes whose reasons are told for what is ready of a task; none if nothing is.

        They are the same whichever node explains it.
        """
        ready = self._readiness.ready(task) if task in self._replica.tasks else EMPTY
        return self._speakers() if (ready if index is None else index in ready) else []

    def _speakers(self) -> list[NodeId]:
        return sorted((self._turn.name, *self._peers.others))[:NAMED_MAX]

    def why_not_started(self, task: TaskId) -> list[str] | None:
        """Say why this node does not start what is ready of a task; None if it does not know the task."""
        if task not in self._replica.tasks:
            return None
        return self._why_not_started(task) if self._readiness.ready(task) else ["nothing of it is ready there any more"]

    def _parts(self, task: TaskId, state: str, part: RangeSet, elsewhere: Reasons) -> list[_Part]:
        """Return the elements in this state, with what is to be said of them; of what is ready, by who has it."""
        spec = self._replica.tasks[task].spec
        if state == "running" and (spec.voters or spec.agreement):
            waiting = self._undecided.why(task, part)
            part -= self._undecided.all(task)
            return [*waiting, (part, self._sentences(task, state, part))] if part else waiting
        if state != "ready" or isinstance(self._replica.tasks[task].spec.work, Manual):
            return [(part, self._sentences(task, state, part))] if part else []
        parts: list[_Part] = []
        for leased, ranges in self._replica.tasks[task].elements.entries_within(part):
            if isinstance(leased, Leased):
                parts.append((ranges, [f"ready: {self._why_in_lane(task, leased.node)}"]))
                part -= ranges
        parts += self._downed(task, part)
        return [*parts, (part, self._on_each_node(task, elsewhere))] if part else parts

    def _why_in_lane(self, task: TaskId, holder: NodeId) -> str:
        if self._readiness.trouble and holder == self._turn.name:
            return _why_in_trouble(self._readiness.trouble)
        ahead = self._claims.why(task) if self._is_ahead(task) else None
        where = f"it is in a lane{f' of {holder}' if self._peers.others else ''} and comes next"
        return where if ahead is None else f"{where}: {ahead}"

    def _is_ahead(self, task: TaskId) -> bool:
        """Whether a lane has a task before that is ready."""
        leases = (lease for lane in self._lanes.open_lanes.values() for lease in lane.leases.values())
        return any(lease.behind and lease.spec.id == task for lease in leases)

    def _on_each_node(self, task: TaskId, elsewhere: Reasons) -> list[str]:
        """Say, a line a node, why it is not started."""
        own = self._why_not_started(task)
        if not self._peers.others:
            return [f"ready: {reason}" for reason in own]
        reasons = {**elsewhere, self._turn.name: own}
        named = self._speakers()
        lines = [f"ready: on {name}: {_in_words(reasons.get(name))}" for name in named]
        more = 1 + len(self._peers.others) - len(named)
        return [*lines, f"ready: and {more:,} more, which were not asked"] if more else lines

    def _sentences(self, task: TaskId, state: str, part: RangeSet) -> list[str]:
        match state:
            case "waiting":
                return [f"waiting: {reason}" for reason in self._missing(task)]
            case "ready":
                return [f"ready: {self._waits_for_a_person(task, part)}"]
            case "running":
                return [f"running: {self._running_where(task, part)}", *self._expected(task)]
            case "suspended":
                return [self._why_suspended(task)]
            case "failed":
                return self._why_failed(task, part)
            case "aborted":
                return [f"aborted: {reason}" for reason in self._doom(task)]
            case _:
                return [state]

    def _why_failed(self, task: TaskId, part: RangeSet) -> list[str]:
        entry = self._replica.tasks[task]
        retried = f"failed, after {entry.spec.retries} retries"
        fatal = [state.downed for state, _ in entry.elements.entries_within(part) if isinstance(state, Failed)]
        reasons = dict.fromkeys(f"failed: {why_failed(one)}" if has_failed(one) else retried for one in fatal)
        return [f"{reason}; 'roost retry' tries it again" for reason in reasons]

    def _downed(self, task: TaskId, part: RangeSet) -> list[_Part]:
        """Say of those with which nodes have gone down, with which."""
        entries = self._replica.tasks[task].elements.entries_within(part) if task in self._replica.marked else []
        return [(ranges, [f"ready: {in_words(downed)}"]) for state, ranges in entries if (downed := downed_in(state))]

    def _waits_for_a_person(self, task: TaskId, part: RangeSet) -> str:
        entry = self._replica.tasks[task]
        work, name = entry.spec.work, name_of(task)
        who = f" ({', '.join(work.who)})" if isinstance(work, Manual) and work.who else ""
        place = name if len(entry.present) == 1 else f"{name}/{shown_in(entry.spec, part.first)}"
        return f"waits for a person{who}; 'roost complete {run_number(entry.spec.run)} {place}' answers it"

    def _why_suspended(self, task: TaskId) -> str:
        if self._replica.runs[run_of(task)].suspended:
            return "suspended by a person; 'roost resume' lets it go on"
        offered = self._lanes.capacity.cpus
        return f"frozen on {self._turn.name}, which offers {format_cpus(offered)} now; it goes on when there is room"

    def _missing(self, task: TaskId) -> list[str]:
        reasons = []
        for edge in self._replica.tasks[task].spec.edges:
            source = self._replica.tasks[edge.source]
            missing = len(source.present) - len(source.done)
            if missing:
                how = "its own element of" if edge.kind in BY_ELEMENT else "all of"
                reasons.append(f"it needs {how} '{_named(edge.source, task)}', of which {missing:,} are not done")
        return reasons or ["its inputs are on their way"]

    def _doom(self, task: TaskId) -> list[str]:
        reasons = []
        for edge in self._replica.tasks[task].spec.edges:
            source = self._replica.tasks[edge.source]
            lost = len(source.lost) + len(self._dataflow.aborted(edge.source))
            if lost:
                source_name = _named(edge.source, task)
                reasons.append(f"it needs '{source_name}', of which {lost:,} failed, were cancelled or aborted")
        return reasons

    def _why_not_started(self, task: TaskId) -> list[str]:
        held = self._disk_pressure.why_held(task, self._turn.now)
        if self._readiness.trouble and (held is None or self._tickets.trouble):
            return [_why_in_trouble(self._readiness.trouble)]
        if self._draining.on:
            return [self._why_drained()]
        spec, lanes = self._replica.tasks[task].spec, self._lanes
        never = reasons_never(spec, lanes.capacity)
        if never:
            return [f"this node will not take it: {reason}" for reason in never]
        if held is not None:
            return [held]
        if done_here := self._readiness.why_not_again(task):
            return [done_here]
        reasons = self._far_inputs(task)
        if not lanes.fits(spec.needs):
            others = sum(not lane.lent for lane in lanes.open_lanes.values())
            run = f"{others} other {'element runs' if others == 1 else 'elements run'}"
            reasons += [f"{lack}; {run}" for lack in self._lacking(spec.needs)]
            if unlent := self._lending.unlent:
                reasons.append(
                    f"{unlent:,} of them only wait for other work, and keep their processors because {LENT_LANES_MAX} "
                    "that wait, which is the limit, have lent theirs"
                )
        reasons += self._ahead(task)
        if asked := self._claims.unanswered(task):
            what = "it" if self._replica.tasks[task].spec.elements == ONE else f"{len(asked):,} of them"
            reasons.append(f"this node has asked for {what}, and waits for the answer")
        return self._with_what_it_wants(task, reasons)

    def _ahead(self, task: TaskId) -> Iterator[str]:
        """Say what goes before a task, and if several users take turns, whose turn it is."""
        ahead = self._queue.position(task)
        if ahead is None:
            return
        shares = self._queue.shares()
        if len(shares) == 1:
            if ahead:
                yield f"{ahead} {'task is' if ahead == 1 else 'tasks are'} ahead of it in the queue"
            return
        owner = self._replica.owner_of(run_of(task))
        if ahead:
            yield f"{ahead} of {owner}'s own tasks {'is' if ahead == 1 else 'are'} ahead of it in the queue"
        if next(iter(shares)) != owner:
            first = [f"{user} {format_duration(had_s)}" for user, had_s in shares.items()][:NAMED_MAX]
            more = f" and {len(shares) - len(first):,} more" if len(shares) > len(first) else ""
            yield (
                f"this is {owner}'s, and it is the turn of {next(iter(shares))}: users take turns by what counts for "
                f"each, in time of a processor ({', '.join(first)}{more})"
            )

    def _with_what_it_wants(self, task: TaskId, reasons: list[str]) -> list[str]:
        """Add what the policy of this node wants of a task, and what became of that."""
        if lost := self._claims.why_lost(task):
            reasons.append(lost)
        why, why_not = self._claims.why(task), self._claims.why_abstains()
        if why is None and why_not is not None:
            reasons.append(f"this node leaves it for now: {why_not}")
        elif why is not None and reasons:
            reasons.append(f"this node wants it: {why}")
        return reasons or [why or "it starts now"]

    def _lacking(self, needs: Needs) -> Iterator[str]:
        """Say of which quantities too little is free now."""
        free, whole = self._lanes.free, self._lanes.capacity
        for name, amount in free.lacking_for(needs):
            left, all_of_it = (format_amount(name, max(of.quantities.get(name, 0), 0)) for of in (free, whole))
            yield f"it needs {format_quantity(name, amount)}, and {left} of {all_of_it} are free"

    def _why_drained(self) -> str:
        others = self._peers.others
        if self._peers.may_be_unnamed or any(not self._peers.drains(other) for other in others):
            return "this node drains and takes nothing; the others may"
        who = f"all {len(others) + 1} nodes drain" if others else "this node drains, and no other is there"
        return f"{who}, so nothing starts; 'roost drain --off' lets this one work again"

    def _far_inputs(self, task: TaskId) -> list[str]:
        """Say who has inputs that are not here, and whether he is away."""
        if not self._peers.on_network and self._inventory.is_whole:
            return []
        spec = self._replica.tasks[task].spec
        lacking = self._inventory.lacking(spec, self._readiness.ready(task))
        holders = {spec.submitted.node: None} if lacking.items or lacking.blobs else {}
        for source, ranges in lacking.results:
            made = self._replica.tasks[source].elements.entries_within(ranges)
            holders |= {state.node: None for state, _ in made if isinstance(state, Done)}
        where = {holder: "" if holder in self._peers.others else ", which is away" for holder in sorted(holders)}
        return [
            f"it needs data that {holder} has{away}"
            if holder != self._turn.name
            else "it needs data that was damaged on this disk, and that no node that is here has"
            for holder, away in where.items()
        ]

    def _expected(self, task: TaskId) -> Iterator[str]:
        """Say how long an element takes, where whoever handed it in has stated a length."""
        spec = self._replica.tasks[task].spec
        expected = self._expectations.of(spec)
        if expected is not None and spec.stated_s is not None:
            length, low, high, stated = map(
                format_duration, (expected.length_s, expected.low_s, expected.high_s, spec.stated_s)
            )
            yield f"running: about {length} are expected here, likely {low} to {high}; {stated} were stated"

    def _running_where(self, task: TaskId, part: RangeSet) -> str:
        """Say where elements run, and on each node for how long at most."""
        longest: dict[NodeId, float] = {}
        for element in self._summaries.running_elements(task):
            if element.index in part:
                longest[element.node] = max(longest.get(element.node, 0.0), element.seconds or 0.0)
        places = ", ".join(
            f"on {name} for {format_duration(seconds)}" if seconds else f"on {name}"
            for name, seconds in sorted(longest.items())
        )
        fronts = [lane.front for lane in self._lanes.open_lanes.values() if lane.front.spec.id == task]
        waiting = sum(self._lending.waits(lease) for lease in fronts if lease.outstanding.first in part)
        if not waiting:
            return places
        who = "it waits" if len(part) == 1 else f"{waiting:,} of them wait"
        return f"{places}; {who} for other work, which may have the processors meanwhile"


def _why_in_trouble(trouble: str) -> str:
    return f"nothing starts while {trouble}"


def _in_words(reasons: Sequence[str] | None) -> str:
    if reasons is None:
        return "it does not answer"
    return "; ".join(reasons) or "it has not heard of it yet"


def _named(source: TaskId, task: TaskId) -> str:
    """Return the name of a task as the reader of another one knows it: with its run, if that is not the same."""
    return name_of(source) if run_of(source) == run_of(task) else source
