"""Comparing: nodes whose replicas differ send each other what the other lacks (digest_exchange.py says when).

Rules
- A small run is sent whole. Of a large one that both know, the digests of its tasks are compared in buckets first, so
  that in a mesh at work, where replicas always differ a little, little is sent.
- Of what differs each side sends all that it knows; merging does the rest. The record of a run goes with its tasks, and
  alone if none of them differs: then it is the record that does.
- Who compares the tasks of a run that was forgotten here could not tell by a digest. It is sent the tombstone, and is
  asked for all tasks, because only it knows whether the run is to come back (core/tombstones.py).
"""

from collections.abc import Iterable

import msgspec

from roost.core.actions import Send
from roost.core.mesh.anti_entropy.digest_exchange import DigestExchange
from roost.core.queue.digests import Digests
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.turn import Turn
from roost.model.ids import NodeId, RunId
from roost.model.limits import RECORDS_TASKS_MAX
from roost.wire.messages import BucketDigests, Facts, Forgotten, Message, RunDigests, TaskDigests

#: Tasks of a run that are sent without asking which of them differ. More: fewer questions. Fewer: less is sent in vain.
SMALL_RUN_TASKS = 64


class Comparing:
    def __init__(
        self, turn: Turn, replica: Replica, digests: Digests, exchange: DigestExchange, forgotten: ForgottenRuns
    ) -> None:
        self._turn = turn
        self._replica = replica
        self._digests = digests
        self._exchange = exchange
        self._forgotten = forgotten

    def buckets_heard(self, sender: NodeId, message: BucketDigests) -> None:
        answer = self._exchange.buckets_heard(message)
        if answer is not None:
            self._send(sender, answer)

    def runs_heard(self, sender: NodeId, message: RunDigests) -> None:
        theirs = dict(message.digests)
        to_send, answer = self._exchange.runs_heard(message)
        by_task = [run for run in to_send if run in theirs and self._is_large(run)]
        for run in to_send:
            if run in by_task:
                self._send(sender, TaskDigests(run, self._digests.task_sums(run)))
            else:
                self._send_all(sender, self.all_of(run))
        if answer is not None:
            # What is compared task by task is settled there, both ways.
            said = tuple((run, theirs[run] if run in by_task else digest) for run, digest in answer.digests)
            self._send(sender, msgspec.structs.replace(answer, digests=said))

    def tasks_heard(self, sender: NodeId, message: TaskDigests) -> None:
        run = message.run
        if not self._replica.has_whole(run):
            if message.ask and self._forgotten.tombstone_of(run) is not None:
                self._send_all(sender, self.all_of(run))
                self._send(sender, TaskDigests(run, b"", ask=False))
            return
        tasks = self._digests.differing_tasks(run, message.digests)
        self._send_all(sender, self._pieces(run, [self._replica.tasks[task] for task in tasks]))
        if message.ask:
            self._send(sender, TaskDigests(run, self._digests.task_sums(run), ask=False))

    def transfer(self, newcomer: NodeId) -> None:
        """Send what is in memory; of the rest, digests, so that the newcomer asks for what it lacks."""
        for run in list(self._replica.runs):
            self._send_all(newcomer, self.all_of(run))
        self._send(newcomer, self._exchange.compare())

    def all_of(self, run: RunId) -> list[Facts] | list[Forgotten]:
        """Return everything that is known of a run, in pieces of bounded size."""
        tombstone = self._forgotten.tombstone_of(run)
        if tombstone is not None:
            return [Forgotten((tombstone,))]
        if run not in self._replica.runs or self._forgotten.is_going(run):
            return []
        return self._pieces(run, list(self._replica.entries(run)))

    def _is_large(self, run: RunId) -> bool:
        return self._replica.has_whole(run) and len(self._replica.runs[run].tasks) > SMALL_RUN_TASKS

    def _pieces(self, run: RunId, entries: list[TaskEntry]) -> list[Facts]:
        known = self._replica.runs[run]
        pieces = [entries[at : at + RECORDS_TASKS_MAX] for at in range(0, len(entries), RECORDS_TASKS_MAX)] or [[]]
        return [
            Facts(
                runs=(known.record,),
                tasks=tuple(task.spec for task in piece),
                states=tuple((task.spec.id, task.elements) for task in piece if task.elements),
                at=known.last_end,
            )
            for piece in pieces
        ]

    def _send_all(self, to: NodeId, messages: Iterable[Message]) -> None:
        for message in messages:
            self._send(to, message)

    def _send(self, to: NodeId, message: Message) -> None:
        self._turn.act(Send(to, message))
