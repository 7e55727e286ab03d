"""The pool for asyncio. Nothing here blocks the event loop: what may wait does so in a thread."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from roost.client.pool import Pool

P = ParamSpec("P")
T = TypeVar("T")


class AsyncPool:
    """The twins of a pool's methods. A plain ``pool.submit`` may be awaited too; only handing in may wait a moment."""

    def __init__(self, pool: "Pool") -> None:
        self._pool = pool

    async def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``fn`` on the node and return its result. Cancelling the waiting task cancels the call."""
        return await self._pool.submit(fn, *args, **kwargs)

    async def map(
        self,
        fn: Callable[..., T],
        *iterables: Iterable[Any],
        timeout: float | None = None,  # noqa: ASYNC109 - the parameter of Executor.map
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> AsyncIterator[T]:
        """Yield the results in order as they arrive; see Pool.map. The iterables are read in another thread."""
        mapping = await asyncio.to_thread(
            self._pool.mapping, fn, *iterables, timeout=timeout, chunksize=chunksize, buffersize=buffersize
        )
        chunks = mapping.chunks()
        try:
            while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
                chunk.reverse()
                while chunk:
                    yield chunk.pop()
        finally:
            # Also wakes the thread that waits for the next chunk, if it is this task that was cancelled.
            mapping.cancel()

    async def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        await asyncio.to_thread(self._pool.shutdown, wait, cancel_futures=cancel_futures)
