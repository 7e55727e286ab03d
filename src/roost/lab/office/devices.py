"""DICE's protocol as its slides describe it: a queue that every device has a copy of, and nothing but broadcasts.

Rules
- ENQUEUE puts a task into the queue of all that hear it. A device that runs nothing tries to take the head: it
  broadcasts TRYDEQUEUE, and waits for the window. The requests that it has heard are put in order, by time and then by
  device. The first takes the head, the second the task behind it, and so on (slides, "time window", situation 2).
- Who runs a task says RUNNING every now and then, and DONE in the end, once. Who has not heard for a while of a task
  that runs says FAILED, and puts it into its queue again, as all do that hear it.
- Who runs a task and hears that another with a better request does, too, stops, and tries another one (situation 3).
- Who hears of a task that it does not know asks DOYOUKNOW. Whoever knows it waits for a random time, and answers with
  it (TAKEMYELEMENT) or that it has ended (ALREADYFINISHEDELEMENT), if nobody else has: ALWAYSWANTTHISELEMENT.
- A broadcast is lost on its way to each device by itself.

What the slides do not say are parameters here: how long the window is, how often RUNNING comes, after which silence a
task has failed, and how long an answer waits. They say nothing of a DONE that is lost, either: who has not heard it
runs the task again, unless the task is unknown to it.
"""

from bisect import insort
from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple

import msgspec

#: No experiment lasts so much longer than its work.
_PATIENCE: float = 50.0


class Timing(msgspec.Struct, frozen=True):
    """What the slides leave open."""

    #: How long a broadcast takes at least, and on average on top of that.
    latency_s: float = 0.002
    jitter_s: float = 0.003
    #: Longer than nearly all broadcasts take.
    window_s: float = 0.05
    running_every_s: float = 1.0
    failed_after_s: float = 5.0
    #: An answer to DOYOUKNOW waits for up to so long.
    answer_s: float = 0.1


class Shared(NamedTuple):
    """What came out of one run."""

    #: Until the last task had ended for the first time.
    make_span_s: float
    #: Executions that were begun, those that ended, and those that were stopped for another one.
    begun: int
    ended: int
    stopped: int
    #: Tasks that ended more than once.
    repeated: int
    #: Broadcasts, and the same as copies to each other device.
    messages: int
    copies: int


class _Request(NamedTuple):
    """Smaller ones are better."""

    time: float
    device: int


class _Device:
    def __init__(self, at: int) -> None:
        self.at = at
        self.queue: list[int] = []
        #: By task: who runs it, by which request, and when that was heard last.
        self.elsewhere: dict[int, tuple[_Request, float]] = {}
        self.finished: set[int] = set()
        self.asked: set[int] = set()
        self.answered: set[int] = set()
        self.trying: tuple[int, _Request] | None = None
        self.requests: dict[int, list[_Request]] = {}
        self.running: tuple[int, _Request] | None = None

    def knows(self, task: int) -> bool:
        mine = self.running is not None and self.running[0] == task
        return mine or task in self.elsewhere or task in self.finished or task in self.queue


class Devices:
    def __init__(self, owners: tuple[int, ...], devices: int, length_s: float, loss: float, seed: int, timing: Timing):
        """``owners`` says for each task, by its number, which device hands it in; all at once."""
        self._owners = owners
        self._length_s = length_s
        self._loss = loss
        self._luck = Random(f"{seed}/devices")
        self._timing = timing
        self._devices = [_Device(at) for at in range(devices)]
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._now = 0.0
        self._first_ends: dict[int, float] = {}
        self._executions: dict[int, int] = {}
        self._begun = self._stopped = self._messages = self._copies = 0

    def run(self) -> Shared:
        """Live until nothing is left to do anywhere."""
        for task, owner in enumerate(self._owners):
            self._after(0.0, partial(self._enqueue, self._devices[owner], task))
        for device in self._devices:
            self._after(self._luck.uniform(0.0, 1.0), partial(self._watch, device))
        limit_s = _PATIENCE * (1.0 + self._length_s * len(self._owners))
        while self._now < limit_s and not self._is_over():
            self._now, _, act = heappop(self._events)
            act()
        ended = sum(self._executions.values())
        repeated = sum(count > 1 for count in self._executions.values())
        return Shared(
            max(self._first_ends.values()),
            self._begun,
            ended,
            self._stopped,
            repeated,
            self._messages,
            self._copies,
        )

    def _is_over(self) -> bool:
        if len(self._first_ends) < len(self._owners):
            return False
        return not any(one.queue or one.elsewhere or one.running or one.trying for one in self._devices)

    def _after(self, delay_s: float, act: Callable[[], None]) -> None:
        self._number += 1
        heappush(self._events, (self._now + delay_s, self._number, act))

    def _tell(self, sender: _Device, hear: Callable[[_Device], None]) -> None:
        self._messages += 1
        for device in self._devices:
            if device is not sender:
                self._copies += 1
                if self._luck.random() >= self._loss:
                    late_s = self._timing.latency_s + self._luck.expovariate(1.0) * self._timing.jitter_s
                    self._after(late_s, partial(hear, device))

    # ENQUEUE.

    def _enqueue(self, device: _Device, task: int) -> None:
        self._tell(device, partial(self._hear_task, task))
        self._take_in(device, task)

    def _hear_task(self, task: int, device: _Device) -> None:
        """ENQUEUE, and TAKEMYELEMENT, which who was about to answer hears as well."""
        device.answered.add(task)
        if not device.knows(task):
            self._take_in(device, task)

    def _take_in(self, device: _Device, task: int) -> None:
        insort(device.queue, task)
        self._try(device)

    # TRYDEQUEUE.

    def _try(self, device: _Device) -> None:
        if device.running or device.trying or not device.queue:
            return
        task, request = device.queue[0], _Request(self._now, device.at)
        device.trying = (task, request)
        self._tell(device, partial(self._hear_try, task, request))
        self._after(self._timing.window_s, partial(self._decide, device, request))

    def _hear_try(self, task: int, request: _Request, device: _Device) -> None:
        if not device.knows(task):
            self._ask(device, task)
        elif device.running is not None and device.running[0] == task:
            self._contend(device, task, request)
        else:
            device.requests.setdefault(task, []).append(request)

    def _decide(self, device: _Device, mine: _Request) -> None:
        """Take the task that the place among all requests gives this device."""
        if device.trying is None or device.trying[1] != mine:
            return
        task, request = device.trying
        device.trying = None
        since = request.time - self._timing.window_s
        rivals = [other for other in device.requests.pop(task, ()) if other.time > since]
        place = sum(other < request for other in rivals)
        if task not in device.queue:
            self._try(device)
        elif place < len(device.queue):
            self._begin(device, device.queue[place], request)
            if place:
                # It agrees that the first one runs the head.
                self._runs_elsewhere(min(rivals), device, task)

    # RUNNING and DONE.

    def _begin(self, device: _Device, task: int, request: _Request) -> None:
        self._begun += 1
        device.queue.remove(task)
        device.running = (task, request)
        self._after(self._length_s, partial(self._end, device, request))
        self._say_running(device, request)

    def _say_running(self, device: _Device, request: _Request) -> None:
        if device.running is not None and device.running[1] == request:
            self._tell(device, partial(self._hear_running, device.running[0], request))
            self._after(self._timing.running_every_s, partial(self._say_running, device, request))

    def _hear_running(self, task: int, request: _Request, device: _Device) -> None:
        if not device.knows(task):
            self._ask(device, task)
        elif device.running is not None and device.running[0] == task:
            self._contend(device, task, request)
        elif task not in device.finished:
            self._runs_elsewhere(request, device, task)

    def _contend(self, device: _Device, task: int, other: _Request) -> None:
        """Two run the same: who has the worse request stops."""
        if device.running is not None and other < device.running[1]:
            self._stopped += 1
            device.running = None
            self._runs_elsewhere(other, device, task)
            self._try(device)

    def _runs_elsewhere(self, request: _Request, device: _Device, task: int) -> None:
        device.elsewhere[task] = (request, self._now)
        if task in device.queue:
            device.queue.remove(task)

    def _end(self, device: _Device, request: _Request) -> None:
        if device.running is None or device.running[1] != request:
            return
        task = device.running[0]
        device.running = None
        self._executions[task] = self._executions.get(task, 0) + 1
        self._first_ends.setdefault(task, self._now)
        self._finish(task, device)
        self._tell(device, partial(self._finish, task))
        self._try(device)

    def _finish(self, task: int, device: _Device) -> None:
        """DONE, and ALREADYFINISHEDELEMENT."""
        device.answered.add(task)
        device.finished.add(task)
        device.elsewhere.pop(task, None)
        if task in device.queue:
            device.queue.remove(task)

    # FAILED.

    def _watch(self, device: _Device) -> None:
        """Look for tasks of which nobody has said for too long that they run."""
        for task, (_, heard_at) in list(device.elsewhere.items()):
            if self._now - heard_at > self._timing.failed_after_s:
                self._tell(device, partial(self._hear_failed, task))
                self._hear_failed(task, device)
        self._after(self._timing.running_every_s, partial(self._watch, device))

    def _hear_failed(self, task: int, device: _Device) -> None:
        if not device.knows(task):
            self._ask(device, task)
        elif task in device.elsewhere:
            del device.elsewhere[task]
            self._take_in(device, task)

    # DOYOUKNOW.

    def _ask(self, device: _Device, task: int) -> None:
        if task not in device.asked:
            device.asked.add(task)
            self._tell(device, partial(self._hear_question, task))
            # If no answer comes, the next word of the task makes it ask again.
            self._after(self._timing.failed_after_s, partial(device.asked.discard, task))

    def _hear_question(self, task: int, device: _Device) -> None:
        if device.knows(task):
            device.answered.discard(task)
            self._after(self._luck.uniform(0.0, self._timing.answer_s), partial(self._answer, device, task))

    def _answer(self, device: _Device, task: int) -> None:
        if task not in device.answered:
            device.answered.add(task)
            self._tell(device, partial(self._finish if task in device.finished else self._hear_task, task))
