"""Merging: what other nodes tell, by whatever medium, becomes part of what is known here.

Rules
- It is merged at once and written without haste: it is safe where it comes from. People are told when it is on disk.
- What is told may name tasks that are not known here: their specs were lost on the way. They are left out, and the
  medium hears of them (``Unknown``).
- What has failed for good stays so until a person asks for a retry. Whoever has not heard of it may take it again, and
  his lease is the larger state; who knows better says that this attempt has failed, too. So it is with an element that
  nodes have gone down with: who knows of them adds them to the lease of who does not.
"""

from collections.abc import Iterable
from typing import Protocol

from msgspec.structs import replace

from roost.core.actions import Notify, RunChanged, TaskChanged
from roost.core.data.inventory import Inventory
from roost.core.data.re_replication import ReReplication
from roost.core.facts import (
    BlobStored,
    Fact,
    FailureNoted,
    ItemsStored,
    ResultsStored,
    RunMerged,
    StatesMerged,
    TaskAdded,
    Worked,
)
from roost.core.holdings import Brought
from roost.core.origin import HEARD, STILL_FAILED
from roost.core.queue.applying import Applying
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.digests import Digests
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.queue.leases import Leases
from roost.core.queue.replica import Phase, Replica, phase_of
from roost.core.tickets import News
from roost.core.turn import Turn
from roost.model.clock import Stamp
from roost.model.downed import joined
from roost.model.elements import Elements
from roost.model.ids import TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.spans import Span
from roost.model.states import Done, Failed, Leased, Released, State, downed_in
from roost.model.task import TaskSpec
from roost.wire.messages import Facts


class Taken:
    """What one message of another node has changed here."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.runs: list[tuple[RunRecord | None, RunRecord]] = []
        self.tasks: list[TaskSpec] = []
        self.moved: list[tuple[TaskId, list[tuple[State, RangeSet]]]] = []
        self.brought: list[Brought] = []

    def blob(self, fact: BlobStored, stock: Inventory) -> None:
        self._bring(fact, Brought(blobs=(fact.hash,)), stock)

    def items(self, fact: ItemsStored, fresh: RangeSet, stock: Inventory) -> None:
        self._bring(fact, Brought(items=((fact.task, fresh),)), stock)

    def results(self, fact: ResultsStored, fresh: RangeSet, stock: Inventory) -> None:
        self._bring(fact, Brought(results=((fact.task, fact.token, fact.node, fresh),)), stock)

    def _bring(self, fact: Fact, brought: Brought, stock: Inventory) -> None:
        self.facts.append(fact)
        self.brought.append(brought)
        stock.add(brought)

    def all_brought(self) -> Brought:
        return Brought(
            tuple(part for brought in self.brought for part in brought.items),
            tuple(part for brought in self.brought for part in brought.results),
            tuple(blob for brought in self.brought for blob in brought.blobs),
        )

    def news(self) -> News:
        """Return what people are to be told of it."""
        words = [(after.spec.id, word) for before, after in self.runs for word in switched(before, after)]
        return News(
            tuple(after.spec.id for _, after in self.runs),
            tuple(words),
            tuple(spec.id for spec in self.tasks),
            tuple((task, Elements(dict(moved))) for task, moved in self.moved),
        )


class Unknown(Protocol):
    """Tasks that are named and not known here."""

    def ask_about(self, task: TaskId) -> None: ...
    def answered(self, task: TaskId) -> None: ...


class Merging:
    def __init__(
        self,
        turn: Turn,
        *,
        replica: Replica,
        dataflow: Dataflow,
        leases: Leases,
        applying: Applying,
        inventory: Inventory,
        digests: Digests,
        forgotten: ForgottenRuns,
        unknown: Unknown,
        re_replication: ReReplication,
    ) -> None:
        self._turn = turn
        self._replica = replica
        self._dataflow = dataflow
        self._leases = leases
        self._applying = applying
        self._inventory = inventory
        self._digests = digests
        self._forgotten = forgotten
        self._unknown = unknown
        self._re_replication = re_replication

    def take(self, facts: Facts, worked: Iterable[Span] = ()) -> Taken:
        """Merge what another node told; return what that has changed, which is to be written."""
        taken = Taken()
        for run in facts.runs:
            self._take_run(run, taken)
        for spec in facts.tasks:
            self._take_task(spec, taken)
        self._take_data(facts, taken)
        for task, delta in facts.states:
            self._take_states(task, delta, facts.at, taken)
        for task, index, token, failure in facts.failures:
            entry = self._replica.tasks.get(task)
            if entry is not None and index in entry.spec.elements:
                taken.facts.append(FailureNoted(task, index, token, failure))
        taken.facts += [Worked(span) for span in worked if span.task in self._replica.tasks]
        return taken

    def tell(self, news: News) -> None:
        """What others told is on this disk: pass on what has not been overtaken since."""
        for run, word in news.words:
            self._turn.act(Notify(RunChanged(run, word)))
        new_runs = {run for run, word in news.words if word == "added"}
        for task in news.tasks:
            entry = self._replica.tasks.get(task)
            if entry is not None and entry.spec.run not in new_runs:
                self._turn.act(Notify(TaskChanged(task, "added", entry.present)))
        for task, moved in news.moved:
            now = self._replica.tasks[task].elements
            self._applying.tell(task, [(state, ranges & now.in_exactly(state)) for state, ranges in moved.items()])

    def _take_run(self, record: RunRecord, taken: Taken) -> None:
        run = record.spec.id
        known = self._replica.runs.get(run)
        before = None if known is None else known.record
        if before is not None and before.spec != record.spec:
            # Two nodes gave out one id, which is as unlikely as it is hopeless; ours stays ours.
            return
        merged = record if before is None else before.merge(record)
        if merged == before:
            return
        taken.facts.append(RunMerged(merged))
        taken.runs.append((before, merged))
        self._replica.add_run(record)
        self._digests.run_changed(run)
        if before is not None and merged.returned != before.returned:
            self._re_replication.returned(run)

    def _take_task(self, spec: TaskSpec, taken: Taken) -> None:
        if spec.id in self._replica.tasks:
            # Another has told it to whoever asked (DICE: one answers), so this node need not.
            self._unknown.answered(spec.id)
            return
        missing = [edge.source for edge in spec.edges if edge.source not in self._replica.tasks]
        if not self._forgotten.is_empty:
            # What is about to be forgotten comes back from others, if this is right to build on it.
            missing += [edge.source for edge in spec.edges if self._forgotten.is_going(run_of(edge.source))]
        if missing or spec.run not in self._replica.runs:
            for task in missing or [spec.id]:
                self._unknown.ask_about(task)
            return
        taken.facts.append(TaskAdded(spec))
        taken.tasks.append(spec)
        self._unknown.answered(spec.id)
        self._digests.task_changed(spec.id)
        self._applying.follow(TaskRecord(spec))
        self._turn.touch(spec.id)

    def _take_data(self, facts: Facts, taken: Taken) -> None:
        """Take the data of known elements that is not here yet."""
        stock, known = self._inventory, self._replica.tasks
        for blob, content in facts.blobs:
            if not stock.has_blob(blob):
                taken.blob(BlobStored(blob, content), stock)
        for task, segment in facts.items:
            fresh = segment.ranges - stock.items(task)
            if fresh and task in known and segment.ranges.issubset(known[task].spec.elements):
                taken.items(ItemsStored(task, segment), fresh, stock)
                self._turn.touch(task)
        for task, token, maker, segment in facts.results:
            fresh = segment.ranges - stock.made(task, token, maker)
            if fresh and task in known and segment.ranges.issubset(known[task].spec.elements):
                taken.results(ResultsStored(task, token, maker, segment), fresh, stock)
                for target in self._dataflow.targets(task):
                    self._turn.touch(target)

    def _take_states(self, task: TaskId, delta: Elements, at: Stamp, taken: Taken) -> None:
        entry = self._replica.tasks.get(task)
        if entry is None:
            self._unknown.ask_about(task)
            return
        failed = entry.elements.entries_within(entry.phases[Phase.FAILED])
        marked = entry.elements.items() if task in self._replica.marked else ()
        moved = self._applying.apply(task, delta.within(entry.spec.elements), HEARD, at)
        if moved:
            taken.facts.append(StatesMerged(task, Elements(dict(moved))))
            taken.moved.append((task, moved))
            still_failed = _still_failed(failed, moved, entry.spec.retries)
            if still_failed:
                taken.facts.append(StatesMerged(task, still_failed))
                taken.moved.append((task, self._applying.apply(task, still_failed, STILL_FAILED)))
            still_marked = _still_marked(marked, moved)
            if still_marked:
                taken.facts.append(StatesMerged(task, still_marked))
                taken.moved.append((task, self._applying.apply(task, still_marked, STILL_FAILED)))
            if any(isinstance(state, Done) and self._leases.made_earlier(state) for state, _ in moved):
                # Whoever accepted it may have died while this node was away, and who else has it is not known here.
                self._re_replication.audit(entry.spec.run)


def switched(before: RunRecord | None, after: RunRecord) -> list[str]:
    """Return in words what became of a run."""
    words = ["added"] if before is None else []
    was = before or RunRecord(after.spec)
    if after.suspended.on != was.suspended.on:
        words.append("suspended" if after.suspended.on else "resumed")
    if after.sealed.on and not was.sealed.on:
        words.append("sealed")
    return words


def _still_failed(failed: list[tuple[State, RangeSet]], moved: list[tuple[State, RangeSet]], retries: int) -> Elements:
    """Return the states in which attempts have failed that were begun after the element had, in the same round."""
    again: list[tuple[State, RangeSet]] = []
    for before, part in failed:
        for state, ranges in moved:
            if not isinstance(state, Leased | Released | Failed) or not isinstance(before, Failed):
                continue
            same_round = (state.edition, state.round) == (before.edition, before.round)
            if same_round and part & ranges and phase_of(state, retries) is not Phase.FAILED:
                known = Failed(state.round, state.token, state.node, before.failures, state.edition)
                again.append((known, part & ranges))
    return Elements.join(again)


def _still_marked(before: Iterable[tuple[State, RangeSet]], moved: list[tuple[State, RangeSet]]) -> Elements:
    """Return leases that were taken by who did not know of all nodes that have gone down, with all of them."""
    known = [(state, part, downed_in(state)) for state, part in before if isinstance(state, Leased | Released)]
    again: list[tuple[State, RangeSet]] = []
    for state, ranges in moved:
        for earlier, part, downed in known:
            if not isinstance(state, Leased) or not part & ranges or downed == ():
                continue
            if (state.edition, state.round) == (earlier.edition, earlier.round):
                again.append((replace(state, downed=joined(state.downed, downed)), part & ranges))
    return Elements.join(again)
