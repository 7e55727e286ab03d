"""Namespaces end with whoever made them, however that ends, and take everything along."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from netlab.bridge import BridgedLan
from netlab.errors import LabError
from netlab.marks import needs_network_lab, needs_tap_switch
from netlab.namespaces import Keeper, Namespace
from netlab.processes import is_alive, living_in
from netlab.programs import module_environment
from netlab.waiting import wait_until
from tests.real.nodes import processes_with

pytestmark = needs_network_lab
#: In every process that a laboratory's maker starts, by inheritance.
MARK = "NETLAB_TEST"
#: Builds a laboratory, with one process that has left its parents, one that is stopped, one in a session of its own.
MAKER = """
import sys
from netlab.{module} import {kind}
from netlab.processes import born_in, stop_all
from netlab.waiting import wait_until

with {kind}(2) as lan:
    one, two = lan.hosts
    one.namespace.do("sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 &")
    one.namespace.start("sleep", "1000")
    two.namespace.start("sh", "-c", "sleep 1000; exit 0")
    wait_until(lambda: born_in(two.namespace), "that it sleeps")
    stop_all(two.namespace)
    print("built", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def machine() -> Iterator[Namespace]:
    with BridgedLan(1) as lan:
        yield lan.host(1).namespace


def marked(mark: str) -> list[int]:
    return processes_with(MARK, mark)


def start_maker(text: str, mark: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", text],
        env=module_environment() | {MARK: mark},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


@pytest.mark.parametrize(
    ("module", "kind"),
    [("bridge", "BridgedLan"), pytest.param("switch", "SwitchedLan", marks=needs_tap_switch)],
)
def test_nothing_is_left_of_a_laboratory_whose_maker_was_killed(module: str, kind: str, tmp_path: Path) -> None:
    with start_maker(MAKER.format(module=module, kind=kind), str(tmp_path)) as maker:
        assert maker.stdout is not None
        assert maker.stdout.readline() == b"built\n"
        # The maker, three keepers and the process number one of two, and what they started.
        assert len(marked(str(tmp_path))) >= 9
        os.kill(maker.pid, signal.SIGKILL)
        wait_until(lambda: not marked(str(tmp_path)), lambda: f"that all ends; there is {marked(str(tmp_path))}")


def test_nothing_is_left_of_a_laboratory_whose_maker_was_killed_while_it_was_built(tmp_path: Path) -> None:
    with start_maker(MAKER.format(module="bridge", kind="BridgedLan"), str(tmp_path)) as maker:
        wait_until(lambda: len(marked(str(tmp_path))) > 2, "that something is built")
        os.kill(maker.pid, signal.SIGKILL)
        wait_until(lambda: not marked(str(tmp_path)), lambda: f"that all ends; there is {marked(str(tmp_path))}")


def test_nothing_is_left_after_a_laboratory_was_closed() -> None:
    with BridgedLan(2) as lan:
        lan.host(1).namespace.do("sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 &")
        left = [*living_in(lan.host(1).namespace), lan.switch.pid]
        assert len(left) == 3
    assert not any(is_alive(pid) for pid in left)


def test_nothing_is_written_where_others_look_for_names(machine: Namespace) -> None:
    names = Path("/run/netns")
    mine = Path(f"/proc/{machine.pid}/ns/net").stat().st_ino
    assert not names.exists() or mine not in [name.stat().st_ino for name in names.iterdir()]


def test_a_command_runs_in_the_folder_it_is_given(machine: Namespace, tmp_path: Path) -> None:
    assert machine.run("pwd", cwd=tmp_path).stdout.strip() == str(tmp_path)


def test_a_command_gets_its_input_and_its_environment(machine: Namespace) -> None:
    ended = machine.run("sh", "-c", 'cat; echo "$WORD"', text="in and ", environment={"WORD": "out"})
    assert ended.stdout == "in and out\n"


def test_the_exit_code_of_a_command_comes_back(machine: Namespace) -> None:
    assert machine.run("sh", "-c", "exit 7").returncode == 7


def test_a_command_that_must_succeed_complains_in_its_own_words(machine: Namespace) -> None:
    with pytest.raises(LabError, match="'sh -c echo broken >&2; exit 1' failed in the laboratory: broken"):
        machine.do("sh", "-c", "echo broken >&2; exit 1")


def test_the_dead_whom_nobody_collects_do_not_stay(machine: Namespace) -> None:
    machine.do("sh", "-c", "(sleep 0 & exec sh -c 'exit 0') &")
    states = "cat /proc/[0-9]*/stat | cut -d' ' -f2,3"
    wait_until(lambda: "sleep" not in machine.do("sh", "-c", states), lambda: machine.do("sh", "-c", states))


def test_a_namespace_that_cannot_be_made_is_said_so() -> None:
    keeper = Keeper(["sh", "-c", "echo no such thing >&2; exit 1"], lambda pid: Namespace(pid, False, False))
    with pytest.raises(LabError, match="no namespace could be made: no such thing"):
        keeper.ready()
    keeper.close()
