"""Histories of runs, made up from a seed: greedy lanes work through steps of elements that take unlike times."""

import heapq
import random
from dataclasses import dataclass, field

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.spans import Span, span_of
from roost.policy.pace import lanes_busy, looked_back_s, pace_of
from roost.policy.prediction import Outlook, StepLeft, outlook


@dataclass
class Step:
    name: str
    elements: int
    mean_s: float
    #: How unlike its elements are: the deviation of the logarithm of their times.
    sigma: float
    #: Steps all of whose elements it waits for.
    sources: tuple[str, ...] = ()


@dataclass
class Ran:
    """One element: when it ran, and where."""

    step: str
    index: int
    lane: int
    start: float
    end: float


@dataclass
class History:
    steps: list[Step]
    lanes: int
    ran: list[Ran] = field(default_factory=list)

    @property
    def end(self) -> float:
        return max(one.end for one in self.ran)

    def outlook_at(self, now: float) -> Outlook:
        """Return what would be said at a moment, from what is known then."""
        spans = {step.name: self._spans(step.name, now) for step in self.steps}
        paces = {name: pace for name, known in spans.items() if (pace := pace_of(known, now)) is not None}
        lefts = [self._left(step, now) for step in self.steps]
        every = [span for known in spans.values() for span in known]
        look_s = looked_back_s(max((pace.mean_s for pace in paces.values()), default=0.0))
        begin = max(now - look_s, 0.0)
        running = [max(one.start, begin) for one in self.ran if one.start <= now < one.end]
        busy = lanes_busy(every, begin, now) + sum(now - start for start in running) / max(now - begin, 1e-9)
        return outlook(lefts, paces, busy, self.lanes)

    def _spans(self, step: str, now: float) -> list[Span]:
        return [
            span_of(
                TaskId(f"1-a/{step}"),
                NodeId("ash"),
                one.lane,
                RangeSet.of([one.index]),
                one.end - one.start,
                0,
                one.end,
            )
            for one in self.ran
            if one.step == step and one.end <= now
        ]

    def _left(self, step: Step, now: float) -> StepLeft:
        mine = [one for one in self.ran if one.step == step.name]
        ended = sum(one.end <= now for one in mine)
        running = tuple(now - one.start for one in mine if one.start <= now < one.end)
        sources_over = all(one.end <= now for one in self.ran if one.step in step.sources)
        left = step.elements - ended
        return StepLeft(step.name, left, running, left - len(running) if sources_over else 0, step.sources)


def lived_through(steps: list[Step], lanes: int, chance: random.Random) -> History:
    """Let greedy lanes do all elements, in the order of the steps, each step when its sources are done."""
    history = History(steps, lanes)
    free = [(0.0, lane) for lane in range(lanes)]
    heapq.heapify(free)
    over: dict[str, float] = {}
    for step in steps:
        may_start = max((over[source] for source in step.sources), default=0.0)
        ends = []
        for index in range(step.elements):
            at, lane = heapq.heappop(free)
            start = max(at, may_start)
            took = step.mean_s * chance.lognormvariate(-(step.sigma**2) / 2, step.sigma)
            ends.append(start + took)
            history.ran.append(Ran(step.name, index, lane, start, start + took))
            heapq.heappush(free, (start + took, lane))
        over[step.name] = max(ends)
    return history


def drawn(chance: random.Random) -> History:
    """Draw a run: one array, a chain, a fan with a reducer, or layers of arrays."""
    lanes = chance.choice((1, 2, 4, 8, 16))
    sigma = chance.choice((0.05, 0.3, 0.8))
    mean_s = chance.choice((0.5, 5.0, 60.0))
    shape = chance.choice(("array", "chain", "fan", "layers"))
    if shape == "array":
        steps = [Step("only", chance.randint(20, 400), mean_s, sigma)]
    elif shape == "chain":
        names = [f"link{number}" for number in range(chance.randint(5, 20))]
        steps = [Step(name, 1, mean_s, sigma, (names[at - 1],) if at else ()) for at, name in enumerate(names)]
    elif shape == "fan":
        steps = [
            Step("map", chance.randint(30, 300), mean_s, sigma),
            Step("reduce", 1, mean_s * chance.uniform(0.5, 1.5), sigma, ("map",)),
        ]
    else:
        steps = [
            Step(
                f"layer{at}",
                chance.randint(5, 80),
                mean_s * chance.uniform(0.5, 2),
                sigma,
                (f"layer{at - 1}",) if at else (),
            )
            for at in range(chance.randint(2, 6))
        ]
    return lived_through(steps, lanes, chance)
