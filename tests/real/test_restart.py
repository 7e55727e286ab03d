"""A node that is stopped politely in the middle of a run, and what people find when it is back."""

import json
import subprocess

import pytest

from tests.real.nodes import PATIENCE_S, PROGRAM, NodeHome, is_alive, wait_until

pytestmark = pytest.mark.real

#: Runs until the test lets it end.
WAITS_FOR_GO = "while ! test -e go; do sleep 0.02; done; echo through {i}"
HANDS_IN = """\
import sys, time, pathlib, roost

def square(number):
    while number and not pathlib.Path("go").exists():
        time.sleep(0.02)
    return number * number

if __name__ == "__main__":
    pool = roost.connect()
    print(*[pool.submit(square, number).id for number in range(4)])
"""
ATTACHES = """\
import sys, roost
print(*[roost.attach(name).result(40) for name in sys.argv[1:]])
"""


def counts(node: NodeHome, run: str = "last") -> dict[str, int]:
    with node.control() as control:
        found: dict[str, int] = control.get(f"/v1/runs/{run}")["counts"]
    return found


def test_a_run_goes_on_after_down_and_up(node_home: NodeHome) -> None:
    node_home.roost("up")
    command = ["sh", "-c", f"test {{i}} -le 2 && exit; {WAITS_FOR_GO}"]
    node_home.roost("submit", "--array", "1-5", "--", *command)
    wait_until(lambda: counts(node_home)["done"] == 2 and counts(node_home)["running"], "that two are done")
    before = node_home.told("get")["results"]
    running = node_home.processes()
    node_home.roost("down")
    assert not any(is_alive(pid) for pid in running), "what ran has to be dead when 'roost down' returns"
    assert "no node runs here" in node_home.roost("get", code=4).stderr
    node_home.roost("up")
    (node_home.work / "go").touch()
    node_home.roost("wait", "1")
    after = node_home.told("get")["results"]
    assert after[:2] == before
    assert [result["stdout"] for result in after] == ["", "", "through 3\n", "through 4\n", "through 5\n"]
    assert "the node that ran it was restarted" in node_home.roost("explain", "1").stdout


def test_a_stop_is_not_counted_as_a_failed_attempt(node_home: NodeHome) -> None:
    node_home.start()
    node_home.roost("submit", "--", "sh", "-c", WAITS_FOR_GO)
    wait_until(lambda: counts(node_home)["running"], "that it runs")
    node_home.roost("down")
    node_home.kill()
    (node_home.work / "go").touch()
    node_home.start()
    node_home.roost("wait", "last")
    assert node_home.told("show")["counts"]["failed"] == 0


def test_a_wait_that_was_begun_before_the_restart_ends_with_the_run(node_home: NodeHome) -> None:
    node_home.roost("up")
    waiting = subprocess.Popen(
        [*PROGRAM, "submit", "--wait", "--", "sh", "-c", WAITS_FOR_GO],
        cwd=node_home.work,
        env=node_home.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert waiting.stderr is not None
    with waiting:
        assert any(line.startswith("run 1-") for line in waiting.stderr)
        wait_until(lambda: counts(node_home)["running"], "that it runs")
        node_home.roost("down")
        node_home.roost("up")
        (node_home.work / "go").touch()
        told, complaints = waiting.communicate(timeout=PATIENCE_S)
    assert (waiting.returncode, told) == (0, "through 0\n"), complaints


def test_get_attach_and_wait_work_in_other_processes_after_restarts(node_home: NodeHome) -> None:
    run = node_home.roost("submit", "--array", "1-3", "--", "sh", "-c", WAITS_FOR_GO).stdout.strip()
    node_home.roost("down")
    node_home.roost("up")
    (node_home.work / "go").touch()
    node_home.roost("wait", run)
    node_home.roost("down")
    node_home.roost("up")
    expected = "through 1\nthrough 2\nthrough 3\n"
    assert node_home.roost("get", run).stdout == expected
    assert node_home.roost("attach", run).stdout == expected
    assert node_home.roost("wait", run).returncode == 0
    assert run in node_home.roost("ps").stdout


def test_futures_are_attached_by_id_after_their_process_and_their_node_have_ended(node_home: NodeHome) -> None:
    names = node_home.python(HANDS_IN).split()
    assert len(names) == 4
    assert node_home.python(ATTACHES, names[0]).split() == ["0"]
    node_home.roost("down")
    node_home.roost("up")
    (node_home.work / "go").touch()
    assert node_home.python(ATTACHES, *names).split() == ["0", "1", "4", "9"]
    node_home.roost("down")
    assert node_home.python(ATTACHES, *names).split() == ["0", "1", "4", "9"], "a client starts the node that it needs"


def test_a_suspended_run_stays_suspended(node_home: NodeHome) -> None:
    node_home.roost("submit", "--array", "1-3", "--", "sh", "-c", WAITS_FOR_GO)
    node_home.roost("suspend", "1")
    (node_home.work / "go").touch()
    node_home.roost("down")
    node_home.roost("up")
    assert node_home.told("show", "1")["state"] == "suspended"
    assert counts(node_home)["done"] == 0
    node_home.roost("resume", "1")
    node_home.roost("wait", "1")


def test_three_that_start_a_node_at_the_same_time_find_the_same(node_home: NodeHome) -> None:
    words = [*PROGRAM, "up", "--json"]
    ups = [subprocess.Popen(words, env=node_home.environment, stdout=subprocess.PIPE) for _ in range(3)]
    told = [json.loads(up.communicate(timeout=PATIENCE_S)[0]) for up in ups]
    assert [up.returncode for up in ups] == [0, 0, 0]
    assert len({status["pid"] for status in told}) == 1


def test_a_command_that_is_given_while_the_node_starts_waits_for_it(node_home: NodeHome) -> None:
    for _ in range(3):
        node_home.spawn()
        wait_until(lambda: node_home.home.is_starting(60.0) or node_home.home.read_node(), "that the node starts")
        assert node_home.told("status")["node"]
        node_home.roost("down")
        node_home.await_end()
