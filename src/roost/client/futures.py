"""Futures of single calls: concurrent.futures.Future with an id that another process can attach to."""

import logging
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from roost.client.failures import TaskFailed, error_for, unreadable
from roost.client.forking import of_the_parent, tell_after_fork
from roost.client.lending import waiting
from roost.client.pickling import load
from roost.model.ids import TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment
from roost.model.task import Failure
from roost.wire.stored import reference_of

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

log = logging.getLogger("roost")


class Caller(Protocol):
    """What a future asks of the session that it belongs to."""

    def cancel_call(self, future: "RoostFuture[Any]") -> None: ...

    def wait_until_accepted(self, future: "RoostFuture[Any]") -> None: ...

    def is_running(self, future: "RoostFuture[Any]") -> bool: ...


class _WaitedFor(threading.Event):
    def wait(self, timeout: float | None = None) -> bool:
        with waiting():
            return super().wait(timeout)


class _Waiters(list[Any]):
    """Those who wait for a future in ``wait`` or ``as_completed``, which never ask the future itself."""

    def append(self, waiter: Any) -> None:
        # All futures are locked while it is added to them, so that nobody has used its event yet.
        if not isinstance(waiter.event, _WaitedFor):
            waiter.event = _WaitedFor()
        super().append(waiter)


class RoostFuture(Future[T]):
    """The outcome of one call. Works with wait() and as_completed(), and can be awaited."""

    def __init__(self, caller: Caller) -> None:
        super().__init__()
        self._waiters = _Waiters()
        self._caller = caller
        #: Where the call is, once it has been sent.
        self.calls: Calls | None = None
        self.index = 0
        tell_after_fork(self)

    @property
    def id(self) -> str:
        """The id to attach with, such as ``5-kedova/f-1[17]``. Waits until the node has accepted the call."""
        if self.calls is None or not self.calls.is_accepted:
            self._caller.wait_until_accepted(self)
        assert self.calls is not None
        assert self.calls.task is not None
        return element_id(self.calls.task, self.index)

    def cancel(self) -> bool:
        """Give the call up, even if it runs: the node stops it. False if its outcome is here already.

        Returns at once; the node kills a running call within its grace time. Nobody sees a result through this future
        any more, even if one was made at the last moment.
        """
        if self.cancelled():
            return True
        if not self.mark_cancelled():
            return False
        self._caller.cancel_call(self)
        return True

    def running(self) -> bool:
        """Ask the node whether the call runs now, and wait for its answer. False in a callback, which may not wait."""
        return not self.done() and self._caller.is_running(self)

    def mark_cancelled(self) -> bool:
        """Become cancelled without telling the node. False if there is an outcome already."""
        if not super().cancel():
            return False
        with self._condition:
            # Two threads may get here; the waiters are told once.
            if self._state == "CANCELLED":
                self.set_running_or_notify_cancel()
        return True

    def add_done_callback(self, fn: Callable[[Future[T]], object]) -> None:
        """Have ``fn`` called with this future when it is done. Whatever it raises is logged, and harms nobody else."""
        super().add_done_callback(partial(_call_back, fn))

    def forsake(self) -> None:
        """See Heir. Without an outcome it ends as the parent's. Whom the parent would call back is forgotten."""
        if self._state in {"CANCELLED", "CANCELLED_AND_NOTIFIED", "FINISHED"}:
            return
        super().__init__()
        where = element_id(self.calls.task, self.index) if self.calls and self.calls.task else "this call"
        self.set_exception(of_the_parent(where))

    def __await__(self) -> Generator[Any, None, T]:
        # Only here: whoever awaits has loaded it, and others need not.
        import asyncio  # noqa: PLC0415 - see above

        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[T] = loop.create_future()
        waiter.add_done_callback(self._cancel_with)
        self.add_done_callback(partial(_wake, loop, waiter))
        with waiting():
            return (yield from waiter.__await__())

    def _cancel_with(self, waiter: "asyncio.Future[T]") -> None:
        if waiter.cancelled():
            self.cancel()

    def result(self, timeout: float | None = None) -> T:
        if self.done():
            return super().result(timeout)
        with waiting():
            return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        if self.done():
            return super().exception(timeout)
        with waiting():
            return super().exception(timeout)

    def settle(self, result: T | None, error: BaseException | None = None) -> None:
        """Set the outcome, unless the caller has cancelled in the meantime."""
        try:
            if error is None:
                self.set_result(result)  # type: ignore[arg-type]  # None is what a function without a result gives
            else:
                self.set_exception(error)
        except InvalidStateError:
            return


def _call_back(fn: Callable[[Future[T]], object], future: Future[T]) -> None:
    try:
        fn(future)
    except Exception:
        # Future logs those itself.
        raise
    except BaseException:
        if threading.current_thread() is threading.main_thread():
            raise
        # SystemExit would end the thread that reads the outcomes of all others.
        log.exception("a callback of %r raised", future)


def _wake(loop: "asyncio.AbstractEventLoop", waiter: "asyncio.Future[T]", future: Future[T]) -> None:
    # A loop that has ended waits for nothing.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(_pass_on, future, waiter)


def _pass_on(future: Future[T], waiter: "asyncio.Future[T]") -> None:
    """Give an outcome to who awaits it. asyncio.wrap_future does so, too, but waits for ever for a StopIteration."""
    if waiter.done():
        return
    if future.cancelled():
        waiter.cancel()
        return
    error = future.exception()
    if isinstance(error, StopIteration):
        # As in every coroutine that raises one.
        told = RuntimeError("the function raised StopIteration")
        told.__cause__ = error
        waiter.set_exception(told)
    elif error is not None:
        waiter.set_exception(error)
    else:
        waiter.set_result(future.result())


class Calls:
    """The elements of one task, each of which has a future."""

    def __init__(self, futures: Sequence[RoostFuture[Any]], read: Callable[[bytes], Any] = load) -> None:
        #: Set when the task is sent; it may change until the node has accepted it.
        self.task: TaskId | None = None
        self.is_accepted = False
        self._read = read
        self._open: dict[int, RoostFuture[Any]] = {}
        for index, future in enumerate(futures):
            self.add(index, future)

    def add(self, index: int, future: RoostFuture[Any]) -> None:
        future.calls, future.index = self, index
        self._open[index] = future

    @property
    def finished(self) -> bool:
        return not self._open

    @property
    def missing(self) -> RangeSet:
        return RangeSet.of(self._open) if self._open else EMPTY

    @property
    def futures(self) -> list[RoostFuture[Any]]:
        """The futures whose elements have not ended, as far as is known here."""
        return list(self._open.values())

    def arrived(self, segment: Segment) -> None:
        for index, data in enumerate(segment.values(), segment.start):
            future = self._open.pop(index, None)
            if future is not None and not future.done():
                if reference_of(data) is None:
                    self._settle(future, data)
                else:
                    # It has to be fetched, and outcomes of others must not wait for that.
                    threading.Thread(target=self._settle, args=(future, data), daemon=True, name="roost-value").start()

    def _settle(self, future: RoostFuture[Any], data: bytes) -> None:
        try:
            value = self._read(data)
        # Unpickling runs the caller's code: whatever it raises, SystemExit included, is the outcome of this call only.
        except BaseException as error:  # noqa: BLE001
            future.settle(None, unreadable(self._id(future.index), error))
        else:
            future.settle(value)

    def failed(self, index: int, failure: Failure) -> None:
        future = self._open.pop(index, None)
        if future is not None:
            future.settle(None, error_for(self._id(index), failure))

    def ended(self, state: str, ranges: RangeSet) -> None:
        for index in ranges & self.missing:
            future = self._open.pop(index)
            if state == "cancelled":
                future.mark_cancelled()
            else:
                future.settle(None, end_error(self._id(index), state))

    def lost(self, error: BaseException) -> None:
        futures, self._open = self._open, {}
        for future in futures.values():
            future.settle(None, error)

    def _id(self, index: int) -> str:
        return element_id(self.task or TaskId("call"), index)


def element_id(task: TaskId, index: int) -> str:
    return f"{task}[{index}]"


def end_error(element: str, state: str) -> BaseException:
    """Say why an element ended without a result and without a failure of its own."""
    if state == "cancelled":
        return CancelledError(f"{element} was cancelled")
    return TaskFailed(element, Failure(reason="never ran, because something it needs failed or was cancelled"))
