"""The pool: a concurrent.futures.Executor whose processes belong to a node and outlive the caller."""

import atexit
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Self, TypeVar

from roost.client.attaching import attach_to
from roost.client.calls import Session
from roost.client.conversation import Conversation
from roost.client.futures import RoostFuture
from roost.client.mapping import Mapping
from roost.client.pickling import dump_call, dump_function
from roost.client.requirements import count_of
from roost.model.errors import RoostError, Unavailable

if TYPE_CHECKING:
    from roost.client.aio import AsyncPool

P = ParamSpec("P")
T = TypeVar("T")

#: How long the end of the interpreter waits for the node to accept what was handed in.
_EXIT_TIMEOUT_S: Final = 10.0


class Pool(Executor):
    """Runs calls in the worker processes of a node.

    What differs from a ProcessPoolExecutor: what the node has accepted goes on when this process ends, and
    ``roost.attach(future.id)`` finds it from another; ``cancel()`` stops running calls too; a call that exits or dies
    is a ``TaskFailed`` and harms no other. The initializer is called once in each worker process that runs a call of
    this pool; if it raises, the calls fail with its error.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._is_shut = False
        atexit.register(self._leave)

    @cached_property
    def aio(self) -> "AsyncPool":
        """The same for asyncio: ``await pool.aio.submit(...)``, ``async for value in pool.aio.map(...)``."""
        # Only here: to load asyncio takes longer than to connect.
        from roost.client.aio import AsyncPool  # noqa: PLC0415 - see above

        return AsyncPool(self)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> RoostFuture[T]:
        """Call ``fn`` on the node. The future can also be awaited, and its id attached to from elsewhere.

        The function is pickled as it is now, with its globals and closure. Calls that follow each other faster than the
        node accepts them travel together.
        """
        self._check()
        return self._session.call(dump_function(fn), dump_call(args, kwargs))

    def map(
        self,
        fn: Callable[..., T],
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> Iterator[T]:
        """Call ``fn`` with the items of the iterables, and yield the results in order as they arrive.

        The input is handed in at once, as arrays whose length Roost chooses (or ``chunksize``); a million items are a
        few hundred tasks. With ``buffersize`` at most about so many items are taken ahead of the results, which is the
        way for endless input. ``timeout`` counts from now, in seconds. Ending the iteration early cancels the rest.
        """
        return self.mapping(fn, *iterables, timeout=timeout, chunksize=chunksize, buffersize=buffersize).values()

    def mapping(
        self,
        fn: Callable[..., Any],
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> Mapping:
        """Hand in what map() hands in; the results can be taken out in chunks."""
        self._check()
        counts = count_of("chunksize", chunksize), count_of("buffersize", buffersize)
        return Mapping(self._session, fn, iterables, timeout, *counts)

    def attach(self, future_id: str) -> RoostFuture[Any]:
        """Return a future for a call of this or any earlier session, by its id."""
        return attach_to(self._session.conversation, future_id)

    @property
    def conversation(self) -> Conversation:
        return self._session.conversation

    @property
    def run(self) -> str | None:
        """The id of the run that holds this pool's calls; None before the first was accepted."""
        return self._session.run

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls. Returns when the node has accepted all and, with ``wait``, when all have ended.

        ``cancel_futures`` cancels what has not begun; what runs, or is with a worker already, goes on to its end.
        """
        conversation = self._session.conversation
        if self._is_shut:
            if wait:
                conversation.wait_until_idle()
            return
        self._is_shut = True
        atexit.unregister(self._leave)
        if cancel_futures:
            self._session.cancel_waiting()
        self._session.flush()
        # A node that is gone has sealed the run itself.
        with suppress(Unavailable):
            self._session.seal()
        if wait:
            conversation.wait_until_idle()
            conversation.close()
        else:
            conversation.close_when_idle()

    def _leave(self) -> None:
        """Called at the end of the interpreter if nobody called shutdown: what was handed in goes on without us."""
        self._is_shut = True
        # A node that does not answer seals the run itself when the connection ends.
        with suppress(RoostError, TimeoutError):
            self._session.flush(_EXIT_TIMEOUT_S)
            self._session.seal(_EXIT_TIMEOUT_S)
        self._session.conversation.close()

    def _check(self) -> None:
        if self._is_shut:
            raise RuntimeError("cannot schedule new futures after shutdown")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aio.shutdown()

    def __repr__(self) -> str:
        return f"<roost.Pool run={self.run or 'none yet'}{' (shut down)' if self._is_shut else ''}>"
