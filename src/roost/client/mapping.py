"""map(): the slices of one input in flight, and their results in order."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from roost.client.arrays import ArrayResults
from roost.client.calls import Session
from roost.client.pickling import dump_call, dump_function
from roost.client.slicing import slices


class Mapping:
    """Hands in everything when it is made, or with ``buffersize`` only so many elements ahead of who takes them out."""

    def __init__(
        self,
        session: Session,
        function: Callable[..., Any],
        iterables: tuple[Iterable[Any], ...],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> None:
        self._session = session
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._code = dump_function(function)
        items = (dump_call(args, {}) for args in zip(*iterables, strict=False))
        length = chunksize if buffersize is None else min(chunksize or buffersize, buffersize)
        self._slices = slices(items, length)
        self._buffersize = buffersize
        self._arrays: deque[ArrayResults] = deque()
        self._ahead = 0
        self._fill()

    def _fill(self) -> None:
        while self._buffersize is None or self._ahead < self._buffersize:
            items = next(self._slices, None)
            if items is None:
                return
            self._arrays.append(self._session.array(self._code, items))
            self._ahead += len(items)

    def chunks(self) -> Iterator[list[Any]]:
        """Yield the results in order, as many at a time as have arrived. What is not taken out is cancelled."""
        try:
            while self._arrays:
                array = self._arrays[0]
                for chunk in array.chunks(self._deadline):
                    self._ahead -= len(chunk)
                    self._fill()
                    yield chunk
                self._arrays.popleft()
        finally:
            self.cancel()

    def values(self) -> Iterator[Any]:
        """Yield the results one by one. Nobody here holds on to one that was taken out."""
        for chunk in self.chunks():
            chunk.reverse()
            while chunk:
                yield chunk.pop()

    def cancel(self) -> None:
        """Cancel what has no outcome yet."""
        while self._arrays:
            array = self._arrays.popleft()
            self._session.cancel(array, array.missing)
