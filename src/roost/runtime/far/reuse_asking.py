"""Asking others: before an element that is to be reused runs here, the other nodes are asked whether they have it.

A lease is held while they are asked, one question to each, and while what belongs to their results is brought; both
are bounded (far/kept.py). What nobody gave is run. A node that is alone asks nobody and holds nothing.
"""

from time import perf_counter

from msgspec.structs import replace

from roost.core.events import ElementsReturned
from roost.executors.holding import HeldOrder, HoldingExecutor
from roost.executors.order import Order
from roost.executors.port import Executor
from roost.model.ids import LeaseId
from roost.model.limits import NAMED_MAX, REUSE_ASKED_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.runtime.far.kept import Asked, FarKept, FoundElsewhere
from roost.runtime.reuse.index import is_usable
from roost.runtime.reuse.reusing import Luck, Reusing, answers


class Asking(HoldingExecutor):
    """What is put between Reusing and an executor; see Executor."""

    def __init__(self, inner: Executor, reusing: Reusing, kept: FarKept) -> None:
        super().__init__(inner, reusing.heard)
        self._reusing = reusing
        self._kept = kept
        self._luck = Luck()
        self._given: dict[LeaseId, tuple[dict[int, FoundElsewhere], float]] = {}

    def _waits(self, order: Order) -> bool:
        return not self._kept.is_alone and bool(self._keys(order))

    def _keys(self, order: Order) -> dict[int, bytes]:
        """Return the keys of what may be taken over, of as many elements as one question asks about."""
        entries = self._reusing.sought(order)
        wanted = order.ranges.take(REUSE_ASKED_MAX) if entries else ()
        return {index: entry.key for index in wanted if (entry := entries.get(index)) is not None and entry.key}

    async def _prepare(self, held: HeldOrder) -> None:
        order, began = held.order, perf_counter()
        wanted = {} if self._kept.is_alone else self._keys(order)
        asked = await self._kept.ask(order.spec.run, wanted) if wanted else Asked({})
        usable = {
            index: offer
            for index, offer in asked.offers.items()
            if is_usable(offer.kept.length, is_mapped=order.spec.is_mapped)
        }
        given = await self._kept.bring(usable, order.spec.id)
        self._note(order, asked, given)
        self._given[order.lease] = given, perf_counter() - began

    def _note(self, order: Order, asked: Asked, given: dict[int, FoundElsewhere]) -> None:
        """Note of what must be run who was asked, for people who want to know why."""
        if not asked.nodes:
            return
        entries = self._reusing.sought(order)
        for index in self._keys(order):
            if index not in given:
                late = (asked.offers[index].node,) if index in asked.offers else ()
                silent = tuple(sorted({*asked.silent, *late})[:NAMED_MAX])
                entries[index] = replace(entries[index], asked=len(asked.nodes), silent=silent)

    def _begin(self, held: HeldOrder) -> None:
        given, busy_s = self._given.pop(held.order.lease)
        given = {index: offer for index, offer in given.items() if index in held.left}
        task, left = held.order.spec.id, held.left - RangeSet.of(given)
        surplus = self._luck.surplus(task, left) if left else EMPTY
        if left:
            self._start(held, left - surplus)
        elif given:
            self._luck.remember(task)
        if given:
            self._answer(held.order, given, busy_s)
        if surplus:
            self._report(ElementsReturned(held.order.lease, surplus))

    def _answer(self, order: Order, given: dict[int, FoundElsewhere], busy_s: float) -> None:
        """Answer for what was given, with the keys of its own: who gave it may be gone next time."""
        sought = self._reusing.sought(order)
        entries = {
            index: replace(sought[index], task=kept.task, index=kept.element, node=node)
            for index, (node, kept) in given.items()
        }
        for done in answers(order, {index: kept for index, (_, kept) in given.items()}, entries, busy_s):
            self._report(done)
