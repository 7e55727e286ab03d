"""Provisioning: files on other nodes are here before what needs them starts: what earlier steps left and a command
names, and values that are too large to travel with their records.

Rules
- A lease starts at once if all files that its placeholders name are here and were looked at a moment ago.
- Otherwise it is held (holding.py) while they are looked at, and brought if need be (far/output.py).
- Nobody knows who has a large value, so all are asked. If none has it, the element itself will say so.
- Whoever has a file may be away for a moment: it is asked for until nothing has come for WAIT_S. Then the elements fail
  with a sentence that says who has it; their retries count. If this disk has no room for it, they are given back.
- While a file comes, the element that is next says how much of it is here, as running elements say how far they are.
"""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from roost.core.events import ElementFailed, ElementsReturned, Progressed
from roost.executors.holding import HeldOrder, HoldingExecutor
from roost.executors.order import EachPort, Order
from roost.executors.port import Executor, Report
from roost.executors.template import Template
from roost.executors.worker.arrivals import GATHERED
from roost.executors.worker.values import files_of
from roost.model.elements import Elements
from roost.model.errors import NotFound, RoostError, Unavailable
from roost.model.ids import LeaseId, NodeId, TaskId
from roost.model.pools import below
from roost.model.ranges import RangeSet
from roost.model.resources import format_size
from roost.model.states import Done
from roost.model.task import Command, EdgeKind, Failure, Manual, TaskSpec
from roost.runtime.data.shelf import Shelf
from roost.runtime.far.output import FarOutput, NoRoomHere
from roost.wire.stored import Stored, reference_of, references_in

#: How long a lease waits for its files while nothing of them comes, between two times that they are asked for, and
#: between two times that it is told how much of one has come.
WAIT_S = 20.0
ASK_AGAIN_S = 1.0
TELL_S = 1.0
#: Inputs that many leases share, and that were looked through.
_SHARED_KEPT = 64


class NeededFile(NamedTuple):
    content: str
    size: int
    #: The task, and the element of it, that left it.
    source: TaskId
    element: int


class Provisioning(HoldingExecutor):
    """An executor in front of another; see Executor."""

    def __init__(
        self, inner: Executor, report: Report, output: FarOutput, shelf: Shelf, *, wait_s: float = WAIT_S
    ) -> None:
        super().__init__(inner, report)
        self._output = output
        self._shelf = shelf
        self._wait_s = wait_s
        #: What was found in inputs that many leases share.
        self._shared_values: dict[str, tuple[Stored, ...]] = {}
        #: Leases whose files could not be had, until that is told.
        self._missed: dict[LeaseId, Unavailable] = {}

    def _waits(self, order: Order) -> bool:
        return bool(self._absent(order) or self._absent_values(order))

    def _absent(self, order: Order) -> list[NeededFile]:
        has_inputs = order.each or order.shared
        if not has_inputs or not isinstance(order.spec.work, Command):
            return []
        try:
            return [needed for needed in needed_files(order, self._shelf) if not self._output.has_file(needed.content)]
        except RoostError:
            # What is wrong with the inputs, the element itself will say.
            return []

    def _absent_values(self, order: Order) -> list[Stored]:
        return [stored for stored in self._values_of(order) if not self._output.has_file(stored.content)]

    def _values_of(self, order: Order) -> Iterator[Stored]:
        """Yield the stored values that a lease takes, found without opening anything."""
        for segment in (*order.items, *(segment for each in order.each for segment in each.segments)):
            yield from references_in(segment.payload)
        for shared in order.shared:
            known = self._shared_values.get(shared.key)
            if known is None:
                known = self._shared_values[shared.key] = tuple(filter(None, map(reference_of, shared.values)))
                if len(self._shared_values) > _SHARED_KEPT:
                    del self._shared_values[next(iter(self._shared_values))]
            yield from known

    async def _prepare(self, held: HeldOrder) -> None:
        try:
            await self._bring(held)
        except Unavailable as error:
            self._missed[held.order.lease] = error

    def _begin(self, held: HeldOrder) -> None:
        error = self._missed.pop(held.order.lease, None)
        if error is None:
            super()._begin(held)
            return
        if isinstance(error, NoRoomHere):
            self._report(ElementsReturned(held.order.lease, held.left, str(error)))
            return
        for index in held.left:
            self._report(ElementFailed(held.order.lease, index, Failure(f"it cannot have its inputs: {error}")))

    async def _bring(self, held: HeldOrder) -> None:
        patience = _Patience(self._wait_s)
        for needed in self._absent(held.order):
            await self._bring_file(held, Stored(needed.content, needed.size), self._makers(needed), patience)
        for stored in self._absent_values(held.order):
            with suppress(Unavailable, NotFound):
                await self._bring_file(held, stored, (), patience)

    async def _bring_file(
        self, held: HeldOrder, wanted: Stored, makers: Sequence[NodeId], patience: "_Patience"
    ) -> None:
        """Ask for a file until it is here. Raise Unavailable, or NotFound, if patience is over."""
        while True:
            coming = asyncio.create_task(self._output.file(*wanted, held.order.spec.run, makers))
            try:
                while not (await asyncio.wait((coming,), timeout=TELL_S))[0]:
                    self._tell(held, wanted, patience)
                coming.result()
            except (Unavailable, NotFound) as error:
                if patience.is_over or isinstance(error, NoRoomHere):
                    raise
            else:
                return
            finally:
                coming.cancel()
            await asyncio.sleep(ASK_AGAIN_S)

    def _tell(self, held: HeldOrder, wanted: Stored, patience: "_Patience") -> None:
        """Say how much of a file has come."""
        bytes_here = self._output.bytes_here(wanted.content)
        patience.came(wanted.content, bytes_here)
        if bytes_here and held.left:
            note = f"its input comes: {format_size(bytes_here)} of {format_size(wanted.size)}"
            self._report(Progressed(held.order.lease, held.left.first, 0.0, note))

    def _makers(self, needed: NeededFile) -> list[NodeId]:
        state = self._shelf.state(needed.source, needed.element)
        return [state.node] if isinstance(state, Done) else []


class _Patience:
    """What a lease has with those who give its files: it lasts while something comes."""

    def __init__(self, wait_s: float) -> None:
        self._wait_s = wait_s
        self._last = asyncio.get_running_loop().time()
        self._known = ("", 0)

    @property
    def is_over(self) -> bool:
        return asyncio.get_running_loop().time() >= self._last + self._wait_s

    def came(self, content: str, bytes_here: int) -> None:
        """So much of a content is here now."""
        if bytes_here and self._known != (content, bytes_here):
            self._known = (content, bytes_here)
            self._last = asyncio.get_running_loop().time()


def needed_files(order: Order, shelf: Shelf) -> Iterator[NeededFile]:
    """Yield the files that the placeholders of a command name, of all elements of a lease."""
    spec = order.spec
    assert isinstance(spec.work, Command), "only commands have placeholders"
    kinds = {edge.port: edge.kind for edge in spec.edges}
    template = Template(spec.work, spec.has_items, kinds)
    named = {**template.files(), **_handed_in(template, spec, shelf)}
    if not named:
        return
    sources = {edge.port: edge.source for edge in spec.edges}
    for each in order.each:
        names, source = named.get(each.port, ()), sources[each.port]
        if names:
            levels = shelf.spec(source).depth - spec.depth
            yield from _files(_each_result(each, shelf.elements(source), levels), names, source)
    for shared in order.shared:
        names, source = named.get(shared.port, ()), sources[shared.port]
        if names:
            elements = shared.parents or shelf.elements(source).in_state(Done)
            yield from _files(zip(elements, shared.values, strict=False), names, source)


def _handed_in(template: Template, spec: TaskSpec, shelf: Shelf) -> dict[str, tuple[str, ...]]:
    """Return the files that ports pick of what people answered, whose places the command gets as values."""
    picking = [edge for edge in spec.edges if edge.pick]
    ports = template.ports() if picking else ()
    return {
        edge.port: (edge.pick,)
        for edge in picking
        if edge.port in ports and isinstance(shelf.spec(edge.source).work, Manual)
    }


def _each_result(each: EachPort, source: Elements, levels: int) -> Iterator[tuple[int, bytes]]:
    """Yield the results that elements have for themselves, with the indices that they have in their source."""
    for segment in each.segments:
        for index, value in enumerate(segment.values(), segment.start):
            if each.kind is EdgeKind.GATHER:
                gathered = below(RangeSet.span(index, index + 1), levels) & source.in_state(Done)
                yield from zip(gathered, GATHERED.decode(value), strict=False)
            else:
                yield index, value


def _files(values: Iterable[tuple[int, bytes]], names: Collection[str], source: TaskId) -> Iterator[NeededFile]:
    for index, value in values:
        files = files_of(value) if names else {}
        for name in names:
            if name in files:
                yield NeededFile(*files[name], source, index)
