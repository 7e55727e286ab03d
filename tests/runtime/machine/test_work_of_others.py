"""How much of the processors others use, from the times that a system counts."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest

from roost.runtime.machine.work_of_others import WorkOfOthers, _family

#: The node's first process, one that it has started, and one that that has.
NODE, LAUNCHER, COMMAND = 100, 200, 300
NOBODY = 2**22 + 1


def stat(root: Path, *, user: int = 0, nice: int = 0, system: int = 0, idle: int = 0) -> None:
    (root / "proc").mkdir(exist_ok=True)
    (root / "proc/stat").write_text(f"cpu  {user} {nice} {system} {idle} 0 0 0 0 0 0\ncpu0 1 2 3 4\n")


def shared(tmp_path: Path, times: Callable[[], None]) -> float:
    """Return what others used of the time that passes with ``times``."""
    stat(tmp_path)
    work = WorkOfOthers(tmp_path, pid=NOBODY)
    assert work.utilisation() == 0.0, "there is nothing to compare with yet"
    times()
    return work.utilisation()


def test_what_runs_at_usual_priority_is_the_work_of_others(tmp_path: Path) -> None:
    assert shared(tmp_path, lambda: stat(tmp_path, user=200, system=50, idle=750)) == 0.25
    assert shared(tmp_path, lambda: stat(tmp_path, user=1000)) == 1.0


def test_work_of_low_priority_is_nobody_s(tmp_path: Path) -> None:
    assert shared(tmp_path, lambda: stat(tmp_path, nice=900, idle=100)) == 0.0


def test_each_look_counts_from_the_last(tmp_path: Path) -> None:
    work = WorkOfOthers(tmp_path, pid=NOBODY)
    stat(tmp_path, user=500, idle=500)
    work.utilisation()
    stat(tmp_path, user=600, idle=900)
    assert work.utilisation() == 0.2
    stat(tmp_path, user=600, idle=1900)
    assert work.utilisation() == 0.0


def test_where_the_system_does_not_tell_nobody_works(tmp_path: Path) -> None:
    work = WorkOfOthers(tmp_path)
    assert [work.utilisation(), work.utilisation()] == [0.0, 0.0]
    stat(tmp_path)
    (tmp_path / "proc/stat").write_text("cpu nonsense\n")
    assert work.utilisation() == 0.0


def test_a_system_that_counts_anew_is_no_failure(tmp_path: Path) -> None:
    stat(tmp_path, user=500, idle=500)
    work = WorkOfOthers(tmp_path)
    work.utilisation()
    stat(tmp_path, user=5, idle=5)
    assert work.utilisation() == 0.0


def process(root: Path, pid: int, times: Sequence[int], niceness: int = 0, children: str = "") -> None:
    """Let a process have taken so many ticks in user and system, and its children that have ended in both."""
    task = root / f"proc/{pid}/task/{pid}"
    task.mkdir(parents=True, exist_ok=True)
    (task / "children").write_text(f"{children} ")
    before = f"{pid} (a (strange) name) S 1 1 1 0 -1 4194304 1 2 3 4"
    (root / f"proc/{pid}/stat").write_text(f"{before} {' '.join(map(str, times))} 20 {niceness} 1 0 5 6 7\n")


def family(root: Path, node: Sequence[int], launcher: Sequence[int], command: Sequence[int], niceness: int) -> None:
    process(root, NODE, node, 0, str(LAUNCHER))
    process(root, LAUNCHER, launcher, niceness, str(COMMAND))
    process(root, COMMAND, command, niceness)


def of_node(root: Path) -> WorkOfOthers:
    return WorkOfOthers(root, NODE, root / "proc")


def test_what_a_node_s_processes_take_is_not_the_work_of_others(tmp_path: Path) -> None:
    family(tmp_path, (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), niceness=0)
    stat(tmp_path)
    work = of_node(tmp_path)
    work.utilisation()
    # 10 + 20 by the node, 30 by its launcher, 100 + 40 by the command: 200 of 500 that are busy.
    family(tmp_path, (10, 20, 0, 0), (30, 0, 0, 0), (100, 40, 0, 0), niceness=0)
    stat(tmp_path, user=440, system=60, idle=500)
    assert work.utilisation() == 0.3


def test_of_those_of_low_priority_only_the_time_in_the_system_counts_which_the_system_counts_as_busy(
    tmp_path: Path,
) -> None:
    family(tmp_path, (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), niceness=10)
    stat(tmp_path)
    work = of_node(tmp_path)
    work.utilisation()
    family(tmp_path, (10, 10, 0, 0), (0, 0, 0, 0), (400, 80, 0, 0), niceness=10)
    stat(tmp_path, user=110, nice=400, system=90, idle=400)
    assert work.utilisation() == 0.1


def test_the_time_of_a_command_that_has_ended_is_with_its_launcher(tmp_path: Path) -> None:
    family(tmp_path, (0, 0, 0, 0), (0, 0, 0, 0), (100, 100, 0, 0), niceness=0)
    stat(tmp_path)
    work = of_node(tmp_path)
    work.utilisation()
    process(tmp_path, LAUNCHER, (0, 0, 150, 100))
    stat(tmp_path, user=50, idle=50)
    assert work.utilisation() == 0.0, "50 more of its own, and nobody else's"


def test_a_process_that_ends_meanwhile_and_one_that_nobody_knows_take_nothing(tmp_path: Path) -> None:
    process(tmp_path, NODE, (0, 0, 0, 0), 0, str(LAUNCHER))
    stat(tmp_path)
    work = of_node(tmp_path)
    work.utilisation()
    stat(tmp_path, user=100)
    assert work.utilisation() == 1.0
    assert list(_family(NOBODY, Path("/proc"))) == []


@pytest.mark.parametrize("tells_children", [True, False])
def test_the_family_of_a_real_process_is_found(monkeypatch: pytest.MonkeyPatch, tells_children: bool) -> None:
    program = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(0, flush=True); input()'])"
    parent = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdout.readline()
    expected = {parent.pid, *(child.pid for child in psutil.Process(parent.pid).children())}
    if not tells_children:
        monkeypatch.setattr(Path, "exists", lambda _: False)
    assert len(expected) == 2
    assert set(_family(parent.pid, Path("/proc"))) == expected
    assert expected < set(_family(os.getpid(), Path("/proc")))
    parent.communicate(b"\n")
