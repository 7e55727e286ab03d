"""The loops that are compiled, beside plain Python."""

import math

from roost.lab.scripts import native
from roost.lab.scripts.engine import Result
from roost.lab.scripts.jobs import Job, check
from roost.lab.scripts.native import MeasureNative, measure_native


def test_a_compiled_turn_and_a_random_number_take_some_time() -> None:
    found = measure_native(MeasureNative(repetitions=1, job_s=1e-4))
    assert 0 < found.turn_s < math.inf
    assert 0 < found.random_s < math.inf


def test_the_compiled_loop_does_what_the_job_does() -> None:
    check(Job.FLOPS, 1000, Result(10_000, native._flops(1000)))
    check(Job.RANDOM, 1000, Result(1000, native._random_numbers(1000)))
