"""Commands and functions that live, as people see them: ended, frozen, followed, limited, overtaken."""

import os
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.real.nodes import PATIENCE_S, PROGRAM, NodeHome, is_alive, wait_until

pytestmark = pytest.mark.real

#: A tree of processes: the shell, a child that does not care for TERM, a grandchild; each notes its pid.
#: STRAY has left its group and its session.
TREE = """\
echo $$ >> pids
sh -c 'trap "" TERM; echo $$ >> pids; sleep 1000 & echo $! >> pids; wait' &
"""
STRAY = "setsid sh -c 'echo $$ >> pids; sleep 1000' &"


@pytest.fixture
def node(node_home: NodeHome) -> NodeHome:
    node_home.start()
    return node_home


def look(node: NodeHome, run: str = "last") -> Any:
    with node.control() as control:
        return control.get(f"/v1/runs/{run}")


def pids_in(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def running(node: NodeHome) -> list[dict[str, Any]]:
    """What the steps of the last run say about their running elements."""
    return [element for step in look(node)["steps"] for element in step["running"]]


def test_cancel_returns_when_the_whole_tree_is_dead(node: NodeHome) -> None:
    node.roost("submit", "--", "sh", "-c", f"{TREE}{STRAY} wait")
    pids = node.work / "pids"
    wait_until(lambda: len(pids_in(pids)) == 4, "that the tree stands")
    assert all(is_alive(pid) for pid in pids_in(pids))
    node.roost("cancel", "last")
    assert [pid for pid in pids_in(pids) if is_alive(pid)] == []
    assert look(node)["counts"]["cancelled"] == 1


def test_a_suspended_command_burns_no_time_and_goes_on_when_resumed(node: NodeHome) -> None:
    node.roost("submit", "--", "sh", "-c", "echo $$ > pids; while ! test -e go; do :; done; echo through")
    pids = node.work / "pids"
    wait_until(lambda: pids_in(pids), "that it runs")
    burner = psutil.Process(pids_in(pids)[0])
    wait_until(lambda: sum(burner.cpu_times()[:2]) > 0.02, "that it burns")
    node.roost("suspend", "last")
    wait_until(lambda: burner.status() == psutil.STATUS_STOPPED, "that it is frozen")
    frozen_at = burner.cpu_times()
    node.roost("submit", "--wait", "--", "true")
    assert burner.cpu_times() == frozen_at
    assert look(node, "1")["counts"]["suspended"] == 1
    node.roost("resume", "1")
    (node.work / "go").touch()
    assert node.roost("attach", "1").stdout == "through\n"


def test_a_frozen_command_can_be_cancelled(node: NodeHome) -> None:
    node.roost("submit", "--", "sh", "-c", "echo $$ > pids; sleep 1000")
    wait_until(lambda: pids_in(node.work / "pids"), "that it runs")
    node.roost("suspend", "last")
    node.roost("cancel", "last")
    assert not is_alive(pids_in(node.work / "pids")[0])
    assert look(node)["state"] == "cancelled"


def test_the_time_limit_ends_a_command_with_its_children(node: NodeHome) -> None:
    ended = node.roost("submit", "--wait", "--time", "0.3s", "--", "sh", "-c", f"{TREE} wait", code=1)
    assert "took longer than 0.3 s" in ended.stderr
    assert [pid for pid in pids_in(node.work / "pids") if is_alive(pid)] == []
    assert look(node)["counts"]["failed"] == 1


def test_a_command_is_tried_again_as_often_as_it_may(node: NodeHome) -> None:
    count_to_three = "echo x >> tries; test $(wc -l < tries) -ge 3 && echo third"
    assert node.roost("submit", "--wait", "--retries", "2", "--", "sh", "-c", count_to_three).stdout == "third\n"
    (node.work / "tries").unlink()
    node.roost("submit", "--wait", "--retries", "1", "--", "sh", "-c", count_to_three, code=1)
    assert (node.work / "tries").read_text() == "x\nx\n"


def test_a_log_is_followed_while_the_command_runs(node: NodeHome) -> None:
    speak = "echo first; while ! test -e go; do sleep 0.02; done; echo last"
    node.roost("submit", "--", "sh", "-c", speak)
    following = subprocess.Popen(
        [*PROGRAM, "logs", "-f", "last"], env=node.environment, stdout=subprocess.PIPE, text=True
    )
    with following:
        assert following.stdout is not None
        assert following.stdout.readline() == "first\n"
        assert look(node)["counts"]["running"] == 1
        (node.work / "go").touch()
        assert following.stdout.read() == "last\n"
        assert following.wait(PATIENCE_S) == 0


@pytest.mark.parametrize("line", ["echo ::progress 40 half way", "echo PROGRESS 40"])
def test_progress_is_shown_while_the_command_runs(node: NodeHome, line: str) -> None:
    words = ["--protocol", "lan"] if "PROGRESS" in line else []
    node.roost("submit", *words, "--", "sh", "-c", f"{line}; while ! test -e go; do sleep 0.02; done")
    wait_until(lambda: [element["fraction"] for element in running(node)] == [0.4], "that progress is told")
    shown = node.told("show", "last")["steps"][0]["running"][0]
    assert (shown["fraction"], shown["note"]) == (0.4, "half way" if "half" in line else "")


MISBEHAVE = """\
import os, signal, sys, time, roost

def act(how):
    if how == "raise":
        raise ValueError("on purpose")
    if how == "exit":
        os._exit(3)
    if how == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "hang":
        time.sleep(1000)
    return how

if __name__ == "__main__":
    with roost.connect(time_limit=1.5) as pool:
        futures = [pool.submit(act, how) for how in ("a", "raise", "b", "exit", "c", "crash", "d", "hang", "e")]
        for future in futures:
            error = future.exception(40)
            print("fine" if error is None else f"{type(error).__name__}: {error}")
"""


def test_a_function_that_raises_exits_crashes_or_hangs_costs_itself_only(node: NodeHome) -> None:
    raised, exited, crashed, hung = [line for line in node.python(MISBEHAVE).splitlines() if line != "fine"]
    assert raised == "ValueError: on purpose", "as it was raised"
    assert "3" in exited
    assert "SIGSEGV" in crashed
    assert "took longer than 1.5 s" in hung
    counts = look(node)["counts"]
    assert (counts["done"], counts["failed"]) == (5, 4)


def test_a_run_starts_after_another_has_ended_well_and_not_after_one_that_failed(node: NodeHome) -> None:
    wait = "while ! test -e go; do sleep 0.02; done"
    node.roost("submit", "--", "sh", "-c", f"{wait}; echo made > made")
    node.roost("submit", "--after", "1", "--", "cat", "made")
    assert look(node, "2")["counts"]["waiting"] == 1
    assert "waiting: it needs all of" in node.roost("explain", "2").stdout
    (node.work / "go").touch()
    assert node.roost("attach", "2").stdout == "made\n"
    node.roost("submit", "--", "false")
    node.roost("submit", "--wait", "--after", "3", "--", "echo", "never", code=1)
    assert look(node, "4")["counts"]["aborted"] == 1


def test_interactive_work_overtakes_what_waits(node_home: NodeHome) -> None:
    node = node_home
    node.start(ROOST_CPUS="1")
    wait = "while ! test -e go; do sleep 0.02; done; echo $ROOST_TASK >> order"
    node.roost("submit", "--name", "first", "--", "sh", "-c", wait)
    wait_until(lambda: look(node)["counts"]["running"] == 1, "that the processor is busy")
    note = "echo $ROOST_TASK >> order"
    node.roost("submit", "--array", "1-6", "--name", "low", "--", "sh", "-c", note)
    node.roost("submit", "--priority", "interactive", "--name", "quick", "--", "sh", "-c", note)
    (node.work / "go").touch()
    node.roost("wait", "all")
    names = {run["run"]: run["name"] for run in node.told("ps")["runs"]}
    order = [names[line.partition("/")[0]] for line in (node.work / "order").read_text().splitlines()]
    assert order == ["first", "quick", *["low"] * 6]


def test_commands_see_what_the_submitter_declares_and_nothing_of_whoever_started_the_node(node_home: NodeHome) -> None:
    node = node_home
    node.start(SECRET="of the starter", LC_TIME="de_DE.UTF-8")
    # Neither in its own environment nor in that of the process that started it.
    look_up = "for p in $$ $PPID; do tr '\\0' '\\n' < /proc/$p/environ; done"
    told = node.roost("submit", "--wait", "--env", "MINE=declared", "--", "sh", "-c", look_up).stdout
    assert "MINE=declared" in told.splitlines()
    assert "of the starter" not in told
    own = node.roost("submit", "--wait", "--", "env").stdout
    assert "LC_TIME" not in own
    assert f"ROOST_HOME={node.home.path}" in own.splitlines()


def test_the_environment_and_the_niceness_of_commands(node_home: NodeHome) -> None:
    node = node_home
    node.start(ROOST_NICE="13")
    text = "echo $ROOST_RUN $ROOST_TASK $ROOST_INDEX $ROOST_ITEM; nice"
    told = node.roost("submit", "--wait", "sh", "-c", text, ":::", "one item").stdout.splitlines()
    run = look(node)["run"]
    assert told == [f"{run} {run}/sh 0 one item", str(min(os.nice(0) + 13, 19))]
