"""Reusing: an executor in front of another that answers for what an earlier run has done already.

It looks at the leases of tasks whose results are kept under keys, and at no others. Keys are made when a lease
starts, because then all inputs are here. Elements whose results are looked for and found are answered at once, the
others are run; what they make is kept under their keys, unless a file that they rest on changed meanwhile.
"""

import logging
from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Final

from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.order import Order, restricted
from roost.executors.port import Executor, Report
from roost.executors.reuse.basis import NotReusable
from roost.executors.reuse.entries import Entry, encode_entry
from roost.executors.reuse.fingerprints import Keyed, Keys
from roost.model.errors import RoostError
from roost.model.happenings import ReusedFrom
from roost.model.ids import LeaseId, NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import pack_runs
from roost.model.stray import carried_text
from roost.runtime.data.shelf import Shelf
from roost.runtime.reuse.index import Found, ReuseIndex, is_usable
from roost.wire.messages import KeptResult

log = logging.getLogger(__name__)

#: Tasks that are remembered for a while.
_LUCKY_MAX: Final = 1000


class _Running:
    """A lease whose elements are kept under keys when they are done."""

    def __init__(self, keyed: Keyed, ranges: RangeSet) -> None:
        self.keyed = keyed
        self.open = ranges


class Luck:
    """Tasks of which the last lease was answered without running anything.

    Such leases take no time, so that the next is far too large if it must be run.
    """

    def __init__(self) -> None:
        self._tasks: dict[TaskId, None] = {}

    def remember(self, task: TaskId) -> None:
        self._tasks[task] = None
        if len(self._tasks) > _LUCKY_MAX:
            del self._tasks[next(iter(self._tasks))]

    def surplus(self, task: TaskId, left: RangeSet) -> RangeSet:
        """Return what is given back of elements that must be run: all but the first, if the luck of a task ends."""
        if task not in self._tasks:
            return EMPTY
        del self._tasks[task]
        return left - left.take(1)


class Reusing:
    """What the executors of a node have in common that are put behind it; give ``heard`` to each as its report."""

    def __init__(self, keys: Keys, shelf: Shelf, index: ReuseIndex, report: Report) -> None:
        self._keys = keys
        self._shelf = shelf
        self._index = index
        self._report = report
        self._running: dict[LeaseId, _Running] = {}
        self._luck = Luck()

    def before(self, inner: Executor) -> Executor:
        """Return an executor that runs in ``inner`` what was not done earlier."""
        return _Front(self, inner)

    def start(self, order: Order, inner: Executor) -> None:
        began = perf_counter()
        try:
            keyed = self._keys.of_order(order, self._shelf.run_spec(order.spec.run).workflow)
            found = self._find(order, keyed) if _may_look(order) else {}
        except NotReusable as reason:
            why = Entry(why=f"it {reason}", never=True)
            self._running[order.lease] = _Running(Keyed(dict.fromkeys(order.ranges, why), {}, {}), order.ranges)
            inner.start(order)
            return
        except (RoostError, OSError, ValueError) as error:
            log.warning("%s: what was done earlier cannot be looked up: %s", order.spec.id, error)
            inner.start(order)
            return
        left = order.ranges - RangeSet.of(found)
        if left:
            self._begin(order, keyed, left, inner)
        else:
            self._luck.remember(order.spec.id)
        if found:
            entries = {index: Entry(task=one.task, index=one.element) for index, one in found.items()}
            for done in answers(order, found, entries, perf_counter() - began):
                self._report(done)

    def _find(self, order: Order, keyed: Keyed) -> dict[int, Found]:
        spec = order.spec
        wanted = {index: entry.key for index, entry in keyed.entries.items()}
        found = self._index.find(wanted, spec.run)
        return {
            index: one
            for index, one in found.items()
            if is_usable(one.length, is_mapped=spec.is_mapped) and self._index.adopt(spec.id, index, one)
        }

    def _begin(self, order: Order, keyed: Keyed, left: RangeSet, inner: Executor) -> None:
        """Run what was not found here."""
        lease = order.lease
        surplus = self._luck.surplus(order.spec.id, left)
        left -= surplus
        self._running[lease] = _Running(keyed, left)
        inner.start(restricted(order, left))
        if surplus:
            self._report(ElementsReturned(lease, surplus))

    def sought(self, order: Order) -> dict[int, Entry]:
        """Return the entries of a lease that was handed on, if others may have its results; they may be replaced."""
        running = self._running.get(order.lease)
        return running.keyed.entries if running is not None and _may_look(order) else {}

    # What the inner executor says.

    def heard(self, event: ElementsDone | ElementFailed | ElementsReturned | Progressed) -> None:
        running = self._running.get(event.lease)
        if running is None or isinstance(event, Progressed):
            self._report(event)
            return
        if isinstance(event, ElementsDone):
            ranges = EMPTY
            for segment in event.segments:
                ranges |= segment.ranges
            if event.reused_from is None:
                event = self._with_keys(event, running.keyed, ranges)
        elif isinstance(event, ElementFailed):
            ranges = RangeSet.span(event.index, event.index + 1)
        else:
            ranges = event.ranges
        running.open -= ranges
        if not running.open:
            del self._running[event.lease]
        self._report(event)

    def _with_keys(self, event: ElementsDone, keyed: Keyed, ranges: RangeSet) -> ElementsDone:
        changed = self._changed(keyed.files)
        entries = []
        for index in ranges:
            entry = keyed.entries.get(index)
            if entry is not None:
                why = changed or self._changed(keyed.own_files.get(index, {}))
                kept = Entry(b"", entry.parts, why=f"the file {why} changed while it ran") if why else entry
                entries.append((index, encode_entry(kept)))
        return ElementsDone(event.lease, event.segments, event.busy_s, event.lengths, pack_runs(entries))

    def _changed(self, files: Mapping[str, bytes | None]) -> str:
        """Return a file that holds something else than when the keys were made, or was not there then."""
        changed = (path for path, before in files.items() if not self._keys.files.is_still(path, before))
        return carried_text(next(changed, ""))


class _Front:
    """See Executor."""

    def __init__(self, reusing: Reusing, inner: Executor) -> None:
        self._reusing = reusing
        self._inner = inner
        self.stop = inner.stop
        self.pause = inner.pause
        self.resume = inner.resume
        self.close = inner.close

    def start(self, order: Order) -> None:
        if order.spec.reuse.keeps:
            self._reusing.start(order, self._inner)
        else:
            self._inner.start(order)


def _may_look(order: Order) -> bool:
    """Whether results are looked for: not for what a person sent back, who would get the same once more."""
    return order.spec.reuse.looks and order.token.edition == 0


def answers(
    order: Order, found: Mapping[int, Found | KeptResult], entries: Mapping[int, Entry], busy_s: float
) -> Iterator[ElementsDone]:
    """Yield the answers for what was found, that of each giver and earlier task together; with what is kept of each."""
    by_origin: dict[tuple[str, TaskId], list[int]] = {}
    for index in sorted(found):
        by_origin.setdefault((entries[index].node, found[index].task), []).append(index)
    for (giver, task), indices in by_origin.items():
        places = RangeSet.of(found[index].element for index in indices)
        yield ElementsDone(
            order.lease,
            pack_runs((index, found[index].value) for index in indices),
            busy_s * len(indices) / len(found),
            tuple((index, found[index].length) for index in indices) if order.spec.is_mapped else (),
            keys=pack_runs((index, encode_entry(entries[index])) for index in indices),
            reused_from=ReusedFrom(task, places, NodeId(giver) if giver else None),
        )
