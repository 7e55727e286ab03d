"""What is measured of one engine: the sample-size probe, the attained performance, and the printed loop beside ours.

The machine may be busy with other things, and engines are of different minds when they compile. So a figure is the best
of several repetitions; and measurements take turns, for two side by side would each see half of a machine.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from roost.lab.scripts import jobs
from roost.lab.scripts.engine import Lap, NotMeasured, Round, Session
from roost.lab.scripts.engines import Target, target_of
from roost.lab.scripts.jobs import Job

#: The sample sizes of table 4.5. The document prints 50,000,000 twice; the second stands between 100,000,000 and
#: 1,000,000,000, where 500,000,000 belongs.
SAMPLE_SIZES: Final = (
    100_000,
    500_000,
    1_000_000,
    5_000_000,
    10_000_000,
    50_000_000,
    100_000_000,
    500_000_000,
    1_000_000_000,
)
#: Sizes up to this are measured however long they take: without them start and turn cannot be told apart.
_AT_LEAST: Final = 1_000_000
#: An engine that is busy elsewhere takes longer than reckoned; beyond this many times that, it is given up.
_PATIENCE: Final = 5.0
_PATIENCE_S: Final = 30.0
_FIRST_TURNS: Final = 100_000
#: Within which all jobs of a round must have ended.
_ROUND_S: Final = 600.0


class Measure(msgspec.Struct, frozen=True):
    """Measure one engine."""

    engine: str
    #: The probe goes up to this sample size, as far as a job is expected to take no longer than ``limit_s``.
    largest: int
    limit_s: float
    #: Of how many repetitions the best counts. A sample size whose repetitions took ``limit_s`` together has no more.
    repetitions: int
    #: How long a job of the attained performance should take, and how many each worker runs one after the other.
    job_s: float
    jobs: int


class Probed(msgspec.Struct, frozen=True):
    """One sample size: the best of all repetitions, from before the start of the worker until the result was there."""

    size: int
    seconds: float
    busy_s: float
    repetitions: int

    def expected_s(self, size: int) -> float:
        """How long a larger one should take: the start takes what it takes, the job as much as it is larger."""
        return self.seconds + self.busy_s * (size / self.size - 1)


class Attained(msgspec.Struct, frozen=True):
    """The same job over and over on so many workers side by side."""

    workers: int
    laps: tuple[Lap, ...]

    @property
    def seconds(self) -> float:
        return max(lap.ended_s for lap in self.laps) - min(lap.begun_s for lap in self.laps)

    @property
    def flops(self) -> float:
        """All that was counted, over all the time that it took."""
        return sum(lap.result.operations for lap in self.laps) / self.seconds

    @property
    def share(self) -> float:
        """Which part of the workers' time went into jobs; the rest went into starting them."""
        return sum(lap.busy_s for lap in self.laps) / (self.workers * self.seconds)


class Measured(msgspec.Struct, frozen=True):
    """What came out, or why nothing did."""

    missing: str = ""
    title: str = ""
    #: The graphics adapter, if one reckoned.
    adapter: str = ""
    probed: tuple[Probed, ...] = ()
    #: Why the probe ends before the largest size, if it does.
    probe_ends: str = ""
    attained: tuple[Attained, ...] = ()
    #: How long a turn takes in the loop of figure 4.2 as it is printed, and in ours, which leaves nothing out.
    printed_turn_s: float = 0.0
    full_turn_s: float = 0.0
    #: How long a random number takes.
    random_s: float = 0.0
    #: How many processes wanted a processor before, and how many processors there are.
    load: float = 0.0
    processors: int = 0


def measure(argument: Measure) -> Measured:
    target = target_of(argument.engine)
    with alone():
        load = os.getloadavg()[0]
        try:
            with target.open() as session:
                measured = _measured(session, target, argument)
        except NotMeasured as reason:
            return Measured(missing=str(reason))
        return msgspec.structs.replace(measured, load=round(load, 2), processors=len(os.sched_getaffinity(0)))


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other process of this user measures, and keep them waiting."""
    path = Path(tempfile.gettempdir()) / f"roost-lab-measuring-{os.getuid()}"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _measured(session: Session, target: Target, argument: Measure) -> Measured:
    probed, ends, adapter = probe(session, target.pi, argument)
    # The Attained Performance Test is for processors; WebGPU does the Pi-Approximation Test there as well.
    job = Job.FLOPS if target.pi is Job.PI else target.pi
    turn_s = _turn_s(session, job, argument)
    turns = max(round(argument.job_s / turn_s), 1)
    attained = attain(session, job, turns, argument)
    measured = Measured(title=session.title, adapter=adapter, probed=probed, probe_ends=ends, attained=attained)
    if not target.loops:
        return measured
    return msgspec.structs.replace(
        measured,
        printed_turn_s=_turn_s(session, Job.PRINTED, argument),
        full_turn_s=turn_s,
        random_s=_turn_s(session, Job.RANDOM, argument),
    )


def probe(session: Session, job: Job, argument: Measure) -> tuple[tuple[Probed, ...], str, str]:
    """Run the job with growing sample sizes; return what came out, why it ended early if it did, and the adapter."""
    probed: list[Probed] = []
    adapter = ""
    for size in SAMPLE_SIZES:
        if size > argument.largest:
            break
        expected_s = probed[-1].expected_s(size) if probed else 0.0
        if size > _AT_LEAST and expected_s > argument.limit_s:
            why = f"{size:,} samples would take {expected_s:.2g} s, and a job may take {argument.limit_s:g} s here"
            return tuple(probed), why, adapter
        laps = _repeated(session, job, size, argument, expected_s)
        best = min(laps, key=lambda lap: lap.seconds)
        probed.append(Probed(size, best.seconds, best.busy_s, len(laps)))
        adapter = best.result.adapter
    return tuple(probed), "", adapter


def _repeated(session: Session, job: Job, size: int, argument: Measure, expected_s: float) -> list[Lap]:
    laps: list[Lap] = []
    while len(laps) < argument.repetitions and sum(lap.seconds for lap in laps) <= argument.limit_s:
        laps += run(session, job, size, limit_s=_PATIENCE_S + _PATIENCE * expected_s)
    return laps


def _turn_s(session: Session, job: Job, argument: Measure) -> float:
    """Return how long a turn takes inside of a job that is long enough for the clock and the compiler."""
    turns = _FIRST_TURNS
    while True:
        busy_s = min(lap.busy_s for lap in run(session, job, turns, count=argument.repetitions))
        if busy_s >= argument.job_s / 4:
            return busy_s / turns
        turns = round(turns * min(max(argument.job_s / 2 / max(busy_s, 1e-4), 2), 20))


def attain(session: Session, job: Job, turns: int, argument: Measure) -> tuple[Attained, ...]:
    """Let one worker, and two side by side, run jobs one after the other; return the fastest round of each."""
    best: dict[int, Attained] = {}
    for _ in range(argument.repetitions):
        # In turns, so that what else the machine does hits both alike.
        for workers in (1, 2):
            laps = run(session, job, turns, workers=workers, count=argument.jobs * workers, limit_s=_ROUND_S)
            attained = Attained(workers, laps)
            if workers not in best or attained.flops > best[workers].flops:
                best[workers] = attained
    return tuple(best.values())


def run(
    session: Session, job: Job, argument: int, *, workers: int = 1, count: int = 1, limit_s: float = _PATIENCE_S
) -> tuple[Lap, ...]:
    """Run a round, and check that every job did what it was asked. Raise NotMeasured if not."""
    laps = session.run(Round(job.source, argument, workers, count, limit_s))
    for lap in laps:
        jobs.check(job, argument, lap.result)
    return laps
