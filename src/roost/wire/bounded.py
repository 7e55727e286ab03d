"""A table that never holds more than so many entries: whoever was not looked up for longest is forgotten."""

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Bounded(Generic[K, V]):
    """What grows with what others send is kept in one of these."""

    def __init__(self, size_max: int) -> None:
        assert size_max > 0
        self._size_max = size_max
        self._entries: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: K) -> bool:
        """Tell whether it is there. Looking this way does not count as use."""
        return key in self._entries

    def get(self, key: K) -> V | None:
        """Return the entry, which counts as its use."""
        value = self._entries.pop(key, None)
        if value is not None:
            self._entries[key] = value
        return value

    def put(self, key: K, value: V) -> bool:
        """Add or replace an entry. Tell whether another had to go for it."""
        self._entries.pop(key, None)
        full = len(self._entries) == self._size_max
        if full:
            del self._entries[next(iter(self._entries))]
        self._entries[key] = value
        return full

    def discard(self, key: K) -> None:
        self._entries.pop(key, None)
