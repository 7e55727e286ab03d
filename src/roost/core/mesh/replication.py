"""Replication: what others tell is merged (medium/merging.py), and what they ask this node to keep is kept for them.

Rules
- What a node asks us to keep is written urgently, and confirmed when it is on disk; only then is what it has finished
  accepted, where nothing was accepted before.
- Of what it holds and has not sent, this node fetches what it lacks, and confirms when all of it is here.
"""

from collections.abc import Callable, Iterable

from roost.core.actions import Send
from roost.core.data.inventory import Inventory
from roost.core.data.re_replication import ReReplication, lacking_of
from roost.core.events import Heard
from roost.core.facts import StatesMerged
from roost.core.medium.merging import Merging, Taken
from roost.core.mesh.anti_entropy.questions import Questions
from roost.core.mesh.contest.direct_placement import DirectPlacement
from roost.core.mesh.contest.duels import Duels
from roost.core.origin import KEPT
from roost.core.queue.applying import Applying
from roost.core.queue.draining import Draining
from roost.core.queue.replica import Replica
from roost.core.tickets import Keeping, Learnt
from roost.core.turn import Turn
from roost.model.clock import NEVER
from roost.model.elements import Elements
from roost.model.ids import NodeId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord
from roost.wire.messages import Audit, Delivery, Facts, Fetch, Holding, Keep, Kept, Purpose

#: What other nodes have asked this one to keep, while it fetches it; they ask again.
WANTED_MAX = 64


class Replication:
    def __init__(
        self,
        turn: Turn,
        *,
        replica: Replica,
        applying: Applying,
        draining: Draining,
        inventory: Inventory,
        re_replication: ReReplication,
        merging: Merging,
        questions: Questions,
        duels: Duels,
        direct_placement: DirectPlacement,
        offered: Callable[[TaskId], list[Elements]],
        hear: Callable[[Heard], None],
        run_switched: Callable[[RunRecord, RunRecord], None],
    ) -> None:
        """``offered``: what this node has finished itself. ``hear``: hear something once more, as if it was said now.

        ``run_switched``: another node has suspended, resumed or sealed a run.
        """
        self._turn = turn
        self._replica = replica
        self._applying = applying
        self._draining = draining
        self._inventory = inventory
        self._re_replication = re_replication
        self._merging = merging
        self._questions = questions
        self._duels = duels
        self._direct_placement = direct_placement
        self._offered = offered
        self._hear = hear
        self._run_switched = run_switched
        #: What others hold and asked this node to keep, while it fetches what it lacks.
        self._wanted: dict[tuple[NodeId, int], tuple[Audit, int]] = {}
        #: What others have finished and this node has accepted, on its way to the disk.
        self._accepting: dict[TaskId, Elements] = {}
        #: What others asked this node to keep, by their numbers, on its way to the disk.
        self._keeping: dict[tuple[NodeId, int], None] = {}

    # What others say.

    def told(self, sender: NodeId, facts: Facts) -> None:
        """Merge what another node told."""
        taken = self._merging.take(facts)
        self._re_replication.told(sender, facts)
        self._learn(sender, facts, taken)

    def asked_to_keep(self, sender: NodeId, message: Keep) -> None:
        """Another node wants this one to keep something, and to accept what it has finished."""
        facts = message.facts
        if (sender, message.number) in self._keeping:
            return  # It was asked again before the disk had answered.
        taken = self._merging.take(facts, message.worked)
        offers = [self._judged(task, delta) for task, delta in message.offers]
        self._re_replication.told(sender, facts)
        about = dict.fromkeys([*(spec.id for spec in facts.tasks), *(task for task, _ in message.offers)])
        if self._knows(about):
            accepted = tuple((task, delta) for task, delta, _ in offers if delta)
            for task, delta in accepted:
                self._accepting[task] = self._accepting.get(task, Elements()).merge(delta)
                taken.facts.append(StatesMerged(task, delta))
            refused = tuple((task, ranges) for task, _, ranges in offers if ranges)
            self._write(sender, message.number, taken, tuple(about), accepted, refused)
            self._follow(sender, facts, taken)
        else:
            self._learn(sender, facts, taken)

    def audited(self, sender: NodeId, audit: Audit) -> None:
        """Another node tells what it holds: confirm it when all of that is here, too, and else bring it."""
        if (sender, audit.number) in self._keeping:
            return
        taken = self._merging.take(audit.facts)
        about = dict.fromkeys(held.task for held in audit.holding)
        lacking = lacking_of(audit.holding, self._replica, self._inventory) if self._knows(about) else ()
        if lacking:
            self._want(sender, audit, lacking)
        if lacking or not self._knows(about):
            self._learn(sender, audit.facts, taken)
        else:
            self._wanted.pop((sender, audit.number), None)
            self._write(sender, audit.number, taken, tuple(about))
            self._follow(sender, audit.facts, taken)

    def delivered(self, sender: NodeId, delivery: Delivery) -> None:
        """Data has come that this node has asked for."""
        self.told(sender, delivery.facts())
        if delivery.purpose is Purpose.AUDIT:
            self._look_again(sender, delivery.number)

    def _knows(self, about: Iterable[TaskId]) -> bool:
        """Whether everything was taken. What was not is not confirmed, and comes again when its task is known."""
        return all(task in self._replica.tasks for task in about)

    def _write(
        self,
        sender: NodeId,
        number: int,
        taken: Taken,
        about: tuple[TaskId, ...],
        accepted: tuple[tuple[TaskId, Elements], ...] = (),
        refused: tuple[tuple[TaskId, RangeSet], ...] = (),
    ) -> None:
        keeping = Keeping(sender, number, taken.news(), about, accepted, refused, taken.all_brought())
        self._keeping[sender, number] = None
        self._turn.persist(keeping, *taken.facts)

    def _learn(self, sender: NodeId, facts: Facts, taken: Taken) -> None:
        if taken.facts:
            self._turn.persist(Learnt(taken.news(), taken.all_brought()), *taken.facts)
        self._follow(sender, facts, taken)

    def _follow(self, sender: NodeId, facts: Facts, taken: Taken) -> None:
        """Let follow what another node's word means for what runs, and could run, here."""
        for before, after in taken.runs:
            self._run_switched(before or RunRecord(after.spec), after)
        for task, moved in taken.moved:
            self._duels.displaced(self._replica.tasks[task], moved)
        for part in facts.handed:
            self._direct_placement.heard(sender, part)

    # What others hold.

    def _look_again(self, sender: NodeId, number: int) -> None:
        """Something of what a node holds has come: confirm it all, or ask on, if that was any use."""
        audit, before = self._wanted.get((sender, number), (None, 0))
        lacking = () if audit is None else lacking_of(audit.holding, self._replica, self._inventory)
        if audit is not None and not lacking:
            # As if it was said now: what it names may have left memory meanwhile, and is on disk only.
            self._hear(Heard(sender, self._turn.moment(), audit))
        elif audit is not None and _size(lacking) < before:
            self._want(sender, audit, lacking)

    def _want(self, sender: NodeId, audit: Audit, lacking: tuple[Holding, ...]) -> None:
        """Ask for what is lacking, and keep the audit in mind until it is here."""
        self._wanted[sender, audit.number] = (audit, _size(lacking))
        while len(self._wanted) > WANTED_MAX:
            del self._wanted[next(iter(self._wanted))]
        self._turn.act(Send(sender, _fetch(audit.number, lacking), promises=False))

    # What is kept for others.

    def keep(self, keeping: Keeping) -> None:
        """What another node sent is on this disk: accept what it has finished, and say so."""
        del self._keeping[keeping.sender, keeping.number]
        for task, delta in keeping.accepted:
            moved = self._applying.apply(task, delta, KEPT)
            self._duels.displaced(self._replica.tasks[task], moved)
            self._re_replication.accepted_from(keeping.sender, run_of(task))
        self._decided(keeping)
        self._merging.tell(keeping.news)
        runs = [self._replica.runs[run_of(task)] for task in keeping.about]
        last_end = max((run.last_end for run in runs), default=NEVER)
        self._turn.act(Send(keeping.sender, Kept(keeping.number, keeping.refused, last_end, self._draining.on)))

    def _decided(self, keeping: Keeping) -> None:
        """These elements are no longer about to be accepted."""
        for task, delta in keeping.accepted:
            left = self._accepting[task].without(delta.known())
            if left:
                self._accepting[task] = left
            else:
                del self._accepting[task]

    def _judged(self, task: TaskId, delta: Elements) -> tuple[TaskId, Elements, RangeSet]:
        """Return the finished elements that can be accepted, and those of which another result is or will be."""
        entry = self._replica.tasks.get(task)
        if entry is None:
            self._questions.ask_about(task)
            return task, Elements(), EMPTY
        offered = delta.within(entry.spec.elements)
        # Only what is offered matters, and a busy node has many offers of its own.
        these = offered.known()
        accepting = self._accepting.get(task, Elements())
        decided = entry.elements.within(entry.done & these).merge(accepting.within(these))
        # Two nodes that finished the same ask each other: the larger state stands, and both see it so.
        for own in self._offered(task):
            rival = own.within(these)
            if rival:
                decided = decided.merge(rival.diff(offered))
        accepted = offered.without(decided.known())
        same = EMPTY
        for state, ranges in decided.items():
            same |= ranges & offered.in_exactly(state)
        return task, accepted, offered.known() - accepted.known() - same


def _size(lacking: tuple[Holding, ...]) -> int:
    results = sum(len(ranges) for held in lacking for _, _, ranges in held.results)
    return results + sum(len(held.items) + len(held.blobs) for held in lacking)


def _fetch(number: int, lacking: tuple[Holding, ...]) -> Fetch:
    return Fetch(
        Purpose.AUDIT,
        number,
        tuple((held.task, held.items) for held in lacking if held.items),
        tuple((held.task, ranges) for held in lacking for _, _, ranges in held.results),
        tuple(dict.fromkeys(blob for held in lacking for blob in held.blobs)),
    )
