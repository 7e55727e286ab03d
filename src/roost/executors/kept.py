"""What a process of ours has been sent and still keeps: functions by their hash, shared inputs by their key.

The node decides alone what is forgotten, and says so, so that the two never disagree.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from roost.executors.worker.messages import Forget, Keep
from roost.model.limits import MIB

KEYS_KEPT_MAX: Final = 128
BYTES_KEPT_MAX: Final = 256 * MIB
#: Values are sent in messages of about this size, well below the limit of a frame.
MESSAGE_BYTES: Final = 32 * MIB


class SentBefore:
    """The keys one process has, least recently used first."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}
        self._total = 0

    def provide(self, wanted: Iterable[tuple[str, tuple[bytes, ...]]]) -> list[Keep | Forget]:
        """Return what must be said before a lease that names these keys."""
        messages: list[Keep | Forget] = []
        named = 0
        for key, values in wanted:
            named += 1
            size = self._sizes.pop(key, None)
            if size is None:
                size = sum(map(len, values))
                self._total += size
                messages += _keeps(key, values)
            self._sizes[key] = size
        forgotten = tuple(self._surplus(named))
        return [Forget(forgotten), *messages] if forgotten else messages

    def _surplus(self, named: int) -> Iterator[str]:
        """Drop the oldest, but never those just named."""
        while len(self._sizes) > named and (self._total > BYTES_KEPT_MAX or len(self._sizes) > KEYS_KEPT_MAX):
            oldest = next(iter(self._sizes))
            self._total -= self._sizes.pop(oldest)
            yield oldest


def _keeps(key: str, values: tuple[bytes, ...]) -> Iterator[Keep]:
    part: list[bytes] = []
    size = 0
    for value in values:
        if part and size + len(value) > MESSAGE_BYTES:
            yield Keep(key, tuple(part))
            part, size = [], 0
        part.append(value)
        size += len(value)
    yield Keep(key, tuple(part))
