"""Write acknowledgement: what counts only when it is on another node's disk as well.

Rules (design.md, Durability)
- A submission is answered, and a result is accepted, when it is on this disk and on one other node's, if there is
  another. So the death of any one node costs no accepted work and no accepted result.
- Whoever submits may ask for more disks than two. Then as many others are asked at once, and all of them have to
  confirm; if there are not so many, all who are there. Who confirms and dies before the answer does not count.
- The keeper tells all others what it has accepted; whoever asked it need not do so again.
- A result goes to the node where its run was submitted, for its owner waits there; if that is this node or away, to
  another, chosen by rendezvous hashing of the run, so that all choose alike and the load spreads.
- A node that has just started and had company before, or hears somebody whom it does not know yet, does not take itself
  for alone until ``alone_after``.
- A keeper that does not answer in time is asked again, and after REPEATS_MAX times another one is chosen. When nobody
  else is left, this disk has to do. What may have changed meanwhile is given up instead, and asked for anew.
- What is in time follows how long the keeper took of late: one that has much to do must not get everything twice.
"""

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

import msgspec

from roost.core.peers import Peers
from roost.model.clock import soonest
from roost.model.hashing import rendezvous
from roost.model.ids import NodeId, RunId
from roost.wire.messages import Audit, Keep

#: The least pause before a keeper that has not answered is asked again. Shorter: less delay after a loss. Longer: fewer
#: needless repetitions under load. It doubles each time.
REPEAT_AFTER_S = 0.5
#: ... and at least so many times as long as it took of late, and the most that follows from that.
REPEAT_AFTER_TIMES = 3.0
REPEAT_AFTER_S_MAX = 2.0
#: How much of a quicker answer shows in what a keeper is thought to take; a slower one shows at once.
_WEIGHT_OF_QUICKER = 1 / 8
#: What a node asks others to keep in one life is fewer.
NUMBERS_PER_BOOT = 2**32
#: How often one keeper is asked before another is chosen.
REPEATS_MAX = 3

Waiting = TypeVar("Waiting")


class _Question:
    """One keeper was asked to keep something."""

    __slots__ = ("_least_s", "asked", "asked_at", "repeat_at")

    def __init__(self, now: float, least_s: float) -> None:
        self.asked = 0
        self.asked_at = now
        self._least_s = least_s
        self.repeat(now)

    def repeat(self, now: float) -> None:
        self.wait(now)
        self.asked += 1

    def wait(self, now: float) -> None:
        self.repeat_at = now + max(REPEAT_AFTER_S * 2**self.asked, self._least_s)

    def is_tired(self, now: float) -> bool:
        return self.asked >= REPEATS_MAX and self.repeat_at <= now


class _Copy(Generic[Waiting]):
    __slots__ = ("confirmed", "lasting", "message", "open", "run", "wait_until", "waiting", "wanted")

    def __init__(self, run: RunId, message: Keep | Audit, waiting: Waiting, wanted: int, *, lasting: bool) -> None:
        self.run = run
        self.message = message
        self.waiting = waiting
        self.lasting = lasting
        #: How many others are to keep it, who does, and who was asked and has not answered.
        self.wanted = wanted
        self.confirmed: dict[NodeId, None] = {}
        self.open: dict[NodeId, _Question] = {}
        #: Until when others are expected who are not there yet, if there are too few.
        self.wait_until: float | None = None

    def next_deadline(self) -> float | None:
        return soonest(self.wait_until, *(question.repeat_at for question in self.open.values()))


class Confirmed(NamedTuple, Generic[Waiting]):
    """Another node keeps what ``message`` told; ``waiting`` waits no longer, if that is enough of them."""

    message: Keep | Audit
    waiting: Waiting | None
    #: How many others keep it.
    keepers: int


class Acknowledgements(Generic[Waiting]):
    """Holds what waits for copies, by the number under which keepers confirm it."""

    def __init__(self, peers: Peers, me: NodeId, boot: int = 1) -> None:
        """``boot`` says which life of the node it is: a late word to an earlier one must not confirm anything now."""
        self._peers = peers
        self._me = me
        self._copies: dict[int, _Copy[Waiting]] = {}
        self._last_number = (boot - 1) * NUMBERS_PER_BOOT
        #: Keepers that did not answer of late; they are chosen last.
        self._slow: dict[NodeId, None] = {}
        #: How long they took of late.
        self._took_s: dict[NodeId, float] = {}

    def __len__(self) -> int:
        return len(self._copies)

    def ask(
        self,
        run: RunId,
        home: NodeId,
        message: Keep | Audit,
        waiting: Waiting,
        others: Sequence[NodeId],
        now: float,
        *,
        lasting: bool = True,
        wanted: int = 1,
    ) -> tuple[list[NodeId], Keep | Audit] | None:
        """Return whom to send what, so that ``waiting`` comes back when ``wanted`` others keep it.

        None: nobody else is there. If somebody is expected who is not there yet, it is sent when he comes.
        What is not ``lasting`` is given up after REPEATS_MAX times.
        """
        if not others and now >= self._peers.alone_after:
            return None
        self._last_number += 1
        numbered = msgspec.structs.replace(message, number=self._last_number)
        copy = self._copies[self._last_number] = _Copy(run, numbered, waiting, wanted, lasting=lasting)
        return self._ask_more(copy, home, others, now), numbered

    def kept(self, sender: NodeId, number: int, now: float) -> Confirmed[Waiting] | None:
        """A keeper confirms; None if that is not news. A confirmation by an earlier keeper counts as well."""
        self._slow.pop(sender, None)
        copy = self._copies.get(number)
        if copy is None or sender in copy.confirmed:
            return None
        question = copy.open.pop(sender, None)
        if question is not None:
            self._note_time(sender, now - question.asked_at)
        copy.confirmed[sender] = None
        enough = len(copy.confirmed) >= copy.wanted
        if enough:
            del self._copies[number]
        return Confirmed(copy.message, copy.waiting if enough else None, len(copy.confirmed))

    def is_fetching(self, sender: NodeId, number: int, now: float) -> None:
        """A keeper is at work: it asks for what it lacks, so there is no need to ask it again, or another, yet."""
        copy = self._copies.get(number)
        if copy is not None and sender in copy.open:
            copy.open[sender].wait(now)

    def _note_time(self, keeper: NodeId, took_s: float) -> None:
        before = self._took_s.get(keeper, 0.0)
        quicker = before + _WEIGHT_OF_QUICKER * (took_s - before)
        self._took_s[keeper] = max(took_s, quicker)

    def _least_s(self, keeper: NodeId) -> float:
        """Return how long to wait for a keeper's answer at least."""
        return min(REPEAT_AFTER_TIMES * self._took_s.get(keeper, 0.0), REPEAT_AFTER_S_MAX)

    def came(self, node: NodeId) -> None:
        """A node is there, or there again: it may be quick now."""
        self._slow.pop(node, None)
        self._took_s.pop(node, None)

    def abandon(self, run: RunId) -> list[tuple[Waiting, int]]:
        """Return what waits for copies of a run, with how many others keep it; it waits no longer."""
        copies = {number: copy for number, copy in self._copies.items() if copy.run == run}
        for number in copies:
            del self._copies[number]
        return [(copy.waiting, len(copy.confirmed)) for copy in copies.values()]

    def waiting(self) -> list[Waiting]:
        return [copy.waiting for copy in self._copies.values()]

    def tick(
        self, others: Sequence[NodeId], now: float
    ) -> tuple[list[tuple[NodeId, Keep | Audit]], list[tuple[Waiting, int]]]:
        """Return what has to be sent again, and what waits no longer, with how many others keep it.

        It waits no longer because everybody who is there keeps it, or because it is given up.
        """
        again: list[tuple[NodeId, Keep | Audit]] = []
        over: list[tuple[Waiting, int]] = []
        for number, copy in list(self._copies.items()):
            # Who has gone meanwhile may never come back with what it keeps.
            copy.confirmed = {node: None for node in copy.confirmed if node in others}
            tired = not copy.lasting and any(question.is_tired(now) for question in copy.open.values())
            left = any(node not in copy.confirmed for node in others)
            if tired or (not left and now >= self._peers.alone_after):
                del self._copies[number]
                over.append((copy.waiting, len(copy.confirmed)))
            else:
                again += [(keeper, copy.message) for keeper in self._ask_again(copy, others, now)]
        return again, over

    def next_deadline(self) -> float | None:
        return soonest(*(copy.next_deadline() for copy in self._copies.values()))

    def _ask_again(self, copy: _Copy[Waiting], others: Sequence[NodeId], now: float) -> list[NodeId]:
        """Return who is to be asked now: those who do not answer, and others for those who never did."""
        again = []
        for keeper, question in list(copy.open.items()):
            if keeper not in others or question.is_tired(now):
                self._slow[keeper] = None
                del copy.open[keeper]
            elif question.repeat_at <= now:
                question.repeat(now)
                again.append(keeper)
        return again + self._ask_more(copy, self._me, others, now)

    def _ask_more(self, copy: _Copy[Waiting], home: NodeId, others: Sequence[NodeId], now: float) -> list[NodeId]:
        """Choose as many keepers as are lacking, as far as there are some."""
        lacking = copy.wanted - len(copy.confirmed) - len(copy.open)
        if lacking <= 0:
            copy.wait_until = None
            return []
        free = [node for node in others if node not in copy.confirmed and node not in copy.open]
        chosen = self._in_order(copy.run, home, free)[:lacking]
        copy.open.update((keeper, _Question(now, self._least_s(keeper))) for keeper in chosen)
        expected = lacking > len(chosen) and now < self._peers.alone_after
        copy.wait_until = self._peers.alone_after if expected else None
        return chosen

    def _in_order(self, run: RunId, home: NodeId, others: Sequence[NodeId]) -> list[NodeId]:
        """Return all of them, the best keeper first: quick ones before slow ones, among them its home."""
        return sorted(
            others,
            key=lambda node: (node not in self._slow, node == home and node != self._me, rendezvous(run, node)),
            reverse=True,
        )
