"""What arrives at the ports of a lease, element by element.

At some ports every element finds results of its own, at others all find the same; in a pool those that lie in one
block share the results of the element outside. Elements get copies of their own, as if each ran alone.
"""

import pickle
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import msgspec

from roost.executors.order import EachPort, SharedInput
from roost.executors.worker.taking import Taking, list_of
from roost.model.errors import InvalidInput
from roost.model.pools import POOL_BLOCK
from roost.model.task import EdgeKind, PortType

#: An element that has not begun: its index, its own input, and what arrived for it at the ports.
Unstarted: TypeAlias = tuple[int, bytes | None, tuple[bytes, ...]]

#: Values of these types cannot be changed by one element under the feet of the next.
_IMMUTABLE: Final = (int, float, complex, bool, str, bytes, type(None))
#: Edges over which a list arrives.
_LISTS: Final = frozenset({EdgeKind.ALL, EdgeKind.GATHER})
#: Opens what GATHER has packed.
GATHERED: Final = msgspec.msgpack.Decoder(list[bytes])


class _Shared:
    """A port at which elements find what others find, too."""

    __slots__ = ("constant", "factor", "kind", "lists", "places", "taking", "values")

    def __init__(self, port: SharedInput) -> None:
        self.kind = port.kind
        self.values = port.values
        self.taking = _taking(port)
        #: In a pool: how many indices lie in the block of one result, and where the result of each block stands.
        self.factor = POOL_BLOCK**port.levels
        self.places = {parent: at for at, parent in enumerate(port.parents)} if port.levels else {}
        #: The lists of a mapper, opened.
        self.lists: dict[int, list[Any]] = {}
        self.constant: tuple[Any] | None = None

    def result(self, index: int) -> bytes:
        return self.values[self.places[index // self.factor]] if self.places else self.values[0]

    def item(self, index: int) -> Any:
        """Return the item of the mapper's list that is for this element."""
        parent, at = divmod(index, self.factor)
        items = self.lists.get(parent)
        if items is None:
            items = self.lists[parent] = list_of(self.result(index))
        if at >= len(items):
            raise InvalidInput(f"the list that arrived has {len(items):,} items, and this element takes item {at}")
        return items[at]


class Arrivals:
    """``value`` gives what one port holds for one element."""

    def __init__(self, each: Sequence[EachPort], shared: Sequence[SharedInput]) -> None:
        self._each = {port.port: (at, port.kind, _taking(port)) for at, port in enumerate(each)}
        self._shared = {port.port: _Shared(port) for port in shared}
        ports: list[EachPort | SharedInput] = [*each, *shared]
        self._lists = {port.port: Taking(port.port, wanted=port.type) for port in ports if port.kind in _LISTS}

    def __bool__(self) -> bool:
        return bool(self._each or self._shared)

    def is_own(self, port: str) -> bool:
        """Whether an element finds one result of its own there."""
        return port in self._each and self._each[port][1] is EdgeKind.EACH

    def same_for_all(self, port: str) -> bool:
        """Whether all elements find the same at a port."""
        shared = self._shared.get(port)
        return shared is not None and not shared.places

    def part(self, port: str) -> str:
        """Return the name of the part of each result that a port takes; empty if it takes all of it."""
        return (self._each[port][2] if port in self._each else self._found(port).taking).pick

    def results(self, port: str, element: Unstarted) -> Sequence[bytes]:
        """Return the results that arrived, as they are; of a list that is spread out, the whole."""
        if port in self._each:
            at, kind, _ = self._each[port]
            return GATHERED.decode(element[2][at]) if kind is EdgeKind.GATHER else [element[2][at]]
        shared = self._found(port)
        return shared.values if shared.kind is EdgeKind.ALL else [shared.result(element[0])]

    def values(self, port: str, element: Unstarted) -> list[Any]:
        """Return what the port takes of each result that arrived."""
        if port in self._each:
            taking = self._each[port][2]
        else:
            shared = self._found(port)
            taking = shared.taking
            if shared.kind is EdgeKind.SPREAD:
                return [taking.of(_copied(shared.item(element[0])))]
        values = [taking.value(data) for data in self.results(port, element)]
        if port in self._lists:
            self._lists[port].of(values)
        return values

    def value(self, port: str, element: Unstarted) -> Any:
        """Return what arrived: one value, or the list of all, as the edge says."""
        if port in self._each:
            values = self.values(port, element)
            return values if self._each[port][1] is EdgeKind.GATHER else values[0]
        shared = self._found(port)
        if shared.constant is not None:
            return shared.constant[0]
        values = self.values(port, element)
        if shared.kind is EdgeKind.ALL:
            return values
        if not shared.places and isinstance(values[0], _IMMUTABLE):
            shared.constant = (values[0],)
        return values[0]

    def _found(self, port: str) -> _Shared:
        shared = self._shared.get(port)
        if shared is None:
            raise InvalidInput(f"the arguments name the port '{port}', which the task does not have")
        return shared


def _taking(port: EachPort | SharedInput) -> Taking:
    """Return what a port takes of each result. Where the list of all arrives, its type is that of the list."""
    return Taking(port.port, port.pick, PortType.ANY if port.kind in _LISTS else port.type)


def _copied(value: Any) -> Any:
    return value if isinstance(value, _IMMUTABLE) else pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
