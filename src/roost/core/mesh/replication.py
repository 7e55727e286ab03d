"""Replication: what others tell is merged (merging.py), and what they ask this node to keep is kept for them.

Rules
- What a node asks us to keep is written urgently, and confirmed when it is on disk; only then is what it has finished
  accepted, where nothing was accepted before.
- Of what it holds and has not sent, this node fetches what it lacks, and confirms when all of it is here.
"""

from collections.abc import Callable

from roost.core.actions import Notify, RunChanged, Send, TaskChanged
from roost.core.data.inventory import Inventory
from roost.core.data.re_replication import ReReplication, lacking_of
from roost.core.events import Heard
from roost.core.facts import StatesMerged
from roost.core.mesh.anti_entropy.questions import Questions
from roost.core.mesh.contest.direct_placement import DirectPlacement
from roost.core.mesh.contest.lease_expiry import LeaseExpiry
from roost.core.mesh.merging import Merging, Taken
from roost.core.origin import KEPT
from roost.core.queue.applying import Applying
from roost.core.queue.draining import Draining
from roost.core.queue.replica import Replica
from roost.core.tickets import Keeping, Learnt, News
from roost.core.turn import Turn
from roost.model.clock import NEVER
from roost.model.elements import Elements
from roost.model.ids import NodeId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord
from roost.wire.messages import Fetch, Holding, Kept, Records

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
        lease_expiry: LeaseExpiry,
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
        self._lease_expiry = lease_expiry
        self._direct_placement = direct_placement
        self._offered = offered
        self._hear = hear
        self._run_switched = run_switched
        #: What others hold and asked this node to keep, while it fetches what it lacks.
        self._wanted: dict[tuple[NodeId, int], tuple[Records, int]] = {}
        #: What others have finished and this node has accepted, on its way to the disk.
        self._accepting: dict[TaskId, Elements] = {}
        #: What others asked this node to keep, by their numbers, on its way to the disk.
        self._keeping: dict[tuple[NodeId, int], None] = {}

    def take(self, sender: NodeId, records: Records) -> None:
        """Merge what another node told."""
        if records.keep and (sender, records.keep) in self._keeping:
            return  # It was asked again before the disk had answered.
        taken = self._merging.take(records)
        offers = [self._take_offer(task, delta, taken) for task, delta in records.offers]
        self._re_replication.told(sender, records)
        if records.keep and self._knows_all(records) and self._has_all(sender, records):
            accepted = tuple(offer[0] for offer in offers if offer and offer[0][1])
            refused = tuple(offer[1] for offer in offers if offer and offer[1][1])
            for task, delta in accepted:
                self._accepting[task] = self._accepting.get(task, Elements()).merge(delta)
            about = tuple(dict.fromkeys(_about(records)))
            keeping = Keeping(sender, records.keep, taken.news(), about, accepted, refused, taken.all_brought())
            self._keeping[sender, records.keep] = None
            self._turn.persist(keeping, *taken.facts)
        elif taken.facts:
            self._turn.persist(Learnt(taken.news(), taken.all_brought()), *taken.facts)
        self._follow(sender, records, taken)

    def _follow(self, sender: NodeId, records: Records, taken: Taken) -> None:
        """Let follow what another node's word means for what runs, and could run, here."""
        for before, after in taken.runs:
            self._run_switched(before or RunRecord(after.spec), after)
        for task, moved in taken.moved:
            self._lease_expiry.displaced(self._replica.tasks[task], moved)
        for part in records.handed:
            self._direct_placement.heard(sender, part)
        if records.answers < 0:
            self._look_again(sender, records)

    def _look_again(self, sender: NodeId, records: Records) -> None:
        """Something of what a node holds has come: confirm it all, or ask on, if that was any use."""
        wanted, before = self._wanted.get((sender, -records.answers), (None, 0))
        lacking = () if wanted is None else lacking_of(wanted.holding, self._replica, self._inventory)
        if wanted is not None and not lacking:
            # As if it was said now: what it names may have left memory meanwhile, and is on disk only.
            self._hear(Heard(sender, self._turn.moment(), wanted))
        elif wanted is not None and _size(lacking) < before:
            self._want(sender, wanted, lacking)

    def keep(self, keeping: Keeping) -> None:
        """What another node sent is on this disk: accept what it has finished, and say so."""
        del self._keeping[keeping.sender, keeping.number]
        for task, delta in keeping.accepted:
            moved = self._applying.apply(task, delta, KEPT)
            self._lease_expiry.displaced(self._replica.tasks[task], moved)
        self._decided(keeping)
        self.tell(keeping.news)
        runs = [self._replica.runs[run_of(task)] for task in keeping.about]
        last_end = max((run.last_end for run in runs), default=NEVER)
        self._turn.act(Send(keeping.sender, Kept(keeping.number, keeping.refused, last_end, self._draining.on)))

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
        return all(task in self._replica.tasks for task in _about(records))

    def _has_all(self, sender: NodeId, records: Records) -> bool:
        """Whether all that the sender holds is here, too; if not, ask for it, and keep it in mind until it is."""
        lacking = lacking_of(records.holding, self._replica, self._inventory)
        if lacking:
            self._want(sender, records, lacking)
        else:
            self._wanted.pop((sender, records.keep), None)
        return not lacking

    def _want(self, sender: NodeId, records: Records, lacking: tuple[Holding, ...]) -> None:
        self._wanted[sender, records.keep] = (records, _size(lacking))
        while len(self._wanted) > WANTED_MAX:
            del self._wanted[next(iter(self._wanted))]
        self._turn.act(Send(sender, _fetch(records.keep, lacking), promises=False))

    def _take_offer(
        self, task: TaskId, delta: Elements, taken: Taken
    ) -> tuple[tuple[TaskId, Elements], tuple[TaskId, RangeSet]] | None:
        """Return the finished elements that can be accepted, and those of which another result is or will be."""
        entry = self._replica.tasks.get(task)
        if entry is None:
            self._questions.ask_about(task)
            return None
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
        if accepted:
            taken.facts.append(StatesMerged(task, accepted))
        return (task, accepted), (task, offered.known() - accepted.known() - same)


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
