"""Re-replication: what is on this disk only is brought to another node's, as soon as there is one.

Rules (design.md, Durability)
- What was accepted in company is on two disks (write_acknowledgement.py). What a node accepted alone, and what it
  shared with a node that is gone, is on its own disk only, as far as it knows.
- A result is known by its token and maker: of another attempt at the same element a node may keep what it likes.
- Another node is known to keep what it has confirmed, and what it sent itself, for data leaves a node when it is
  flushed there. Word of a node that is gone may have been long under way, and says nothing about where data is now.
- A run with data that nobody else is known to keep is audited: a keeper is told what is here (wire Audit), fetches
  what it lacks, and confirms when all of it is on its disk.
- The keeper is the node where the run was submitted, or one that made results of it, if they are there: so two that
  hold the same ask each other, and no third copy is made.
- What was decided about a run here, by people or by this node as a keeper, and which elements failed here, is told to
  all, and lost words are found by digests (queue/digests.py). A node that is about to go (draining.py) cannot
  wait for that: it has another node confirm these, too.
- While this node drains, only what a node confirms that does not counts: the others may be about to go as well, and may
  count on this one. So when it begins, all is audited anew.
- Who had forgotten a run and has it again kept nothing of it (core/tombstones.py): whoever hears so audits it anew.
- After a restart nothing is known of other disks, so every run is audited once, with all that was decided about it.
  Runs that have left memory are looked up, one at a time. When a node has been gone for RECOPY_AFTER_S, every run is
  audited again; at once if this node is about to go.
"""

from collections.abc import Callable, Collection
from typing import Protocol

import msgspec

from roost.core.actions import LookUp
from roost.core.data.inventory import Inventory
from roost.core.peers import Peers
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.draining import Draining
from roost.core.queue.replica import Replica, RunEntry, TaskEntry
from roost.core.turn import Turn
from roost.model.clock import soonest
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.limits import RECORDS_TASKS_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from roost.model.task import blobs_of
from roost.model.token import Token
from roost.wire.messages import Audit, Facts, Holding

#: How long a node may be gone before what it kept is copied again. Longer: a restart, or a lid that is closed for a
#: moment, costs no copies. Shorter: less time with one copy only.
RECOPY_AFTER_S = 10.0
#: Runs that are audited at a time. More: a new neighbour keeps everything sooner. Fewer: work suffers less.
AUDITS_MAX = 4
#: The pause between two audits, for the same reason.
PAUSE_S = 0.02
#: Runs about which something was decided here that nobody has confirmed; the oldest are known everywhere by now.
DECIDED_MAX = 4096


class OpenAudit(msgspec.Struct, frozen=True):
    """A keeper was told what is here of a run, and has not confirmed it yet."""

    run: RunId
    holding: tuple[Holding, ...]
    #: Whether all that was decided about the run was told with it.
    decided: bool = False


class AskToKeep(Protocol):
    """Have another node keep something, ``home`` if it is there; the audit is confirmed, or given up."""

    def __call__(self, run: RunId, home: NodeId, message: Audit, waiting: OpenAudit) -> None: ...


def _nobody_keeps(run: RunId, home: NodeId, message: Audit, waiting: OpenAudit) -> None:
    """Without a network nobody is asked."""


class ReReplication:
    def __init__(
        self,
        turn: Turn,
        peers: Peers,
        replica: Replica,
        dataflow: Dataflow,
        inventory: Inventory,
        draining: Draining,
        runs: Callable[[], Collection[RunId]],
    ) -> None:
        """``runs`` returns all runs that are known, in memory or not."""
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._dataflow = dataflow
        self._inventory = inventory
        self._draining = draining
        self._runs = runs
        self._ask_to_keep: AskToKeep = _nobody_keeps
        #: What other nodes keep of each task in memory, with this node's knowledge.
        self._kept: dict[TaskId, dict[NodeId, Holding]] = {}
        #: Runs to audit.
        self._due: dict[RunId, None] = {}
        #: Runs about which something was decided here, and nobody has confirmed it.
        self._decided: dict[RunId, None] = {}
        #: How many questions are open about each run.
        self._open: dict[RunId, int] = {}
        self._looked_up: RunId | None = None
        self._recalled_some = False
        self._next_at = 0.0
        self._recopy_at: float | None = None

    def on(self, ask_to_keep: AskToKeep) -> None:
        """There may be others who keep something. The medium says so before anything happens."""
        self._ask_to_keep = ask_to_keep

    @property
    def left(self) -> int:
        """How many runs may be on this disk only; a node that is gone, and that all are audited for soon, is one more.

        While this node does not drain, what was decided about a run and is told to all is not counted.
        """
        runs = self._due.keys() | self._open.keys()
        return len(runs) + (self._recopy_at is not None)

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to bring to safety, and nothing to look at later because a node is gone."""
        return not self.left

    # What is known of other disks.

    def told(self, sender: NodeId, facts: Facts, *, stays: bool = False) -> None:
        """Data came from a node, or was confirmed by it: it is on that node's disk. ``stays``: it said so now."""
        for task, segment in facts.items:
            self.keeps(sender, Holding(task, items=segment.ranges), stays=stays)
        for task, token, maker, segment in facts.results:
            self.keeps(sender, Holding(task, results=((token, maker, segment.ranges),)), stays=stays)

    def keeps(self, node: NodeId, holding: Holding, *, stays: bool = False) -> None:
        """A node says that it keeps something; ``stays``: it said so now."""
        if holding.task not in self._replica.tasks:
            return
        if node not in self._peers.others or (self._draining.on and not stays):
            self.audit(run_of(holding.task))
            return
        kept = self._kept.setdefault(holding.task, {})
        before = kept.get(node)
        kept[node] = holding if before is None else _joined(before, holding)

    def confirmed(self, keeper: NodeId, audit: OpenAudit, *, stays: bool = True) -> None:
        if self._draining.on and not stays:
            self.give_up(audit)
            return
        for holding in audit.holding:
            self.keeps(keeper, holding, stays=stays)
        self.over(audit)

    def over(self, audit: OpenAudit) -> None:
        """A question is answered, or cannot be."""
        left = self._open[audit.run] - 1
        if left:
            self._open[audit.run] = left
        else:
            del self._open[audit.run]

    def gone(self, node: NodeId) -> None:
        """A node died or left, and with it what it kept."""
        for kept in self._kept.values():
            kept.pop(node, None)
        if self._recopy_at is None:
            self._recopy_at = self._turn.now + (0.0 if self._draining.on else RECOPY_AFTER_S)

    def forget(self, task: TaskId) -> None:
        """A task leaves memory. If its run is to be audited, it is looked up for that."""
        self._kept.pop(task, None)

    def forget_run(self, run: RunId) -> None:
        """Nothing of a run is kept any more, anywhere."""
        self._due.pop(run, None)
        self._decided.pop(run, None)

    def returned(self, run: RunId) -> None:
        """Somebody had forgotten this run and has it again: who keeps what of it is not known any more."""
        for task in self._replica.runs[run].tasks:
            self._kept.pop(task, None)
        self.audit(run)

    # Audits.

    def audit(self, run: RunId) -> None:
        """Something of this run may be on this disk only."""
        self._due[run] = None

    def accepted_alone(self, run: RunId) -> None:
        """Something of this run is on this disk only, until somebody comes."""
        if self._peers.on_network:
            self.audit(run)

    def accepted_from(self, maker: NodeId, run: RunId) -> None:
        """What another node made counts from now on. If that is gone, an audit that has begun does not name it."""
        if maker not in self._peers.others:
            self.audit(run)

    def audit_whole(self, run: RunId) -> None:
        """All that is here of this run may be on this disk only."""
        self._due[run] = self._decided[run] = None

    def decided(self, run: RunId) -> None:
        """A person has decided about this run here, an element of it failed here, or a result was accepted."""
        if not self._peers.on_network:
            return
        self._decided[run] = None
        if len(self._decided) > DECIDED_MAX:
            del self._decided[next(iter(self._decided))]
        if self._draining.on:
            self._due[run] = None

    def hand_over(self) -> None:
        """This node is about to go: nothing may be here only then, nor on disks of others that are about to go."""
        if not self._peers.on_network:
            return
        self._kept.clear()
        self._due.update(self._decided)
        self._due.update(dict.fromkeys(self._runs()))
        if self._recopy_at is not None:
            self._recopy_at = self._turn.now

    def give_up(self, audit: OpenAudit) -> None:
        """Nobody has confirmed it, and what was told may be out of date."""
        self.over(audit)
        self._due[audit.run] = None
        if audit.decided:
            self._decided[audit.run] = None

    def tick(self) -> None:
        if self._recopy_at is not None and self._recopy_at <= self._turn.now:
            self._recopy_at = None
            self._due.update(dict.fromkeys(self._runs()))
        if not self._keepers or self._next_at > self._turn.now:
            return
        if self._due and len(self._open) < AUDITS_MAX:
            self._next_at = self._turn.now + PAUSE_S
            self._audit_next()
        elif not self._due and self._recalled_some:
            # What was looked up last may leave memory again.
            self._recalled_some = False
            self._turn.act(LookUp((), (), None))

    def next_deadline(self) -> float | None:
        at_work = len(self._open) < AUDITS_MAX if self._due else self._recalled_some
        return soonest(self._next_at if at_work and self._keepers else None, self._recopy_at)

    @property
    def _keepers(self) -> tuple[NodeId, ...]:
        """Return those who may be asked to keep something."""
        return self._peers.staying if self._draining.on else self._peers.others

    def recalled(self, named: Collection[RunId]) -> None:
        """What was looked up of these runs is in memory, if it is on disk at all."""
        run = self._looked_up
        if run is None or run not in named:
            return
        self._looked_up = None
        self._due.pop(run, None)
        if self._replica.has_whole(run):
            self._ask(run)
        elif run in self._replica.runs:
            # Some of it is missing, or has left again; those behind it must not wait for it.
            self._due[run] = None
        # Else it is not on disk: others told of it while the disk was full.

    def _audit_next(self) -> None:
        run = next(iter(self._due))
        if self._replica.has_whole(run):
            del self._due[run]
            self._ask(run)
        else:
            self._looked_up, self._recalled_some = run, True
            self._turn.act(LookUp((run,), (), None, whole=True))

    def _ask(self, run: RunId) -> None:
        if run in self._open:
            self._due[run] = None
            return
        decided = run in self._decided
        self._decided.pop(run, None)
        found = [self._of_task(entry) for entry in self._replica.entries(run)]
        # A task without such data is named, so that nobody confirms what was decided about it and does not know it.
        holding = [held for held in found if decided or held.items or held.results or held.blobs]
        runs = (self._replica.runs[run].record,) if decided else ()
        for at in range(0, max(len(holding), len(runs)), RECORDS_TASKS_MAX):
            piece = tuple(holding[at : at + RECORDS_TASKS_MAX])
            self._open[run] = self._open.get(run, 0) + 1
            states = tuple((held.task, self._replica.tasks[held.task].elements) for held in piece)
            told = Audit(0, Facts(runs, states=states, at=self._replica.runs[run].last_end), piece)
            self._ask_to_keep(run, self._keeper(self._replica.runs[run]), told, OpenAudit(run, piece, decided))

    def _of_task(self, entry: TaskEntry) -> Holding:
        """Return the data of a task that is here and that nobody else who is there is known to keep."""
        task = entry.spec.id
        ended = self._dataflow.has_ended(task)
        here = Holding(
            task,
            EMPTY if ended else self._inventory.items(task),
            self._inventory.accepted(task),
            () if ended else tuple(blob for blob in blobs_of(entry.spec) if self._inventory.has_blob(blob)),
        )
        for kept in self._kept.get(task, {}).values():
            here = _without(here, kept)
        return here

    def _keeper(self, run: RunEntry) -> NodeId:
        home = run.record.spec.submitted.node
        if home != self._turn.name:
            return home
        made: dict[NodeId, int] = {}
        for task in run.tasks:
            for state, ranges in self._replica.tasks[task].elements.items():
                if isinstance(state, Done) and state.node in self._peers.others:
                    made[state.node] = made.get(state.node, 0) + len(ranges)
        return max(sorted(made), key=made.__getitem__, default=home)


def _joined(one: Holding, other: Holding) -> Holding:
    results: dict[tuple[Token, NodeId], RangeSet] = {}
    for token, maker, ranges in (*one.results, *other.results):
        results[token, maker] = results.get((token, maker), EMPTY) | ranges
    blobs = tuple(dict.fromkeys([*one.blobs, *other.blobs]))
    made = tuple((token, maker, ranges) for (token, maker), ranges in results.items())
    return Holding(one.task, one.items | other.items, made, blobs)


def _without(one: Holding, other: Holding) -> Holding:
    theirs = {(token, maker): ranges for token, maker, ranges in other.results}
    left = [(token, maker, ranges - theirs.get((token, maker), EMPTY)) for token, maker, ranges in one.results]
    results = tuple((token, maker, ranges) for token, maker, ranges in left if ranges)
    blobs = tuple(blob for blob in one.blobs if blob not in other.blobs)
    return Holding(one.task, one.items - other.items, results, blobs)


def lacking_of(holding: tuple[Holding, ...], replica: Replica, inventory: Inventory) -> tuple[Holding, ...]:
    """Return what another node holds, of tasks that are known here, and this one does not."""
    lacking = []
    for held in holding:
        if held.task in replica.tasks:
            made = tuple((token, maker, inventory.made(held.task, token, maker)) for token, maker, _ in held.results)
            blobs = tuple(blob for blob in held.blobs if inventory.has_blob(blob))
            left = _without(held, Holding(held.task, inventory.items(held.task), made, blobs))
            if left.items or left.results or left.blobs:
                lacking.append(left)
    return tuple(lacking)
