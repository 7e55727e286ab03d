"""Calls that wait together travel together: neighbours with the same function become one array."""

from collections import deque
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from roost.client.futures import RoostFuture
from roost.client.pickling import Code

#: One message of calls: large enough to be cheap a call, small enough to be on its way soon.
CALLS_PER_MESSAGE: Final = 5_000
BYTES_PER_MESSAGE: Final = 8 * 1024 * 1024
#: Calls that may wait here before submit() waits too.
CALLS_WAITING_MAX: Final = 20_000
BYTES_WAITING_MAX: Final = 32 * 1024 * 1024


class Call(NamedTuple):
    code: Code
    #: The pickled arguments.
    item: bytes
    future: RoostFuture[Any]


class Group(NamedTuple):
    """Calls of one function, the elements of one array."""

    code: Code
    items: list[bytes]
    futures: list[RoostFuture[Any]]


class Batcher:
    """Calls that have not been sent yet, in the order of their submission."""

    def __init__(self) -> None:
        self._calls: deque[Call] = deque()
        self._bytes = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    @property
    def is_full(self) -> bool:
        return len(self._calls) >= CALLS_WAITING_MAX or self._bytes >= BYTES_WAITING_MAX

    def add(self, call: Call) -> None:
        self._calls.append(call)
        self._bytes += len(call.item)

    def take(self) -> list[Group]:
        """Take out what goes into one message. Calls that were cancelled while they waited are left out."""
        groups: list[Group] = []
        for call in self._take_some():
            if not groups or groups[-1].code.blob != call.code.blob:
                groups.append(Group(call.code, [], []))
            groups[-1].items.append(call.item)
            groups[-1].futures.append(call.future)
        return groups

    def _take_some(self) -> Iterator[Call]:
        count = size = 0
        while self._calls and count < CALLS_PER_MESSAGE and (not count or size < BYTES_PER_MESSAGE):
            call = self._calls.popleft()
            self._bytes -= len(call.item)
            if not call.future.cancelled():
                count += 1
                size += len(call.item)
                yield call

    def take_all(self) -> list[Call]:
        calls, self._calls, self._bytes = list(self._calls), deque(), 0
        return calls
