"""Keepers: other nodes are asked to keep what is on this disk, and what waits for that goes on.

Rules
- A submission is answered, and a result accepted, when another node keeps it, too (data/write_acknowledgement.py).
  Alone, this disk has to do.
- That a keeper has accepted a result is on its disk, and the result on both. So it counts here, and is told, when the
  keeper says so; here it is written without haste, as leases are. If a power cut takes it from this disk, it comes back
  from the keeper's, as from any node that has missed it.
- Who drains is about to go, and is asked to keep nothing while somebody stays, except what was handed in there. So is
  who is unstable (policy/node_state.py). Who is unstable itself asks super-peers, as long as there are any, and the
  node where the run was handed in.
"""

from typing import TypeAlias

import msgspec

from roost.core.actions import Reply, Send
from roost.core.data.re_replication import OpenAudit, ReReplication
from roost.core.data.write_acknowledgement import Acknowledgements, Confirmed
from roost.core.facts import StatesMerged
from roost.core.medium.pending_reply import PendingReply
from roost.core.mesh.broadcasting import Broadcasting
from roost.core.mesh.contest.direct_placement import DirectPlacement
from roost.core.origin import ACCEPTED_ELSEWHERE
from roost.core.peers import Peers
from roost.core.queue.applying import Applying
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.draining import Draining
from roost.core.queue.replica import Replica
from roost.core.tickets import Note, Outcome, ResultOffer, Submission
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.ranges import EMPTY
from roost.model.vitals import NodeState
from roost.wire.messages import Audit, Facts, Keep, Kept, RunningLease

#: What waits for a copy: the answer to a submission, elements that are to be accepted, data that may be here only.
_Waiting: TypeAlias = PendingReply | ResultOffer | OpenAudit


class Keepers:
    def __init__(
        self,
        turn: Turn,
        *,
        peers: Peers,
        replica: Replica,
        dataflow: Dataflow,
        applying: Applying,
        draining: Draining,
        re_replication: ReReplication,
        direct_placement: DirectPlacement,
        broadcasting: Broadcasting,
    ) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._dataflow = dataflow
        self._applying = applying
        self._draining = draining
        self._re_replication = re_replication
        self._direct_placement = direct_placement
        self._broadcasting = broadcasting
        self._waiting: Acknowledgements[_Waiting] = Acknowledgements(peers, turn.name, turn.boot)

    def __len__(self) -> int:
        """How much waits for keepers."""
        return len(self._waiting)

    # Asking.

    def submitted(self, change: Submission, reply: Reply) -> None:
        """A submission is on this disk: tell all, and answer it when it is on another's."""
        handed = self._direct_placement.hand_on(change.event.tasks) if self._peers.others else ()
        facts = msgspec.structs.replace(change.facts, handed=handed)
        waits = self._broadcasting.submitted(facts)
        run, safe = change.event.run.id, change.event.safe
        answer = PendingReply(run, reply, safe)
        self.ask_to_keep(run, self._turn.name, Keep(0, facts), answer, promises=waits, wanted=max(safe - 1, 1))

    def answered(self, facts: Facts, reply: Reply) -> None:
        """A person's answer is on this disk: confirm it when it is on another's."""
        run = run_of(facts.results[0][0])
        self.ask_to_keep(run, self._turn.name, Keep(0, facts), PendingReply(run, reply))

    def offer(self, change: ResultOffer) -> None:
        """Elements are finished, and their results are on this disk: have another node keep and accept them."""
        spec = self._replica.tasks[change.task].spec
        keep = Keep(0, Facts(results=change.results), ((change.task, change.delta),), change.worked)
        self.ask_to_keep(spec.run, spec.submitted.node, keep, change)

    def ask_to_keep(
        self,
        run: RunId,
        home: NodeId,
        message: Keep | Audit,
        waiting: _Waiting,
        *,
        promises: bool = True,
        wanted: int = 1,
    ) -> None:
        """Have other nodes keep something, ``home`` if it is there; what waits for that goes on afterwards."""
        lasting, others = not isinstance(waiting, OpenAudit), self._keepers(home)
        if len(others) < wanted:
            others = self._peers.others
        if not lasting and self._draining.on:
            others = self._peers.staying
        asked = self._waiting.ask(run, home, message, waiting, others, self._turn.now, lasting=lasting, wanted=wanted)
        if asked is None:
            self._nobody_keeps(waiting, 0)
        else:
            keepers, copy = asked
            for keeper in keepers:
                self._turn.act(Send(keeper, copy, promises=promises))

    def _keepers(self, home: NodeId) -> tuple[NodeId, ...]:
        """Return whom to ask to keep something of a run that was handed in at ``home``, whose owner waits there."""
        peers = self._peers
        staying = tuple(other for other in peers.others if other == home or not self._may_go(other))
        if self._turn.condition.state >= NodeState.UNSTABLE and (supers := peers.supers):
            return tuple(other for other in staying if other == home or other in supers)
        return staying or peers.others

    def _may_go(self, other: NodeId) -> bool:
        return self._peers.drains(other) or self._peers.state_of(other) >= NodeState.UNSTABLE

    # Going on.

    def kept(self, keeper: NodeId, word: Kept) -> None:
        """A node says that something is on its disk."""
        kept = self._waiting.kept(keeper, word.number, self._turn.now)
        if kept is not None:
            self._is_kept(keeper, kept, word)

    def _is_kept(self, keeper: NodeId, kept: Confirmed[_Waiting], word: Kept) -> None:
        self._peers.said(keeper, drains=word.draining)
        self._re_replication.told(keeper, kept.message.facts, stays=not word.draining)
        if isinstance(kept.waiting, OpenAudit):
            self._re_replication.confirmed(keeper, kept.waiting, stays=not word.draining)
        elif kept.waiting is not None:
            self._goes_on(kept.waiting, word, kept.keepers)
        else:
            # More are wanted; perhaps there are no more.
            self.keep_elsewhere()

    def is_fetching(self, keeper: NodeId, number: int) -> None:
        """A node that was asked to keep something brings what it lacks of it."""
        self._waiting.is_fetching(keeper, number, self._turn.now)

    def came(self, node: NodeId) -> None:
        self._waiting.came(node)

    def keep_elsewhere(self) -> None:
        """Ask others to keep what a silent or dead keeper has not confirmed."""
        again, over = self._waiting.tick(self._peers.others, self._turn.now)
        for keeper, message in again:
            self._turn.act(Send(keeper, message))
        for waiting, keepers in over:
            self._nobody_keeps(waiting, keepers)

    def _nobody_keeps(self, waiting: _Waiting, keepers: int) -> None:
        """There is nobody else, or nobody but ``keepers``: that has to do. Or an audit is out of date."""
        if isinstance(waiting, OpenAudit):
            self._re_replication.give_up(waiting)
        else:
            if isinstance(waiting, PendingReply) and not keepers:
                self._re_replication.accepted_alone(waiting.run)
            self._goes_on(waiting, None, keepers)

    def _goes_on(self, waiting: PendingReply | ResultOffer, word: Kept | None, keepers: int) -> None:
        """What waited for a keeper's ``word`` goes on; without one, because there are no more than so many."""
        if isinstance(waiting, PendingReply):
            self._turn.act(waiting.on_disks(1 + keepers))
        elif word is None:
            alone = Outcome(waiting.task, waiting.delta, alone=True)
            self._turn.persist(alone, StatesMerged(waiting.task, waiting.delta))
            self._turn.landed(waiting)
        else:
            self._accepted(waiting, word)

    def _accepted(self, offer: ResultOffer, word: Kept) -> None:
        """A keeper has accepted what it does not name as refused, and tells all others."""
        task = offer.task
        accepted = offer.delta.without(dict(word.refused).get(task, EMPTY))
        if self._applying.apply(task, accepted, ACCEPTED_ELSEWHERE, word.at):
            # After what is said of it, which need not wait for it.
            self._turn.persist(Note((task,), urgent=self._is_last(task)), StatesMerged(task, accepted))
        self._turn.landed(offer)

    def _is_last(self, task: TaskId) -> bool:
        """Whether nothing else of its run has to end, so that the run's end waits for it."""
        run = self._replica.runs[run_of(task)]
        return run.is_complete and run.unended.keys() <= {task} and self._dataflow.has_ended(task)

    def abandon(self, run: RunId) -> None:
        """Nobody needs to keep anything of a run any more."""
        for waiting, keepers in self._waiting.abandon(run):
            if isinstance(waiting, OpenAudit):
                self._re_replication.over(waiting)
            elif isinstance(waiting, ResultOffer):
                self._turn.landed(waiting)
            else:
                self._turn.act(waiting.on_disks(1 + keepers))

    # What waits, for others to see.

    def offered(self, task: TaskId) -> list[Elements]:
        """Return what this node has finished of a task and nobody has accepted yet."""
        return [
            waiting.delta
            for waiting in self._waiting.waiting()
            if isinstance(waiting, ResultOffer) and waiting.task == task
        ]

    def leases(self) -> list[RunningLease]:
        """Return the same of all tasks as leases, which this node still has."""
        return [
            RunningLease(waiting.task, state.token, ranges, 1.0)
            for waiting in self._waiting.waiting()
            if isinstance(waiting, ResultOffer)
            for state, ranges in waiting.delta.items()
        ]

    def is_unanswered(self, run: RunId) -> bool:
        """Whether somebody who handed something of a run in here waits for the answer."""
        return any(isinstance(waiting, PendingReply) and waiting.run == run for waiting in self._waiting.waiting())

    def next_deadline(self) -> float | None:
        return self._waiting.next_deadline()
