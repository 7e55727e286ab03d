"""Peaks of memory that are really the child's."""

import os
import sys

from roost.executors.memory import PeakMemory


def _reported_kib(program: str) -> int:
    pid = os.posix_spawn(sys.executable, [sys.executable, "-S", "-c", program], os.environ)
    return os.wait4(pid, 0)[2].ru_maxrss


def test_a_child_smaller_than_its_parent_has_no_known_peak() -> None:
    ballast = bytearray(os.urandom(1) * (64 << 20))
    memory = PeakMemory()
    assert memory.of_child(_reported_kib("")) is None
    peak_kib = memory.of_child(_reported_kib(f"x = bytearray({len(ballast)} + (400 << 20))"))
    assert peak_kib is not None
    assert peak_kib > 400 << 10
