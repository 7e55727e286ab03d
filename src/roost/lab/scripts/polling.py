"""Workers that ask for jobs now and then: how much of what they could give is attained (WEB 3.8, 4.5.5, 5.2).

A model of events, with nothing in it but time: so many equal workers, a queue that is never slow, jobs whose lengths
vary. A worker that asks takes ``batch`` jobs and runs them one after the other. When it asks next is its way:

- "clock": at the next beat of a clock of its own that goes on while it works. It loses half a period on average.
- "timer": a whole period after its last job has ended. It loses a period.
- "prefetch": it has asked before its last job ends. It loses nothing.
"""

import heapq
import math
from random import Random
from typing import Literal, assert_never

import msgspec

Way = Literal["clock", "timer", "prefetch"]


class Office(msgspec.Struct, frozen=True):
    """Workers and their jobs."""

    way: Way
    workers: int
    jobs: int
    job_s: float
    #: Standard deviation of the jobs' lengths, as a share of their average.
    spread: float
    period_s: float
    batch: int = 1
    seed: int = 0


class Share(msgspec.Struct, frozen=True):
    #: From the first moment until the last job has ended.
    whole: float
    #: As long as there were jobs for everybody: until a worker found none.
    steady: float
    #: The moments at which the number of workers at work changed, and how many worked from then on.
    times: tuple[float, ...]
    working: tuple[int, ...]


def attained(office: Office) -> Share:
    """Play it; return which share of the workers' time went into jobs."""
    rng = Random(f"web-4.5 polling {office.seed}")
    phases = [rng.uniform(0.0, office.period_s) for _ in range(office.workers)]
    lengths = [_length(office, rng) for _ in range(office.jobs)]
    asking = [(0.0 if office.way == "prefetch" else phase, worker) for worker, phase in enumerate(phases)]
    heapq.heapify(asking)
    spans: list[tuple[float, float]] = []
    while lengths:
        now, worker = heapq.heappop(asking)
        begun = now
        for _ in range(min(office.batch, len(lengths))):
            spans.append((begun, begun + lengths.pop()))
            begun = spans[-1][1]
        heapq.heappush(asking, (_next(office, phases[worker], begun), worker))
    return _share(office, spans, empty_at=asking[0][0])


def _length(office: Office, rng: Random) -> float:
    # No job is shorter than a tenth of the average.
    return max(office.job_s * rng.gauss(1.0, office.spread), office.job_s / 10)


def _next(office: Office, phase: float, ended: float) -> float:
    match office.way:
        case "clock":
            return phase + math.ceil((ended - phase) / office.period_s) * office.period_s
        case "timer":
            return ended + office.period_s
        case "prefetch":
            return ended
        case _:
            assert_never(office.way)


def _share(office: Office, spans: list[tuple[float, float]], empty_at: float) -> Share:
    end = max(ended for _, ended in spans)
    worked = sum(ended - begun for begun, ended in spans)
    # With fewer jobs than workers there is no such time.
    until = min(empty_at, end) if office.jobs > office.workers * office.batch else end
    steady = sum(max(min(ended, until) - begun, 0.0) for begun, ended in spans)
    changes: dict[float, int] = {}
    for begun, ended in spans:
        changes[begun] = changes.get(begun, 0) + 1
        changes[ended] = changes.get(ended, 0) - 1
    times = sorted(changes)
    working, now = [], 0
    for time in times:
        now += changes[time]
        working.append(now)
    return Share(worked / (office.workers * end), steady / (office.workers * until), tuple(times), tuple(working))
