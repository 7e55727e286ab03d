"""Programs that end with whoever started them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from roost.lab.scripts.lifeline import running
from tests.executors.lab import is_alive

#: Starts a child of its own, says both numbers in a file, and would run for ever.
PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
with open(sys.argv[1] + ".new", "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(1000)
"""
STARTER = """
import os, sys
from roost.lab.scripts.lifeline import running
with running([sys.executable, "-c", sys.argv[1], sys.argv[2]], os.environ):
    sys.stdin.read()
"""


def numbers(path: Path) -> list[int]:
    while not path.exists():
        os.sched_yield()
    return [int(word) for word in path.read_text().split()]


def until_dead(pids: list[int]) -> None:
    while any(is_alive(pid) for pid in pids):
        os.sched_yield()


@pytest.mark.timeout(60)
def test_a_program_and_its_children_end_with_the_context(tmp_path: Path) -> None:
    with running([sys.executable, "-c", PARENT, str(tmp_path / "pids")], os.environ):
        pids = numbers(tmp_path / "pids")
        assert all(is_alive(pid) for pid in pids)
    until_dead(pids)


@pytest.mark.timeout(60)
def test_they_end_also_when_whoever_started_them_is_killed(tmp_path: Path) -> None:
    words = [sys.executable, "-c", STARTER, PARENT, str(tmp_path / "pids")]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as starter:
        pids = numbers(tmp_path / "pids")
        starter.kill()
    until_dead(pids)


@pytest.mark.timeout(60)
def test_the_end_of_the_program_is_seen() -> None:
    with running([sys.executable, "-c", ""], os.environ) as process:
        assert process.wait(30) == -9
