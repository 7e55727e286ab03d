"""Copies: what counts only when it is on another node's disk as well.

Rules (design.md, Durability)
- A submission is answered, and a result is accepted, when it is on this disk and on one other node's, if there is
  another. So the death of any one node costs no accepted work and no accepted result.
- A result goes to the node where its run was submitted, for its owner waits there; if that is this node or away, to
  another, chosen by rendezvous hashing of the run, so that all choose alike and the load spreads.
- A node that has just started and had company before does not take itself for alone until ``alone_after``.
- A keeper that does not answer in time is asked again, and after REPEATS_MAX times another one is chosen. When nobody
  else is left, this disk has to do. What may have changed meanwhile is given up instead, and asked for anew.
"""

from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from roost.model.hashing import rendezvous
from roost.model.ids import NodeId, RunId
from roost.wire.messages import Records

#: The pause before a keeper that has not answered is asked again. Shorter: less delay after a loss. Longer: fewer
#: needless repetitions under load. It doubles each time.
REPEAT_AFTER_S = 0.5
NOBODY = NodeId("")
#: How often one keeper is asked before another is chosen.
REPEATS_MAX = 3

Waiting = TypeVar("Waiting")


class _Copy(Generic[Waiting]):
    __slots__ = ("asked", "keeper", "lasting", "records", "repeat_at", "run", "waiting")

    def __init__(self, run: RunId, records: Records, waiting: Waiting, keeper: NodeId, *, lasting: bool) -> None:
        self.run = run
        self.records = records
        self.waiting = waiting
        self.keeper = keeper
        self.lasting = lasting
        self.asked = 1
        self.repeat_at = 0.0


class Copies(Generic[Waiting]):
    """Holds what waits for a copy, by the number under which the keeper confirms it."""

    def __init__(self, me: NodeId) -> None:
        self._me = me
        self._copies: dict[int, _Copy[Waiting]] = {}
        self._last_number = 0
        #: Until then, nobody to be heard does not mean that nobody is there.
        self.alone_after = 0.0
        #: Keepers that did not answer of late; they are chosen last.
        self._slow: dict[NodeId, None] = {}

    def __len__(self) -> int:
        return len(self._copies)

    def ask(
        self,
        run: RunId,
        home: NodeId,
        records: Records,
        waiting: Waiting,
        others: Sequence[NodeId],
        now: float,
        *,
        lasting: bool = True,
    ) -> tuple[NodeId | None, Records] | None:
        """Return whom to send what, so that ``waiting`` comes back when it is kept; None if nobody else is there.

        If somebody is expected who is not there yet, whom is None: it is sent when he comes.
        What is not ``lasting`` is given up after REPEATS_MAX times.
        """
        keeper = self._choose(run, home, others)
        if keeper is None and now >= self.alone_after:
            return None
        self._last_number += 1
        numbered = msgspec.structs.replace(records, keep=self._last_number)
        copy = _Copy(run, numbered, waiting, keeper or NOBODY, lasting=lasting)
        copy.repeat_at = self.alone_after if keeper is None else now + REPEAT_AFTER_S
        self._copies[self._last_number] = copy
        return keeper, copy.records

    def kept(self, sender: NodeId, number: int) -> tuple[Waiting, Records] | None:
        """A keeper confirms; return what waited for it, and what is kept, once.

        A confirmation by an earlier keeper counts as well.
        """
        self._slow.pop(sender, None)
        copy = self._copies.pop(number, None)
        return None if copy is None else (copy.waiting, copy.records)

    def is_fetching(self, sender: NodeId, number: int, now: float) -> None:
        """A keeper is at work: it asks for what it lacks, so there is no need to ask it again, or another, yet."""
        copy = self._copies.get(number)
        if copy is not None and copy.keeper == sender:
            copy.repeat_at = now + REPEAT_AFTER_S * 2**copy.asked

    def came(self, node: NodeId) -> None:
        """A node is there, or there again: it may be quick now."""
        self._slow.pop(node, None)

    def waiting(self) -> list[Waiting]:
        return [copy.waiting for copy in self._copies.values()]

    def tick(self, others: Sequence[NodeId], now: float) -> tuple[list[tuple[NodeId, Records]], list[Waiting]]:
        """Return what has to be sent again, and what waits no longer: nobody else is left, or it is given up."""
        again: list[tuple[NodeId, Records]] = []
        alone: list[Waiting] = []
        for number, copy in list(self._copies.items()):
            tired = not copy.lasting and copy.asked >= REPEATS_MAX and copy.repeat_at <= now
            if tired or (not others and now >= self.alone_after):
                alone.append(self._copies.pop(number).waiting)
            elif not others:
                copy.keeper, copy.repeat_at = NOBODY, self.alone_after
            elif copy.keeper not in others or copy.repeat_at <= now:
                self._ask_again(copy, others, now)
                again.append((copy.keeper, copy.records))
        return again, alone

    def next_deadline(self) -> float | None:
        return min([copy.repeat_at for copy in self._copies.values()]) if self._copies else None

    def _ask_again(self, copy: _Copy[Waiting], others: Sequence[NodeId], now: float) -> None:
        if copy.keeper not in others or copy.asked >= REPEATS_MAX:
            self._slow[copy.keeper] = None
            copy.keeper = self._choose(copy.run, copy.keeper, others) or copy.keeper
            copy.asked = 0
        copy.repeat_at = now + REPEAT_AFTER_S * 2**copy.asked
        copy.asked += 1

    def _choose(self, run: RunId, home: NodeId, others: Sequence[NodeId]) -> NodeId | None:
        quick = [node for node in others if node not in self._slow] or list(others)
        if home in quick and home != self._me:
            return home
        return max(quick, key=lambda node: rendezvous(run, node), default=None)
