"""The launcher: runs the commands of all lanes of a node, one program after the other on each.

It is a process of its own so that starting a program costs the node nothing, and so that the next program starts the
moment the last one ends, without asking anybody. It lives as long as its channel: when the node is gone, everything
that the launcher runs is killed, and then it ends.
"""

import os
import select
import signal
import socket
import traceback
from collections.abc import Callable
from functools import partial
from math import inf
from time import monotonic, sleep
from typing import Final, NoReturn, assert_never

from roost.core.actions import StopMode
from roost.executors import orphans
from roost.executors.memory import PeakMemory
from roost.executors.order import Order
from roost.executors.places import Places
from roost.executors.worker.arrivals import Unstarted
from roost.executors.worker.capture import Capture
from roost.executors.worker.conclusions import CONFIRM_MAX_S, CONFIRM_S, Conclusions, Outcome
from roost.executors.worker.element import ENDED_BY_US, Element, Why
from roost.executors.worker.finisher import Finisher
from roost.executors.worker.folder import remove_leftovers, remove_scratch
from roost.executors.worker.fronts import Fronts
from roost.executors.worker.lanes import Lane, QueuedLease
from roost.executors.worker.lease import Kept
from roost.executors.worker.messages import (
    TO_CHILD,
    Failed,
    Forget,
    Hold,
    Keep,
    Progress,
    Ready,
    Returned,
    Stop,
    ToChild,
)
from roost.executors.worker.node_life import NodeLife
from roost.executors.worker.outbox import Outbox
from roost.executors.worker.room import lacks_room
from roost.executors.worker.spawn import CannotStart
from roost.executors.worker.starter import Starter
from roost.model.errors import InvalidInput
from roost.model.limits import KIB
from roost.model.ranges import RangeSet
from roost.model.stray import with_escapes
from roost.model.task import Failure
from roost.wire.frames import READ_BYTES, FrameReader

_OUTPUT_BYTES: Final = 64 * KIB


class Launcher:
    """One thread, one epoll: output, ends of programs, the node's messages, and time."""

    def __init__(self, channel: socket.socket, places: Places, mark: str, fronts: Fronts) -> None:
        self._fronts = fronts
        self._node_life = NodeLife(os.getppid())
        self._channel = channel
        self._places = places
        self._mark = mark
        self._scratch = places.scratch / mark
        self._frames = FrameReader()
        self._outbox = Outbox(channel)
        self._kept = Kept()
        self._starter = Starter(places, mark, self._scratch)
        self._finisher = Finisher()
        self._conclusions = Conclusions(self._outbox, self._finisher, places)
        self._peak_memory = PeakMemory()
        self._lanes: dict[int, Lane] = {}
        #: Lanes that got a lease in the messages at hand.
        self._longer: dict[int, None] = {}
        self._epoll = select.epoll()
        self._watched: dict[int, Callable[[int], None]] = {}
        #: The elements that run, by the descriptors that tell their ends.
        self._running: dict[int, tuple[Lane, Element]] = {}
        self._next_check = inf

    def run(self) -> NoReturn:
        try:
            self._serve()
        except (BrokenPipeError, ConnectionResetError):
            self._end()
        # Our own mistake, whatever it was: what this process ran must not outlive it, and the node runs it elsewhere.
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
            self._end()

    def _serve(self) -> NoReturn:
        control = self._channel.fileno()
        self._epoll.register(control, select.EPOLLIN)
        self._watch(self._finisher.descriptor, lambda _: self._finisher.conclude())
        self._finisher.add(partial(remove_leftovers, self._scratch))
        self._outbox.add(Ready(), monotonic())
        self._outbox.flush()
        while True:
            # What frees or takes descriptors comes last: no event at hand may reach the successor of whom it is about.
            spoken = False
            ended: list[int] = []
            written: list[tuple[int, int]] = []
            for descriptor, mask in self._epoll.poll(self._timeout()):
                if descriptor in self._running:
                    ended.append(descriptor)
                elif descriptor == control:
                    spoken = True
                elif descriptor in self._watched:
                    written.append((descriptor, mask))
            for descriptor, mask in written:
                self._watched[descriptor](mask)
            for descriptor in ended:
                self._on_end(descriptor)
            if spoken:
                self._listen()
            now = monotonic()
            if now >= self._next_check:
                self._check(now)
            if self._outbox.urgent or (self._outbox.due is not None and now >= self._outbox.due):
                self._outbox.flush()

    def _timeout(self) -> float | None:
        until = self._next_check if self._outbox.due is None else min(self._next_check, self._outbox.due)
        return None if until == inf else max(until - monotonic(), 0)

    def _watch(self, descriptor: int, handler: Callable[[int], None]) -> None:
        self._watched[descriptor] = handler
        self._epoll.register(descriptor, select.EPOLLIN)

    def _unwatch(self, descriptor: int) -> None:
        # Closing alone is not enough: a program that is just being started holds a copy for a moment.
        self._epoll.unregister(descriptor)
        del self._watched[descriptor]

    # What the node says.

    def _listen(self) -> None:
        data = self._channel.recv(READ_BYTES)
        if not data:
            raise ConnectionResetError
        for message in self._frames.feed(data):
            for part in TO_CHILD.decode(message):
                self._handle(part, monotonic())
        # Only now: what the same breath stops or holds must not begin first.
        for lane in [self._lanes[name] for name in self._longer if name in self._lanes]:
            self._advance(lane)
        self._longer.clear()

    def _handle(self, message: ToChild, now: float) -> None:
        match message:
            case Order():
                lane = self._lanes.setdefault(message.lane, Lane(message.lane))
                lane.leases.append(QueuedLease(message, self._kept, self._starter.variables_for(message)))
                self._longer[lane.name] = None
            case Keep():
                self._kept.keep(message)
            case Forget(keys):
                self._kept.forget(keys)
            case Stop(lease, ranges, mode):
                self._stop(lease, ranges, StopMode(mode), now)
            case Hold(lease, on):
                self._hold(lease, on=on, now=now)
            case _:
                assert_never(message)

    def _stop(self, lease: int, ranges: RangeSet, mode: StopMode, now: float) -> None:
        for lane in self._lanes.values():
            for queued in lane.leases:
                if queued.lease == lease and (returned := queued.take_back(ranges)):
                    self._outbox.add(Returned(lease, returned), now)
            element = lane.running
            if mode is StopMode.KILL and element and element.lease == lease and element.index in ranges:
                element.stop(now)
                self._expect(element)
        self._outbox.urgent = True

    def _hold(self, lease: int, *, on: bool, now: float) -> None:
        for lane in list(self._lanes.values()):
            for queued in lane.leases:
                if queued.lease == lease:
                    queued.held = on
            if lane.running and lane.running.lease == lease:
                if on:
                    lane.running.pause(now)
                else:
                    lane.running.resume(now)
                    self._expect(lane.running)
            if not on:
                self._advance(lane)

    # The life of an element.

    def _advance(self, lane: Lane) -> None:
        """Start what is next on a lane; elements that cannot be started are answered until one can."""
        while (entry := lane.next()) is not None:
            lease, unstarted = entry
            # Before, not after: a program may kill this process as soon as it runs.
            self._fronts.begin(lane.name, lease.lease, unstarted[0], lease.task)
            element = self._start(lease, unstarted)
            if element is not None:
                lane.running = element
                self._attach(lane, element)
                return
            self._fronts.end(lane.name)
        if lane.running is None:
            self._outbox.urgent = True
            if not lane.leases:
                del self._lanes[lane.name]

    def _start(self, lease: QueuedLease, unstarted: Unstarted) -> Element | None:
        try:
            return self._starter.start(lease, unstarted)
        except InvalidInput as error:
            failure = Failure(with_escapes(str(error)), permanent=True)
        except CannotStart as error:
            failure = Failure(with_escapes(str(error)))
        except OSError as error:
            if lacks_room(error):
                why = f"it could not be prepared: {error.strerror}"
                self._outbox.add(Returned(lease.lease, RangeSet.span(unstarted[0], unstarted[0] + 1), why), monotonic())
                return None
            failure = Failure(with_escapes(f"could not be prepared on this node: {error}"))
        self._outbox.add(Failed(lease.lease, unstarted[0], failure), monotonic())
        return None

    def _attach(self, lane: Lane, element: Element) -> None:
        pidfd = os.pidfd_open(element.pid)
        self._running[pidfd] = (lane, element)
        self._epoll.register(pidfd, select.EPOLLIN)
        self._expect(element)

    def _watch_output(self, element: Element) -> None:
        for capture in (element.stdout, element.stderr):
            self._watch(capture.descriptor, partial(self._on_output, element, capture))

    def _expect(self, element: Element) -> None:
        self._next_check = min(self._next_check, element.due)

    def _on_output(self, element: Element, capture: Capture, mask: int) -> None:
        """Read what is there; at the end of the stream, close it."""
        data = os.read(capture.descriptor, _OUTPUT_BYTES) if mask & select.EPOLLIN else b""
        if not data:
            self._close_output(capture)
            return
        now = monotonic()
        element.take(capture, data, now)
        self._pass_on_progress(element, now)
        self._expect(element)

    def _close_output(self, capture: Capture) -> None:
        if capture.descriptor in self._watched:
            self._unwatch(capture.descriptor)
        capture.close_stream()

    def _pass_on_progress(self, element: Element, now: float) -> None:
        progress = element.take_progress(now)
        if progress is not None:
            self._outbox.add(Progress(element.lease, element.index, progress.fraction, progress.note), now)

    def _on_end(self, pidfd: int) -> None:
        if self._node_life.is_over:
            # Perhaps by this element: what ran stays noted.
            raise ConnectionResetError
        lane, element = self._running.pop(pidfd)
        # Until it is reaped nobody else can have its pid, so that this reaches its own group and no other.
        element.signal(signal.SIGKILL)
        lingers = element.why in ENDED_BY_US and orphans.kill(element.prepared.mark, group=element.pid)
        _, status, usage = os.wait4(element.pid, 0)
        # Closing alone is not enough: a program that is just being started holds a copy for a moment.
        self._epoll.unregister(pidfd)
        os.close(pidfd)
        now = monotonic()
        self._drain(element, now)
        lane.running = None
        self._fronts.end(lane.name)
        self._advance(lane)
        outcome = element.judge(status, self._peak_memory.of_child(usage.ru_maxrss), now)
        if lingers:
            self._conclusions.when_dead(element, partial(self._conclude, element, outcome), now)
        else:
            self._conclude(element, outcome)

    def _conclude(self, element: Element, outcome: Outcome) -> None:
        if element.why is Why.STOPPED:
            self._conclusions.give_back(element)
        else:
            self._conclusions.conclude(element, outcome)

    def _drain(self, element: Element, now: float) -> None:
        """Take what is left in the pipes, which others may still hold open, and let go of them."""
        for capture in (element.stdout, element.stderr):
            if capture.descriptor >= 0:
                for data in _left_in(capture.descriptor):
                    element.take(capture, data, now)
                self._close_output(capture)
            capture.close_log()
        element.close_channel()

    # Time, and the end of all.

    def _check(self, now: float) -> None:
        self._next_check = inf
        for lane in self._lanes.values():
            if lane.running is not None:
                if lane.running.is_to_be_watched(now):
                    self._watch_output(lane.running)
                lane.running.attend(now)
                self._pass_on_progress(lane.running, now)
                self._expect(lane.running)

    def _end(self) -> NoReturn:
        """The node is gone: nothing may outlive it."""
        for lane in self._lanes.values():
            if lane.running is not None:
                lane.running.signal(signal.SIGKILL)
        give_up = monotonic() + CONFIRM_MAX_S
        while orphans.kill(f"{self._mark}.") and monotonic() < give_up:
            sleep(CONFIRM_S)
        remove_scratch(self._scratch)
        os._exit(0)


def _left_in(pipe: int) -> list[bytes]:
    os.set_blocking(pipe, False)
    pieces = []
    try:
        while data := os.read(pipe, _OUTPUT_BYTES):
            pieces.append(data)
    except BlockingIOError:
        pass
    return pieces
