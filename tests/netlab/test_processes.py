"""Processes of a machine: found, stopped, continued and killed from outside."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from netlab.bridge import BridgedLan
from netlab.marks import needs_network_lab
from netlab.namespaces import Namespace
from netlab.processes import born_in, continue_all, is_alive, is_stopped, kill_entered, living_in, stop_all
from netlab.waiting import wait_until

pytestmark = needs_network_lab
#: A program that starts another, which hangs before it has begun: until somebody writes to the pipe.
STARTER = """
import os, sys
first = os.posix_spawn("/bin/true", ["true"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)])
os.waitpid(first, 0)
"""
#: A shell that entered, and two generations born of it.
FAMILY = ("sh", "-c", "sh -c 'sleep 1000; exit 0'; exit 0")


@pytest.fixture
def machine() -> Iterator[Namespace]:
    with BridgedLan(2) as lan:
        yield lan.host(1).namespace


def test_only_those_born_in_a_machine_are_stopped_and_go_on(machine: Namespace) -> None:
    family = machine.start(*FAMILY)
    wait_until(lambda: len(born_in(machine)) == 2, "a family")
    born = born_in(machine)
    stop_all(machine)
    assert all(is_stopped(pid) for pid in born)
    assert [pid for pid in living_in(machine) if is_stopped(pid)] == born
    assert not is_stopped(family.pid)
    continue_all(machine)
    wait_until(lambda: not any(is_stopped(pid) for pid in born), "that they go on")
    kill_entered(family)


def test_one_that_is_just_starting_a_program_is_stopped_too(machine: Namespace, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    starter = machine.start("sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", STARTER, str(pipe))
    wait_until(lambda: len(born_in(machine)) == 2, "a program that has not begun")
    stop_all(machine)
    assert sum(is_stopped(pid) for pid in born_in(machine)) == 1, "its parent waits for it and cannot be stopped"
    continue_all(machine)
    with pipe.open("wb"):
        assert starter.wait(30) == 0


def test_what_was_started_is_killed_with_its_group_even_if_it_is_stopped(machine: Namespace) -> None:
    family = machine.start(*FAMILY)
    wait_until(lambda: len(born_in(machine)) == 2, "a family")
    born = born_in(machine)
    stop_all(machine)
    kill_entered(family)
    assert not any(is_alive(pid) for pid in [*born, family.pid])


def test_what_was_killed_is_collected_and_does_not_hold_up_the_end_of_its_machine(machine: Namespace) -> None:
    first = living_in(machine)
    family = machine.start(*FAMILY)
    wait_until(lambda: len(born_in(machine)) == 2, "a family")
    (entered,) = set(living_in(machine)) - {*first, *born_in(machine)}
    kill_entered(family)
    assert not Path(f"/proc/{entered}").exists()


def test_what_was_started_a_moment_ago_is_killed_too(machine: Namespace) -> None:
    family = machine.start(*FAMILY)
    kill_entered(family)
    assert len(living_in(machine)) == 1


def test_to_kill_what_has_ended_is_nothing(machine: Namespace) -> None:
    ended = machine.start("true")
    ended.wait(30)
    kill_entered(ended)
