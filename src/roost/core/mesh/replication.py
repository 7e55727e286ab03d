"""Replication: what changes here is told to all, and what others tell is merged.

Rules
- Everything that moved in one event leaves in one Records to everybody. What people may rely on leaves when it is on
  disk; new leases leave at once, since losing one costs an attempt and no promise.
- So does a submission whose data travels with it, since its submitter is answered later, when it is on two disks: if
  this one loses it in a power cut, it comes back from the others whole. One whose data stays here leaves from disk.
- What others tell is merged at once and written without haste: it is safe where it comes from. What a node asks us to
  keep is written urgently, and confirmed when it is on disk; only then is what it has finished accepted.
- A Records may name tasks that are not known here: their specs were lost on the way. They are left out and asked for
  (unknown_tasks.py); anti-entropy (digests.py) would bring them anyway.
- Lost Records are not repeated: digests tell that something is missing.
- What has failed for good stays so until a person asks for a retry. Whoever has not heard of it may take it again, and
  his lease is the larger state; who knows better says that this attempt has failed, too.
"""

from typing import TYPE_CHECKING

import msgspec

from roost.core.actions import Notify, RunChanged, Send, TaskChanged
from roost.core.data.inventory import Inventory
from roost.core.data.re_replication import lacking_of
from roost.core.events import Heard
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
from roost.core.origin import HEARD, KEPT, STILL_FAILED
from roost.core.queue.replica import Phase, phase_of
from roost.core.tickets import Keeping, Learnt, News
from roost.model.clock import NEVER, Stamp
from roost.model.elements import Elements
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.limits import INLINE_DATA_BYTES_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.states import Done, Failed, Leased, Released, State
from roost.model.task import Command, Failure, TaskSpec, blobs_of
from roost.model.token import Token
from roost.model.tombstones import Tombstone
from roost.wire.messages import Fetch, Holding, Kept, Records

if TYPE_CHECKING:
    from roost.core.node import Node


#: What other nodes have asked this one to keep, while it fetches it; they ask again.
WANTED_MAX = 64


class _Taken:
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


class Replication:
    def __init__(self, node: "Node") -> None:
        self._node = node
        self._runs: dict[RunId, RunRecord] = {}
        #: What was submitted, and can leave before it is on disk, or not.
        self._hurried: list[Records] = []
        self._heavy: list[Records] = []
        self._states: dict[TaskId, list[Elements]] = {}
        self._leased: dict[TaskId, list[Elements]] = {}
        self._failures: list[tuple[TaskId, int, Token, Failure]] = []
        self._forgotten: list[Tombstone] = []
        #: What others hold and asked this node to keep, while it fetches what it lacks.
        self._wanted: dict[tuple[NodeId, int], tuple[Records, int]] = {}
        #: What others have finished and this node has accepted, on its way to the disk.
        self._accepting: dict[TaskId, Elements] = {}
        #: What others asked this node to keep, by their numbers, on its way to the disk.
        self._keeping: dict[tuple[NodeId, int], None] = {}

    # Out.

    def run_changed(self, record: RunRecord) -> None:
        self._runs[record.spec.id] = record

    def moved(self, task: TaskId, delta: Elements) -> None:
        if delta:
            self._states.setdefault(task, []).append(delta)

    def failed(self, noted: FailureNoted) -> None:
        self._failures.append((noted.task, noted.index, noted.token, noted.failure))

    def leased(self, task: TaskId, delta: Elements) -> None:
        self._leased.setdefault(task, []).append(delta)

    def forgot(self, tombstone: Tombstone) -> None:
        self._forgotten.append(tombstone)

    def submitted(self, records: Records) -> bool:
        """Tell all of a submission; return whether that waits for the disk.

        Small inputs travel with the tasks, so that whoever wins them can start at once.
        """
        size = sum(len(segment.payload) for _, segment in records.items)
        size += sum(len(content) for _, content in records.blobs)
        if size > INLINE_DATA_BYTES_MAX:
            self._heavy.append(Records(records.runs, records.tasks, handed=records.handed))
            return True
        brought = dict(records.blobs)
        # Commands need none, and there may be a hundred thousand.
        needing = [spec for spec in records.tasks if not isinstance(spec.work, Command)]
        is_whole = all(blob in brought for spec in needing for blob in blobs_of(spec))
        (self._hurried if is_whole else self._heavy).append(records)
        return not is_whole

    def speak(self) -> None:
        """Tell all what has changed since the last time; alone, forget it: whoever comes later asks for everything."""
        if not self._node.mesh.others:
            self._forget()
            return
        hurried, heavy = ([self._with_leases(one) for one in some] for some in (self._hurried, self._heavy))
        for records in hurried:
            self._node.act(Send(None, records, promises=False))
        if self._leased:
            self._node.act(Send(None, Records(states=_joined(self._leased)), promises=False))
        for records in heavy:
            self._node.act(Send(None, records))
        if self._runs or self._states:
            runs, failures = tuple(self._runs.values()), tuple(self._failures)
            at = self._node.moment() if self._states else NEVER
            self._node.act(Send(None, Records(runs, states=_joined(self._states), failures=failures, at=at)))
        if self._forgotten:
            self._node.act(Send(None, Records(forgotten=tuple(self._forgotten))))
        self._forget()

    def _with_leases(self, records: Records) -> Records:
        """Return a submission with all that was decided about it at once.

        What others hear of for the first time must not be overtaken by word of its leases.
        """
        leased = {spec.id: self._leased.pop(spec.id) for spec in records.tasks if spec.id in self._leased}
        return msgspec.structs.replace(records, states=_joined(leased))

    def _forget(self) -> None:
        self._forgotten = []
        if self._runs or self._hurried or self._heavy or self._states or self._leased:
            self._runs, self._hurried, self._heavy = {}, [], []
            self._states, self._leased, self._failures = {}, {}, []

    # In.

    def take(self, sender: NodeId, records: Records) -> None:
        """Merge what another node told."""
        if records.keep and (sender, records.keep) in self._keeping:
            return  # It was asked again before the disk had answered.
        taken = _Taken()
        for run in records.runs:
            self._take_run(run, taken)
        for spec in records.tasks:
            self._take_task(spec, taken)
        self._take_data(records, taken)
        for task, delta in records.states:
            self._take_states(task, delta, records.at, taken)
        for task, index, token, failure in records.failures:
            entry = self._node.replica.tasks.get(task)
            if entry is not None and index in entry.spec.elements:
                taken.facts.append(FailureNoted(task, index, token, failure))
        taken.facts += [Worked(span) for span in records.worked if span.task in self._node.replica.tasks]
        offers = [self._take_offer(task, delta, taken) for task, delta in records.offers]
        self._node.mesh.re_replication.told(sender, records)
        if records.keep and self._knows_all(records) and self._has_all(sender, records):
            accepted = tuple(offer[0] for offer in offers if offer and offer[0][1])
            refused = tuple(offer[1] for offer in offers if offer and offer[1][1])
            for task, delta in accepted:
                self._accepting[task] = self._accepting.get(task, Elements()).merge(delta)
            about = tuple(dict.fromkeys(_about(records)))
            keeping = Keeping(sender, records.keep, taken.news(), about, accepted, refused, taken.all_brought())
            self._keeping[sender, records.keep] = None
            self._node.persist(keeping, *taken.facts)
        elif taken.facts:
            self._node.persist(Learnt(taken.news(), taken.all_brought()), *taken.facts)
        self._follow(sender, records, taken)

    def _follow(self, sender: NodeId, records: Records, taken: _Taken) -> None:
        """Let follow what another node's word means for what runs, and could run, here."""
        for before, after in taken.runs:
            self._node.run_switched(before or RunRecord(after.spec), after)
        for task, moved in taken.moved:
            self._node.lease_expiry.displaced(self._node.replica.tasks[task], moved)
        for part in records.handed:
            self._node.mesh.direct_placement.heard(sender, part)
        if records.answers < 0:
            self._look_again(sender, records)

    def _look_again(self, sender: NodeId, records: Records) -> None:
        """Something of what a node holds has come: confirm it all, or ask on, if that was any use."""
        wanted, before = self._wanted.get((sender, -records.answers), (None, 0))
        lacking = () if wanted is None else lacking_of(wanted.holding, self._node)
        if wanted is not None and not lacking:
            # As if it was said now: what it names may have left memory meanwhile, and is on disk only.
            self._node.mesh.heard(Heard(sender, self._node.moment(), wanted))
        elif wanted is not None and _size(lacking) < before:
            self._want(sender, wanted, lacking)

    def keep(self, keeping: Keeping) -> None:
        """What another node sent is on this disk: accept what it has finished, and say so."""
        node = self._node
        del self._keeping[keeping.sender, keeping.number]
        for task, delta in keeping.accepted:
            moved = node.apply(task, delta, KEPT)
            node.lease_expiry.displaced(node.replica.tasks[task], moved)
        self._decided(keeping)
        self.tell(keeping.news)
        runs = [node.replica.runs[run_of(task)] for task in keeping.about]
        last_end = max((run.last_end for run in runs), default=NEVER)
        node.act(Send(keeping.sender, Kept(keeping.number, keeping.refused, last_end, node.draining.on)))

    def tell(self, news: News) -> None:
        """What others told is on this disk: pass on what has not been overtaken since."""
        node = self._node
        for run, word in news.words:
            node.act(Notify(RunChanged(run, word)))
        new_runs = {run for run, word in news.words if word == "added"}
        for task in news.tasks:
            entry = node.replica.tasks.get(task)
            if entry is not None and entry.spec.run not in new_runs:
                node.act(Notify(TaskChanged(task, "added", entry.present)))
        for task, moved in news.moved:
            now = node.replica.tasks[task].elements
            node.applying.tell(task, [(state, ranges & now.in_exactly(state)) for state, ranges in moved.items()])

    def _decided(self, keeping: Keeping) -> None:
        """These elements are no longer about to be accepted."""
        for task, delta in keeping.accepted:
            left = self._accepting[task].without(delta.known())
            if left:
                self._accepting[task] = left
            else:
                del self._accepting[task]

    def _knows_all(self, records: Records) -> bool:
        """Whether everything was taken. What was not is not confirmed, and comes again when its task is known."""
        return all(task in self._node.replica.tasks for task in _about(records))

    def _has_all(self, sender: NodeId, records: Records) -> bool:
        """Whether all that the sender holds is here, too; if not, ask for it, and keep it in mind until it is."""
        lacking = lacking_of(records.holding, self._node)
        if lacking:
            self._want(sender, records, lacking)
        else:
            self._wanted.pop((sender, records.keep), None)
        return not lacking

    def _want(self, sender: NodeId, records: Records, lacking: tuple[Holding, ...]) -> None:
        self._wanted[sender, records.keep] = (records, _size(lacking))
        while len(self._wanted) > WANTED_MAX:
            del self._wanted[next(iter(self._wanted))]
        self._node.act(Send(sender, _fetch(records.keep, lacking), promises=False))

    def _take_run(self, record: RunRecord, taken: "_Taken") -> None:
        node, run = self._node, record.spec.id
        known = node.replica.runs.get(run)
        before = None if known is None else known.record
        if before is not None and before.spec != record.spec:
            # Two nodes gave out one id, which is as unlikely as it is hopeless; ours stays ours.
            return
        merged = record if before is None else before.merge(record)
        if merged == before:
            return
        taken.facts.append(RunMerged(merged))
        taken.runs.append((before, merged))
        node.replica.add_run(record)
        node.digests.run_changed(run)

    def _take_task(self, spec: TaskSpec, taken: "_Taken") -> None:
        node = self._node
        if spec.id in node.replica.tasks:
            # Another has told it to whoever asked (DICE: one answers), so this node need not.
            node.mesh.unknown_tasks.answered(spec.id, node.now)
            return
        missing = [edge.source for edge in spec.edges if edge.source not in node.replica.tasks]
        if not node.tombstones.is_empty:
            # What is about to be forgotten comes back from others, if this is right to build on it.
            missing += [edge.source for edge in spec.edges if node.tombstones.is_going(run_of(edge.source))]
        if missing or spec.run not in node.replica.runs:
            for task in missing or [spec.id]:
                node.mesh.ask_about(task)
            return
        taken.facts.append(TaskAdded(spec))
        taken.tasks.append(spec)
        node.mesh.unknown_tasks.answered(spec.id, node.now)
        node.digests.task_changed(spec.id)
        node.applying.follow(TaskRecord(spec))
        node.touch(spec.id)

    def _take_data(self, records: Records, taken: "_Taken") -> None:
        """Take the data of known elements that is not here yet."""
        stock, known = self._node.inventory, self._node.replica.tasks
        for blob, content in records.blobs:
            if not stock.has_blob(blob):
                taken.blob(BlobStored(blob, content), stock)
        for task, segment in records.items:
            fresh = segment.ranges - stock.items(task)
            if fresh and task in known and segment.ranges.issubset(known[task].spec.elements):
                taken.items(ItemsStored(task, segment), fresh, stock)
                self._node.touch(task)
        for task, token, maker, segment in records.results:
            fresh = segment.ranges - stock.made(task, token, maker)
            if fresh and task in known and segment.ranges.issubset(known[task].spec.elements):
                taken.results(ResultsStored(task, token, maker, segment), fresh, stock)
                for target in self._node.dataflow.targets(task):
                    self._node.touch(target)

    def handed_in_again(self, brought: Brought) -> None:
        """What a full disk refused goes there once more; what has left memory meanwhile is not counted."""
        known, stock = self._node.replica.tasks, self._node.inventory
        items = tuple(part for part in brought.items if part[0] in known)
        results = tuple(part for part in brought.results if part[0] in known)
        stock.add(Brought(items, results, brought.blobs))
        for task in dict.fromkeys([*(part[0] for part in items), *(part[0] for part in results)]):
            for touched in (task, *self._node.dataflow.targets(task)):
                self._node.touch(touched)

    def _take_states(self, task: TaskId, delta: Elements, at: Stamp, taken: "_Taken") -> None:
        node = self._node
        entry = node.replica.tasks.get(task)
        if entry is None:
            node.mesh.ask_about(task)
            return
        failed = entry.elements.entries_within(entry.phases[Phase.FAILED])
        moved = node.apply(task, delta.within(entry.spec.elements), HEARD, at)
        if moved:
            taken.facts.append(StatesMerged(task, Elements(dict(moved))))
            taken.moved.append((task, moved))
            still_failed = _still_failed(failed, moved, entry.spec.retries)
            if still_failed:
                taken.facts.append(StatesMerged(task, still_failed))
                taken.moved.append((task, node.apply(task, still_failed, STILL_FAILED)))
            if any(isinstance(state, Done) and node.leases.made_earlier(state) for state, _ in moved):
                # Whoever accepted it may have died while this node was away, and who else has it is not known here.
                node.mesh.re_replication.audit(entry.spec.run)

    def _take_offer(
        self, task: TaskId, delta: Elements, taken: "_Taken"
    ) -> tuple[tuple[TaskId, Elements], tuple[TaskId, RangeSet]] | None:
        """Return the finished elements that can be accepted, and those of which another result is or will be."""
        entry = self._node.replica.tasks.get(task)
        if entry is None:
            self._node.mesh.ask_about(task)
            return None
        offered = delta.within(entry.spec.elements)
        # Only what is offered matters, and a busy node has many offers of its own.
        these = offered.known()
        accepting = self._accepting.get(task, Elements())
        decided = entry.elements.within(entry.done & these).merge(accepting.within(these))
        # Two nodes that finished the same ask each other: the larger state stands, and both see it so.
        for own in self._node.mesh.offered(task):
            rival = own.within(these)
            if rival:
                decided = decided.merge(rival.diff(offered))
        accepted = offered.without(decided.known())
        same = EMPTY
        for state, ranges in decided.items():
            same |= ranges & offered.in_exactly(state)
        if accepted:
            taken.facts.append(StatesMerged(task, accepted))
        return (task, accepted), (task, offered.known() - accepted.known() - same)


def switched(before: RunRecord | None, after: RunRecord) -> list[str]:
    """Return in words what became of a run."""
    words = ["added"] if before is None else []
    was = before or RunRecord(after.spec)
    if after.suspended.on != was.suspended.on:
        words.append("suspended" if after.suspended.on else "resumed")
    if after.sealed.on and not was.sealed.on:
        words.append("sealed")
    return words


def _about(records: Records) -> list[TaskId]:
    """Return the tasks that must be known before a Records can be kept."""
    return [
        *(spec.id for spec in records.tasks),
        *(task for task, _ in records.offers),
        *(held.task for held in records.holding),
    ]


def _size(lacking: tuple[Holding, ...]) -> int:
    results = sum(len(ranges) for held in lacking for _, _, ranges in held.results)
    return results + sum(len(held.items) + len(held.blobs) for held in lacking)


def _fetch(number: int, lacking: tuple[Holding, ...]) -> Fetch:
    return Fetch(
        -number,
        tuple((held.task, held.items) for held in lacking if held.items),
        tuple((held.task, ranges) for held in lacking for _, _, ranges in held.results),
        tuple(dict.fromkeys(blob for held in lacking for blob in held.blobs)),
    )


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


def _joined(states: dict[TaskId, list[Elements]]) -> tuple[tuple[TaskId, Elements], ...]:
    return tuple(
        (task, parts[0] if len(parts) == 1 else Elements.join(entry for part in parts for entry in part.items()))
        for task, parts in states.items()
    )
