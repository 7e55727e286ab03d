"""Peaks of memory that are really the child's."""

import os
import resource
import sys

from roost.executors.memory import PeakMemory


def _reported_kib(program: str) -> int:
    pid = os.posix_spawn(sys.executable, [sys.executable, "-S", "-c", program], os.environ)
    return os.wait4(pid, 0)[2].ru_maxrss


def test_a_child_smaller_than_its_parent_has_no_known_peak() -> None:
    ballast = bytearray(os.urandom(1) * (64 << 20))
    own_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    memory = PeakMemory()
    assert memory.of_child(_reported_kib("")) is None
    # However much the tests before this one took in this process.
    peak_kib = memory.of_child(_reported_kib(f"x = bytearray({len(ballast)} + {own_kib << 10})"))
    assert peak_kib is not None
    assert peak_kib > own_kib
