"""The worker's side of the channel: leases and stops in, also while a function runs, and results out.

The thread that calls functions listens itself while it has nothing to do, so that a lease begins without a change of
threads. While it calls, a watching thread looks at the channel now and then, and sends on results that wait.

The calling thread takes elements from the left of a lease's queue without a lock, a stop takes them back from the
right; a queue that looks empty is looked at again under the lock.
"""

import os
import select
import signal
import socket
import threading
from collections import deque
from collections.abc import Callable
from time import monotonic, sleep
from typing import Final, assert_never

import msgspec

from roost.executors.order import Order
from roost.executors.worker.arrivals import Arrivals
from roost.executors.worker.lease import GivenLease, Kept, unstarted_elements
from roost.executors.worker.loading import Functions
from roost.executors.worker.messages import (
    ENCODER,
    TO_CHILD,
    Done,
    Forget,
    FromChild,
    Hold,
    Keep,
    Returned,
    Stop,
    Stopped,
    ToChild,
)
from roost.executors.worker.outbox import in_segments
from roost.executors.worker.taking import list_of
from roost.model.limits import KIB
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Function, Script
from roost.wire.frames import READ_BYTES, FrameReader, frame

#: Results that have waited so long leave with the next element, or, while one runs long, with the next tick.
FLUSH_S: Final = 0.01
#: While elements are so short that many leave together, the next wait twice as long, up to this: every message costs
#: the node, and in a mesh two disks, the same however many are in it. When few have come in that time, it is over.
FLUSH_MANY: Final = 64
FLUSH_MAX_S: Final = 0.4
FLUSH_BYTES: Final = 256 * KIB
#: How often the watching thread looks, and after how many looks without a lease it rests.
_TICK_S: Final = 0.01
_TICKS_UNTIL_REST: Final = 100
#: Results that are kept for what comes behind them: as many as a lane has leases, and no large ones.
_MADE_MAX: Final = 64
_MADE_BYTES_MAX: Final = 256 * KIB


class WorkerLease(GivenLease):
    """A lease of functions or scripts, with the blobs that its work names."""

    def __init__(self, order: Order, kept: Kept) -> None:
        super().__init__(order, kept)
        work = order.spec.work
        assert isinstance(work, Function | Script), "workers run no commands"
        self.code = (work.code, kept.blob(work.code))
        #: What all elements share of their arguments: of a function without items all, of a script what items go into.
        self.arguments = None if work.arguments is None else kept.blob(work.arguments)
        initializer, variables = (work.initializer, work.variables) if isinstance(work, Function) else (None, None)
        self.initializer = None if initializer is None else (initializer, kept.blob(initializer))
        self.variables = None if variables is None else kept.blob(variables)
        self.behind = order.behind
        self.is_sole = len(order.ranges) == 1
        self._inputs = (order.each, order.shared)

    def follow(self, result: bytes) -> None:
        """Take the result of the lease before it."""
        each, shared = self._inputs
        self.ports = Arrivals(each, [msgspec.structs.replace(port, values=(result,)) for port in shared])


class Mailbox:
    """Leases in, results out."""

    def __init__(self, channel: socket.socket, functions: Functions | None = None) -> None:
        """``functions`` are told what is forgotten; a worker for scripts has none."""
        self._channel = channel
        self._functions = functions
        self._frames = FrameReader()
        self._kept = Kept()
        self._poll = select.poll()
        self._poll.register(channel, select.POLLIN)
        #: Held by whoever reads the channel.
        self._reading = threading.Lock()
        self._arrived: deque[WorkerLease] = deque()
        self._leases: dict[int, WorkerLease] = {}
        self._lock = threading.Lock()
        self._released = threading.Condition(self._lock)
        #: Results of the lease that runs: appended by the calling thread, indices first; taken away under the lock.
        self.indices: list[int] = []
        self.values: list[bytes] = []
        #: How much that is.
        self.waiting_bytes = 0
        self.flush_at = 0.0
        self._flush_s = FLUSH_S
        self._running: WorkerLease | None = None
        #: The last results of leases of one element: those that come behind them in a chain take them.
        self._made: dict[int, bytes] = {}
        self._busy_since = 0.0
        self._rests = False
        self._wake = threading.Event()
        #: What else is to be looked at now and then while functions run.
        self.on_tick: Callable[[], None] = lambda: None

    def forsake(self) -> None:
        """In a process that a function has forked: it is not the worker, and must not speak for it."""
        self._channel.close()
        self._lock = threading.Lock()

    def start(self) -> None:
        threading.Thread(target=self._watch, daemon=True, name="mailbox").start()

    # For the thread that calls functions.

    def next(self) -> WorkerLease:
        """Wait for a lease that can run, and return it."""
        lease = self._await_any()
        while not self._can_run(lease):
            lease = self._await_any()
        if self._rests:
            self._wake.set()
        with self._lock:
            self._running = lease
            self._busy_since = monotonic()
            self.flush_at = self._busy_since + self._flush_s
        return lease

    def _await_any(self) -> WorkerLease:
        while not self._arrived:
            with self._reading:
                if not self._arrived:
                    self._read()
        return self._arrived.popleft()

    def _can_run(self, lease: WorkerLease) -> bool:
        """Have a lease that is behind another take its result; give it back if there is none."""
        result = self._made.get(lease.behind)
        if result is not None:
            lease.follow(result)
        if result is not None or not lease.behind:
            return True
        with self._lock:
            returned = RangeSet.of(element[0] for element in lease.todo)
            del self._leases[lease.lease]
            self._flush()
            if returned:
                self._send(Returned(lease.lease, returned))
        return False

    def keep(self, index: int, value: bytes) -> None:
        """Take a result; it leaves with the next ones."""
        self.indices.append(index)
        self.values.append(value)
        self.waiting_bytes += len(value)
        if self._running is not None and self._running.is_sole and len(value) <= _MADE_BYTES_MAX:
            self._made[self._running.lease] = value
            if len(self._made) > _MADE_MAX:
                del self._made[next(iter(self._made))]

    def flush(self) -> None:
        with self._lock:
            self._flush()

    def send(self, message: FromChild) -> None:
        """Send a message, after the results that were there before it."""
        with self._lock:
            self._flush()
            self._send(message)

    def finish(self, lease: WorkerLease) -> bool:
        """Close a lease unless there is something left to do after all."""
        with self._lock:
            if lease.todo:
                return False
            self._flush()
            del self._leases[lease.lease]
            self._running = None
            return True

    def wait_while_held(self, lease: WorkerLease) -> None:
        with self._lock:
            while lease.held:
                self._released.wait()

    def _flush(self) -> None:
        count = len(self.values)
        now = monotonic()
        if count >= FLUSH_MANY:
            self._flush_s = min(2 * self._flush_s, FLUSH_MAX_S)
        elif now >= self.flush_at:
            self._flush_s = FLUSH_S
        self.flush_at = now + self._flush_s
        if count and self._running is not None:
            indices, values = self.indices[:count], self.values[:count]
            segments = in_segments(indices, values)
            del self.indices[:count], self.values[:count]
            self.waiting_bytes = 0
            lengths: tuple[tuple[int, int], ...] = ()
            if self._running.is_mapped:
                lengths = tuple((index, len(list_of(value))) for index, value in zip(indices, values, strict=True))
            self._send(Done(self._running.lease, segments, now - self._busy_since, lengths))
            self._busy_since = now

    def _send(self, message: FromChild) -> None:
        self._channel.sendall(frame(ENCODER.encode([message])))

    # The watching thread.

    def _watch(self) -> None:
        ticks = 0
        while True:
            if ticks == _TICKS_UNTIL_REST:
                self._rest()
                ticks = 0
            sleep(_TICK_S)
            ticks = 0 if self._leases else ticks + 1
            self._tick()
            # While the calling thread listens, there is nothing to look at.
            if self._reading.acquire(blocking=False):
                try:
                    while self._poll.poll(0):
                        self._read()
                finally:
                    self._reading.release()

    def _rest(self) -> None:
        """Sleep until a lease comes; one that came in between is seen here, or sees that we rest."""
        self._wake.clear()
        self._rests = True
        if not self._leases:
            self._wake.wait()
        self._rests = False

    def _read(self) -> None:
        """Wait for something on the channel, and handle it."""
        heard = False
        try:
            data = self._channel.recv(READ_BYTES)
            for message in self._frames.feed(data):
                for part in TO_CHILD.decode(message):
                    self._handle(part)
            heard = bool(data)
        finally:
            if not heard:
                # The node is gone, or cannot be heard any more: so are we, with everything that functions have started.
                os.killpg(0, signal.SIGKILL)

    def _tick(self) -> None:
        if self.values and monotonic() >= self.flush_at:
            self.flush()
        self.on_tick()

    def _handle(self, message: ToChild) -> None:
        match message:
            case Order():
                self._accept(message)
            case Keep():
                self._kept.keep(message)
            case Forget(keys):
                self._kept.forget(keys)
                if self._functions is not None:
                    self._functions.forget(keys)
            case Stop(lease, ranges):
                self._stop(lease, ranges)
            case Hold(lease, on):
                self._hold(lease, on=on)
            case _:
                assert_never(message)

    def _accept(self, order: Order) -> None:
        with self._lock:
            lease = self._leases.get(order.lease)
            if lease is not None:
                lease.todo.extend(unstarted_elements(order))
                return
            lease = self._leases[order.lease] = WorkerLease(order, self._kept)
        self._arrived.append(lease)

    def _stop(self, name: int, ranges: RangeSet) -> None:
        """Give back what has not begun. Results go first: what is open after the answer has begun and not ended."""
        with self._lock:
            lease = self._leases.get(name)
            returned = EMPTY if lease is None else lease.take_back(ranges)
            self._flush()
            self._send(Stopped(name, returned))

    def _hold(self, name: int, *, on: bool) -> None:
        with self._lock:
            lease = self._leases.get(name)
            if lease is not None:
                lease.held = on
                self._released.notify()
