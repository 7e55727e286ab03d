"""The jobs that are measured, as files that any engine takes: WEB 4.4, 4.5.1 and 4.5.2.

They are written so that an engine cannot leave the work out: what is reckoned is returned, and what it is reckoned from
depends on the argument. What comes out is checked, so that a figure is never one of work that was not done.
"""

import math
from enum import Enum
from pathlib import Path
from typing import Final

from roost.lab.scripts.engine import NotMeasured, Result

_FOLDER: Final = Path(__file__).with_name("jobs")
#: How many standard deviations an approximation of pi may be off.
_SIGMAS: Final = 6.0
#: The factors of figure 4.2 after the first.
_PRODUCT: Final = 14 * 2 * 15 * 2 * 4 * 2 * 3.6 * 1.2


class Job(Enum):
    """A file in jobs/."""

    FLOPS = "estimate_flops"
    #: As figure 4.2 prints it.
    PRINTED = "estimate_flops_printed"
    PI = "pi_approx"
    PI_GPU = "pi_approx_gpu"
    RANDOM = "random_numbers"

    @property
    def operations(self) -> int:
        """How many operations the document counts for a turn."""
        if self is Job.RANDOM:
            return 1
        return 10 if self in (Job.FLOPS, Job.PRINTED) else 4

    @property
    def source(self) -> str:
        return read(f"{self.value}.js")


def read(name: str) -> str:
    """Return a file of this room that engines run."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def check(job: Job, argument: int, result: Result) -> None:
    """Raise NotMeasured if a job did not do what it was asked."""
    expected, allowed = _expected(job, argument)
    if result.operations != job.operations * argument or not abs(result.value - expected) <= allowed:
        raise NotMeasured(
            f"{job.value}({argument}) returned {result.value:g} after {result.operations:,} operations,"
            f" where {expected:g} after {job.operations * argument:,} are right"
        )


def _expected(job: Job, turns: int) -> tuple[float, float]:
    """Return what comes out, and by how much it may differ: by rounding, or by chance."""
    if job is Job.FLOPS:
        # The turns 0.5, 1.5, ... add up to half of the square.
        total = 13.0 * turns - _PRODUCT * turns * turns / 2
    elif job is Job.PRINTED:
        total = turns * (13 - 10 * _PRODUCT)
    elif job is Job.RANDOM:
        return turns / 2, _SIGMAS * math.sqrt(turns / 12) + 1
    else:
        share = math.pi / 4
        return share * turns, _SIGMAS * math.sqrt(turns * share * (1 - share)) + 1
    return total, 1e-6 * abs(total)
