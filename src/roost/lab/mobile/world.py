"""A discrete-event world of mobile devices that share jobs by a queue (FAIR 3.1, 3.3 and 4).

Rules
- A client hands in a job every so often. Workers that are on line and have nothing to do look at the queue one after
  the other, whenever something has happened, and ask their rule (rules.py). The first that wants a job has it.
- In which order they look decides who works as long as nobody leaves anything to others; it is a reading (setting.py).
- A device that goes off line with a job in hand is the failure that FAIR considers. What follows from it is the fault
  tolerance of the setting. A job that was taken by an unstable device is there a second time, for somebody else.
- Roost's rule needs none of that: what a device had that is gone waits again, and what unstable ones have is repeated.
- A device whose battery is empty leaves for good.
"""

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from random import Random
from typing import Any, Final

from roost.lab.mobile.battery import battery_of
from roost.lab.mobile.device import Device
from roost.lab.mobile.gossip import Gossip
from roost.lab.mobile.movement import Movement, Place, movement_of, read_paths
from roost.lab.mobile.rules import Rule, rule_of
from roost.lab.mobile.setting import Outcome, Setting, checked
from roost.lab.mobile.timeline import changes_of
from roost.lab.mobile.view import DeviceView, Job
from roost.lab.mobile.work import Execution, Work
from roost.model.ids import NodeId
from roost.model.vitals import Condition, NodeState, Sign
from roost.policy.bids import LAST_SCORE
from roost.policy.choose import Abstain, BidFor, Choice, Neighbour, Repeat, Take

#: How often devices that ask Roost's policies judge how stable they are.
_JUDGES_S: Final = 60.0
#: What is said of a device that fault tolerance takes to be unstable.
_UNSTABLE: Final = Condition(NodeState.UNSTABLE, Sign.STAY, 0, 0)


class World:
    def __init__(self, setting: Setting, seed: str) -> None:
        self._setting = checked(setting)
        self._rng = Random(seed)
        names = [NodeId(f"worker{at:02}") for at in range(1, setting.workers + 1)]
        self._paths: Mapping[str, Movement] = read_paths(setting.places, names)
        self._devices = {name: self._device(name, seed) for name in names}
        #: In which order they look at the queue.
        self._line = list(self._devices.values())
        self._gossip = Gossip(names, setting.group, setting.round_s)
        self._rule: Rule = rule_of(setting.rule, setting.strategy, setting.group, setting.patience_s)
        self._work = Work()
        self._left: dict[NodeId, dict[Job, float]] = {name: {} for name in names}
        self._paused: dict[NodeId, tuple[Job, float]] = {}
        self._lock_holder: Device | None = None
        self._prevented = 0
        self._now = 0.0
        self._events: list[tuple[float, int, str, Any]] = []
        self._number = 0
        self._looks_at: set[float] = set()
        self._plan(names)

    def run(self) -> Outcome:
        """Live through it until its time is over."""
        happenings: dict[str, Callable[[Any], None]] = {
            "round": self._round,
            "changes": self._changes,
            "submitted": self._submitted,
            "ends": self._ends,
            "look": lambda _: None,
        }
        while self._events and self._events[0][0] <= self._setting.until_s:
            self._now, _, kind, what = heappop(self._events)
            happenings[kind](what)
            self._look()
        ended = self._work.ended
        return Outcome(
            processed=tuple(device.processed for device in self._devices.values()),
            begun=tuple(device.begun for device in self._devices.values()),
            ended=len(ended),
            response_s=sum(one.response_s for one in ended) / len(ended) if ended else 0.0,
            prevented=self._prevented,
            messages=self._gossip.messages,
        )

    def _device(self, name: NodeId, seed: str) -> Device:
        setting, rng = self._setting, Random(f"{seed}/{name}")
        battery = battery_of(setting.battery, rng.random() * setting.spread * setting.takes_s)
        movement = self._paths.get(name) or movement_of(setting.movement, setting.field_m, setting.until_s, rng)
        middle = setting.field_m / 2
        supers = (Place(middle / 2, middle), Place(1.5 * middle, middle)) if setting.has_links else ()
        return Device(name, battery, movement, supers)

    def _plan(self, names: Sequence[NodeId]) -> None:
        setting = self._setting
        is_proactive = setting.fault_tolerance == "proactive"
        for device in self._devices.values():
            device.is_unstable = is_proactive and setting.unstable == "all"
        for number in range(int(setting.until_s / setting.round_s) + 1):
            self._at(number * setting.round_s, "round", None)
        for change in changes_of(setting.timeline, names):
            device = self._devices[NodeId(change.device)]
            device.is_unstable = is_proactive
            self._at(change.at, "changes", (device, change.is_on))
        for number in range(setting.jobs):
            self._at(number * setting.every_s, "submitted", number)

    def _at(self, when: float, kind: str, what: Any) -> None:
        self._number += 1
        heappush(self._events, (when, self._number, kind, what))

    # What happens.

    def _round(self, _: None) -> None:
        living = [device for device in self._devices.values() if device.is_on]
        for device in living:
            if device.remaining(self._now) <= 0.0:
                self._changes((device, False))
            if self._rule.looks_elsewhere and self._now % _JUDGES_S == 0.0:
                device.look_at_itself(self._now)
        values = {device.name: self._performs(device) for device in living if device.is_on}
        if self._now < self._setting.until_s:
            self._gossip.tell_all(self._now, values)

    def _submitted(self, number: int) -> None:
        self._work.submitted.append(Job(number, self._now, self._setting.takes_s))

    def _ends(self, execution: Execution) -> None:
        if self._work.running.get(execution.device.name) is not execution:
            return
        self._stop(execution)
        execution.device.processed += 1
        self._work.end(execution.job, self._now)
        for other in self._work.attempts_at(execution.job):
            self._stop(other)

    def _changes(self, what: tuple[Device, bool]) -> None:
        device, is_on = what
        device.is_on = is_on
        if is_on:
            if self._lock_holder is device:
                self._lock_holder = None
            if device.name in self._paused:
                self._execute(device, *self._paused.pop(device.name))
        elif (execution := self._work.running.get(device.name)) is not None:
            self._stop(execution)
            self._interrupted(execution)

    def _interrupted(self, execution: Execution) -> None:
        """A device has gone with a job in hand."""
        setting, job = self._setting, execution.job
        if setting.rule == "usual":
            if not self._work.attempts_at(job):
                self._work.put_back(job)
        elif setting.fault_tolerance == "none":
            self._lock_holder = execution.device
        elif setting.interrupted == "resumed":
            left_s = execution.left_s - (self._now - execution.began)
            self._paused[execution.device.name] = (job, left_s)
        elif setting.interrupted == "again":
            self._work.put_back(job)

    # Who does what.

    def _look(self) -> None:
        """Let those that have nothing to do look at the queue until nobody takes anything."""
        while self._lock_holder is None and self._somebody_takes():
            pass

    def _somebody_takes(self) -> bool:
        if not (self._work.submitted or self._work.redundant or self._may_repeat()):
            return False
        last: tuple[Device, Choice] | None = None
        for device in self._in_line():
            if not device.is_on or device.is_busy or device.name in self._paused:
                continue
            view = self._view(device)
            choice = self._choice(device, view)
            if isinstance(choice, BidFor) and choice.score == LAST_SCORE:
                # Whoever else wants it gets it.
                last = last or (device, choice)
            elif choice is not None:
                self._begins(device, view, choice)
                return True
        if last is not None:
            self._begins(last[0], self._view(last[0]), last[1])
        return last is not None

    def _may_repeat(self) -> bool:
        """Whether what an unstable device has in hand may have to be repeated, though nothing waits."""
        return self._rule.looks_elsewhere and any(
            self._condition(one.device).state >= NodeState.UNSTABLE for one in self._work.running.values()
        )

    def _in_line(self) -> list[Device]:
        if self._setting.order == "random":
            self._rng.shuffle(self._line)
        return list(self._line)

    def _choice(self, device: Device, view: DeviceView) -> BidFor | Take | Repeat | None:
        """Return what a device wants; if that is to wait, see to it that it looks again."""
        for choice in self._rule.policy(view):
            if isinstance(choice, BidFor | Take | Repeat):
                return choice
            if isinstance(choice, Abstain):
                if choice.until <= self._now:
                    # It would have waited for the end of a window, and there are none.
                    view.abstained += 1
                    return self._choice(device, view)
                self._leaves(device, view, choice)
        return None

    def _leaves(self, device: Device, view: DeviceView, choice: Abstain) -> None:
        """A device leaves what waits to others, or to later."""
        if choice.until not in self._looks_at:
            self._looks_at.add(choice.until)
            self._at(choice.until, "look", None)
        if choice.leaves is None:
            return
        for job in view.queue:
            if job.task == choice.leaves:
                self._left[device.name].setdefault(job, self._now)
        if self._setting.order == "refused-last":
            self._line.remove(device)
            self._line.append(device)

    def _begins(self, device: Device, view: DeviceView, choice: Choice) -> None:
        if isinstance(choice, Repeat):
            job = self._work.job_of(choice.task)
        else:
            assert isinstance(choice, BidFor | Take)
            self._prevented += bool(self._rule.leaves(view))
            job = self._work.take(choice.task)
        for left in self._left.values():
            left.pop(job, None)
        setting = self._setting
        if setting.rule == "fair" and device.is_unstable and not job.is_copy:
            self._work.redundant.append((Job(job.number, self._now, setting.takes_s, job), device.name))
        device.begun += 1
        self._execute(device, job, setting.takes_s)

    def _execute(self, device: Device, job: Job, left_s: float) -> None:
        execution = self._work.running[device.name] = Execution(job, device, self._now, left_s)
        device.begins(self._now)
        self._at(self._now + left_s, "ends", execution)

    def _stop(self, execution: Execution) -> None:
        del self._work.running[execution.device.name]
        execution.device.stops(self._now)

    # What is known.

    def _view(self, device: Device) -> DeviceView:
        others = {
            other.name: self._condition(other).state
            for other in self._devices.values()
            if other.is_on and other is not device
        }
        queue = self._work.waits_for(device)
        left = self._left[device.name]
        for job in queue:
            job.left_since = left.get(job)
        return DeviceView(
            device.name,
            self._now,
            queue,
            others=others,
            condition=self._condition(device),
            performance=self._performs(device),
            neighbours=lambda: self._neighbours(device),
            elsewhere=lambda: self._work.elsewhere(device, others, self._now),
        )

    def _neighbours(self, device: Device) -> list[Neighbour]:
        if self._setting.tells == "rounds":
            return self._gossip.neighbours(device.name, self._now)
        group = (self._devices[other] for other in self._gossip.groups[device.name])
        return [Neighbour(other.name, self._performs(other), 0.0) for other in group if other.is_on]

    def _performs(self, device: Device) -> int:
        return device.performs(self._now, self._setting.weighs)

    def _condition(self, device: Device) -> Condition:
        return _UNSTABLE if device.is_unstable else device.condition
