"""The worker's side of the channel: a thread that takes leases and stops, also while a function runs, and results out.

The thread that calls functions takes elements from the left of a lease's queue without a lock, the listening thread
takes them back from the right; a queue that looks empty is looked at again under the lock.
"""

import os
import queue
import select
import signal
import socket
import threading
from collections import deque
from time import monotonic
from typing import Final, assert_never

from roost.executors.worker.inputs import Unstarted, unstarted_elements
from roost.executors.worker.loading import NO_ARGUMENTS, Functions, Ports
from roost.executors.worker.messages import (
    ENCODER,
    TO_CHILD,
    CommandLease,
    Done,
    Forget,
    FromChild,
    FunctionLease,
    Hold,
    Keep,
    Stop,
    Stopped,
    ToChild,
)
from roost.executors.worker.outbox import in_segments
from roost.executors.worker.output import RAW
from roost.model.ids import TaskId
from roost.model.limits import KIB, MIB, OUTPUT_KEPT_BYTES_MAX
from roost.model.ranges import RangeSet
from roost.wire.frames import FrameReader, frame

_READ_BYTES: Final = 1 * MIB
#: Results that have waited so long leave with the next element, or, while one runs long, with the next tick.
FLUSH_S: Final = 0.01
FLUSH_BYTES: Final = 256 * KIB
_TICK_MS: Final = 20
_IDLE_TICK_MS: Final = 100


class WorkerLease:
    """A lease in the worker. What it names is looked up when it arrives, so that forgetting later does no harm."""

    def __init__(self, message: FunctionLease, kept: dict[str, list[bytes]]) -> None:
        self.lease = message.lease
        self.task = TaskId(message.task)
        self.first_attempt = not message.again
        self.code = (message.code, kept[message.code][0])
        self.initializer = None if message.initializer is None else (message.initializer, kept[message.initializer][0])
        shared = [(port, kept[port.key]) for port in message.shared]
        self.ports = Ports([each.port for each in message.each], shared)
        self.arguments = NO_ARGUMENTS if message.arguments is None else kept[message.arguments][0]
        self.todo: deque[Unstarted] = deque()
        self.held = False

    def extend(self, message: FunctionLease) -> None:
        elements = unstarted_elements(message)
        if not message.items:
            self.todo.extend((index, self.arguments, each) for index, _, each in elements)
        else:
            self.todo.extend(elements)


class Mailbox:
    """Leases in, results out."""

    def __init__(self, channel: socket.socket, functions: Functions) -> None:
        self._channel = channel
        self._functions = functions
        self._frames = FrameReader()
        self._kept: dict[str, list[bytes]] = {}
        self._arrived: queue.SimpleQueue[WorkerLease] = queue.SimpleQueue()
        self._leases: dict[int, WorkerLease] = {}
        self._lock = threading.Lock()
        self._released = threading.Condition(self._lock)
        #: Results of the lease that runs: appended by the calling thread, indices first; taken away under the lock.
        self.indices: list[int] = []
        self.values: list[bytes] = []
        self.flush_at = 0.0
        self._running = -1
        self._busy_since = 0.0

    def forsake(self) -> None:
        """In a process that a function has forked: it is not the worker, and must not speak for it."""
        self._channel.close()
        self._lock = threading.Lock()

    def start(self) -> None:
        threading.Thread(target=self._listen, daemon=True, name="mailbox").start()

    # For the thread that calls functions.

    def next(self) -> WorkerLease:
        lease = self._arrived.get()
        with self._lock:
            self._running = lease.lease
            self._busy_since = monotonic()
            self.flush_at = self._busy_since + FLUSH_S
        return lease

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
            self._running = -1
            return True

    def wait_while_held(self, lease: WorkerLease) -> None:
        with self._lock:
            while lease.held:
                self._released.wait()

    def _flush(self) -> None:
        count = len(self.values)
        now = monotonic()
        self.flush_at = now + FLUSH_S
        if count:
            segments = in_segments(self.indices[:count], self.values[:count])
            del self.indices[:count], self.values[:count]
            self._send(Done(self._running, segments, now - self._busy_since))
            self._busy_since = now

    def _send(self, message: FromChild) -> None:
        self._channel.sendall(frame(ENCODER.encode([message])))

    # The listening thread.

    def _listen(self) -> None:
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        try:
            while self._take(poll):
                pass
        finally:
            # The node is gone, or cannot be heard any more: so are we, with everything that functions have started.
            os.killpg(0, signal.SIGKILL)

    def _take(self, poll: select.poll) -> bool:
        """Handle what arrives next, or the passing of time; return False at the end of the channel."""
        if not poll.poll(self._patience()):
            self._tick()
            return True
        data = self._channel.recv(_READ_BYTES)
        for message in self._frames.feed(data):
            for part in TO_CHILD.decode(message):
                self._handle(part)
        return bool(data)

    def _patience(self) -> int | None:
        if self.values:
            return _TICK_MS
        return _IDLE_TICK_MS if self._leases else None

    def _tick(self) -> None:
        if self.values and monotonic() >= self.flush_at:
            self.flush()
        if os.lseek(RAW, 0, os.SEEK_CUR) > OUTPUT_KEPT_BYTES_MAX:
            os.ftruncate(RAW, 0)
            os.lseek(RAW, 0, os.SEEK_SET)

    def _handle(self, message: ToChild) -> None:
        match message:
            case FunctionLease():
                self._accept(message)
            case Keep(key, values):
                self._kept.setdefault(key, []).extend(values)
            case Forget(keys):
                for key in keys:
                    self._kept.pop(key, None)
                self._functions.forget(keys)
            case Stop(lease, bounds):
                self._stop(lease, RangeSet(bounds))
            case Hold(lease, on):
                self._hold(lease, on=on)
            case CommandLease():
                raise AssertionError("commands are not for workers")
            case _:
                assert_never(message)

    def _accept(self, message: FunctionLease) -> None:
        with self._lock:
            lease = self._leases.get(message.lease)
            if lease is not None:
                lease.extend(message)
                return
            lease = self._leases[message.lease] = WorkerLease(message, self._kept)
            lease.extend(message)
        self._arrived.put(lease)

    def _stop(self, name: int, ranges: RangeSet) -> None:
        """Give back what has not begun. Results go first: what is open after the answer has begun and not ended."""
        with self._lock:
            lease = self._leases.get(name)
            returned = RangeSet() if lease is None else _take_back(lease.todo, ranges)
            self._flush()
            self._send(Stopped(name, returned.bounds))

    def _hold(self, name: int, *, on: bool) -> None:
        with self._lock:
            lease = self._leases.get(name)
            if lease is not None:
                lease.held = on
                self._released.notify()


def _take_back(todo: deque[Unstarted], ranges: RangeSet) -> RangeSet:
    """Take elements out of a queue from which another thread takes them too, one by one from the left."""
    taken: list[Unstarted] = []
    try:
        while True:
            taken.append(todo.pop())
    except IndexError:
        pass
    todo.extend(element for element in reversed(taken) if element[0] not in ranges)
    return RangeSet.of(element[0] for element in taken if element[0] in ranges)
