"""The content of what arrives at a port: what the next task can see of a result, and nothing else.

How long a command took and what it complained of is kept with its result, but no later task sees it. So a step that
is done again with the same output leaves everything behind it as it was.
"""

from collections import OrderedDict
from itertools import chain
from typing import Final

import msgspec

from roost.executors.order import EachPort, Order, SharedInput
from roost.executors.reuse.entries import digest
from roost.executors.worker.arrivals import GATHERED
from roost.executors.worker.taking import list_of
from roost.executors.worker.values import is_pickle
from roost.model.errors import RoostError
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.task import EdgeKind
from roost.wire.values import decode_command_result, is_json

#: Digests of inputs that many leases share.
_SHARED_KEPT: Final = 64
_JSON: Final = msgspec.json.Encoder(order="sorted")


def content_digest(data: bytes) -> bytes:
    """Return the digest of a result as later tasks see it."""
    if is_pickle(data) or is_json(data):
        return digest(data)
    result = decode_command_result(data)
    files = [part for name, (content, _) in sorted(result.files.items()) for part in (name.encode(), content.encode())]
    datasets = [name.encode(errors="surrogateescape") for name in result.datasets]
    whole = b"" if result.stdout_whole is None else result.stdout_whole[0].encode()
    return digest(result.stdout, whole, digest(*files), digest(*datasets))


class Ports:
    """Digests what arrives for the elements of one order after the other."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[bytes, ...]] = OrderedDict()

    def of_order(self, order: Order) -> tuple[dict[str, bytes], list[dict[str, bytes]]]:
        """Return by the ports' names what all elements get, and for each element, in order, what differs."""
        common: dict[str, bytes] = {}
        columns: dict[str, list[bytes]] = {}
        for each in order.each:
            if each.port:
                columns[each.port] = _column(each)
        for shared in order.shared:
            # What has no name only says how many elements there are.
            if shared.port and shared.parents:
                columns[shared.port] = self._blocks(shared, order.ranges)
            elif shared.port:
                common[shared.port] = digest(_how(shared), *self._digests(shared))
        if not columns:
            return common, [{} for _ in range(len(order.ranges))]
        return common, [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _digests(self, shared: SharedInput) -> tuple[bytes, ...]:
        found = self._known.get(shared.key)
        if found is None:
            found = self._known[shared.key] = tuple(map(content_digest, shared.values))
            if len(self._known) > _SHARED_KEPT:
                self._known.popitem(last=False)
        return found

    def _blocks(self, shared: SharedInput, indices: RangeSet) -> list[bytes]:
        """Return the digests of what elements of a pool get from outside, one for each."""
        how, size = _how(shared), POOL_BLOCK**shared.levels
        of_parent = dict(zip(shared.parents, self._digests(shared), strict=True))
        if shared.kind is not EdgeKind.SPREAD:
            return [digest(how, of_parent[index // size]) for index in indices]
        lists = {parent: _opened(data) for parent, data in zip(shared.parents, shared.values, strict=True)}
        column = []
        for index in indices:
            parent, at = divmod(index, size)
            items = lists[parent]
            item = str(at).encode() + of_parent[parent] if items is None or at >= len(items) else items[at]
            column.append(digest(how, item))
        return column


def _opened(data: bytes) -> list[bytes] | None:
    """Return the items of a list that is spread out; None if it is not for the node to open it.

    The lists of functions are opened by workers only; whoever gets an item of one counts all of it.
    """
    if is_pickle(data):
        return None
    try:
        return [_JSON.encode(item) for item in list_of(data)]
    except (RoostError, msgspec.MsgspecError, TypeError, ValueError):
        return None


def _how(port: EachPort | SharedInput) -> bytes:
    return f"{port.kind} {port.type} {port.pick}".encode(errors="replace")


def _column(each: EachPort) -> list[bytes]:
    values = chain.from_iterable(segment.values() for segment in each.segments)
    if each.kind is EdgeKind.GATHER:
        return [digest(_how(each), *map(content_digest, GATHERED.decode(value))) for value in values]
    return [digest(_how(each), content_digest(value)) for value in values]
