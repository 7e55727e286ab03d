"""ps, show, get, logs, files, explain, cancel and Python sessions give the same answer on every node."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from netlab.marks import needs_network_lab
from roost.client.control import Control
from roost.model.errors import Unavailable
from roost.runtime.trust.key_file import KeyStore
from tests.real.meshes import (
    await_company,
    await_done,
    count_of,
    give_key,
    lan_of_nodes,
    mesh_here,
    run_array,
    talking_to,
)
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

#: Long enough that a log file is written beside the result, and that one answer does not hold it.
LONG_OUTPUT = "yes 0123456789abcdef | head -c 3000000"


def name_of(node: Control) -> str:
    name: str = node.get("/v1/status")["node"]
    return name


def run_task(node: Control, script: str, **fields: Any) -> str:
    """Hand in one task of shell commands; return the run."""
    task = {"name": "work", "command": {"argv": ["sh", "-c", script], **fields.pop("command", {})}, **fields}
    run: str = node.post("/v1/runs", {"name": "work", "tasks": [task]})["run"]
    return run


def results_of(node: Control, run: str, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = node.get(f"/v1/runs/{run}/results", **query)["results"]
    return found


def log_of(node: Control, run: str, element: int, stream: str = "stdout") -> bytes:
    return node.read(f"/v1/runs/{run}/logs", element=element, stream=stream).body


def await_log(node: Control, run: str, element: int, text: bytes) -> None:
    wait_until(lambda: log_of(node, run, element) == text, lambda: f"that {text!r} is seen on {name_of(node)}")


def await_state(node: Control, run: str, state: str, count: int) -> None:
    """Wait until a node knows that so many elements are in a state; it may not have heard of the run yet."""
    wait_until(
        lambda: count_of(node, run, state) == count,
        lambda: f"that {count} are {state}, and not {count_of(node, run, state)}",
    )


def test_results_logs_and_stories_are_the_same_everywhere(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        run = run_array(nodes[0], f"{LONG_OUTPUT}; echo $ROOST_INDEX >&2; sleep 0.1", 9)
        for node in nodes:
            await_done(node, run, 9)
        told = [results_of(node, run) for node in nodes]
        assert told[0] == told[1] == told[2]
        assert [result["index"] for result in told[0]] == list(range(9))
        for element in range(9):
            for node in nodes:
                assert len(log_of(node, run, element)) == 3_000_000
                assert log_of(node, run, element, "stderr") == f"{element}\n".encode()
        stories = [node.get(f"/v1/runs/{run}/explain") for node in nodes]
        assert stories[0] == stories[1] == stories[2]
        makers = {line["who"] for line in stories[0]["story"] if line["kind"] == "done"}
        assert makers == {name_of(node) for node in nodes}
        steps = [node.get(f"/v1/runs/{run}")["steps"] for node in nodes]
        assert steps[0] == steps[1] == steps[2]
        wait_until(
            lambda: len({str(node.get(f"/v1/runs/{run}")["finished_at"]) for node in nodes} - {"None"}) == 1,
            lambda: "that all nodes tell the same end of the run",
        )


def test_a_file_of_many_pieces_is_had_on_every_node_and_fails_on_none(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        script = "head -c 20000000 /dev/urandom > big; sleep 0.1"
        run = run_task(nodes[0], script, array="0-2", command={"outputs": {"big": "big"}})
        for node in nodes:
            await_done(node, run, 3)
        for element in range(3):
            contents = {node.read(f"/v1/runs/{run}/files", element=element).body for node in nodes}
            assert len(contents) == 1
            assert len(contents.pop()) == 20_000_000


def test_why_something_failed_and_what_it_wrote_is_known_everywhere(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        run = run_array(nodes[1], "echo to the end; echo for a reason >&2; sleep 0.1; exit $((ROOST_INDEX + 1))", 6)
        for node in nodes:
            await_state(node, run, "failed", 6)
        told = [node.get(f"/v1/runs/{run}/failures")["failures"] for node in nodes]
        assert told[0] == told[1] == told[2]
        assert [failure["exit_code"] for failure in told[0]] == [1, 2, 3, 4, 5, 6]
        assert "for a reason" in told[0][0]["detail"]


def test_the_log_of_a_running_element_is_followed_from_another_node(tmp_path: Path) -> None:
    go = tmp_path / "go"
    with mesh_here(tmp_path / "mesh", 2) as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        script = f"echo begun; while ! test -e {go}; do sleep 0.05; done; echo ended"
        run = run_array(nodes[0], script, 2)
        for node in nodes:
            await_state(node, run, "running", 2)
            shown = node.get(f"/v1/runs/{run}")["steps"][0]["running"]
            assert {element["node"] for element in shown} == {name_of(other) for other in nodes}
            assert all(element["seconds"] is not None for element in shown)
            for element in (0, 1):
                await_log(node, run, element, b"begun\n")
        go.touch()
        followed = homes[1].roost("logs", run, "--element", "0", "--follow")
        assert followed.stdout == "begun\nended\n"


def test_an_element_is_cancelled_from_any_node(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 2) as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        run = run_array(nodes[0], "sleep 60", 2)
        await_state(nodes[1], run, "running", 2)
        homes[1].roost("cancel", run)
        for node in nodes:
            await_state(node, run, "cancelled", 2)


ATTACH = """
import sys, roost
print([roost.attach(name).result(timeout=30) for name in sys.argv[1:]])
"""

SESSION = """
import time, roost
from concurrent.futures import as_completed

def square(number):
    time.sleep(0.05)
    return number * number

if __name__ == "__main__":
    with roost.connect() as session:
        futures = [session.submit(square, number) for number in range(20)]
        done = sorted(future.result() for future in as_completed(futures))
        assert done == [number * number for number in range(20)], done
        print(" ".join(future.id for future in futures))
"""


def test_a_python_session_gets_what_ran_elsewhere_and_can_be_attached_to_from_any_node(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        names = homes[0].python(SESSION).split()
        squares = str([number * number for number in range(20)])
        for home in homes:
            assert home.python(ATTACH, *names).strip() == squares


def test_when_nobody_has_a_result_it_is_said_who_does_and_when_he_is_back_it_is_there(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 1) as (first,):
        with talking_to([first]) as (alone,):
            run = run_array(alone, "echo made alone", 2)
            await_done(alone, run, 2)
            maker = name_of(alone)
        second = _newcomer(tmp_path / "second", first)
        try:
            with talking_to([first, second]) as nodes:
                await_company(nodes, 2)
                await_done(nodes[1], run, 2)
            first.kill()
            with talking_to([second]) as (left,):
                wait_until(lambda: left.get("/v1/status")["nodes"] == 1, "that the death is noticed")
                for result in _tried(left, run):
                    assert f"is on {maker}, which is away" in result
            first.start()
            with talking_to([first, second]) as nodes:
                await_company(nodes, 2)
                assert [result["value"] for result in results_of(nodes[1], run)] == ["made alone"] * 2
        finally:
            second.close()


def _newcomer(folder: Path, friend: NodeHome) -> NodeHome:
    folder.mkdir()
    home = NodeHome(folder)
    give_key(home.home, KeyStore(friend.home).load())
    home.environment |= {"ROOST_CPUS": "1"}
    home.start()
    return home


def _tried(node: Control, run: str) -> list[str]:
    """Ask for results that may not be there; return the complaint, if there is one."""
    try:
        results_of(node, run)
    except Unavailable as error:
        return [str(error)]
    return []


def test_a_file_that_an_earlier_step_left_on_another_node_is_brought_to_the_next(tmp_path: Path) -> None:
    """Every element of the second step needs all files of the first, wherever they were made."""
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        make = {
            "name": "make",
            "command": {
                "argv": ["sh", "-c", "sleep 0.1; echo $ROOST_INDEX > out"],
                "outputs": {"out": "out"},
            },
            "array": "0-5",
        }
        read = {
            "name": "read",
            "command": {"argv": ["sh", "-c", 'sleep 0.1; cat "$@"', "read", "{needs.made.out}"]},
            "array": "0-5",
            "edges": [{"source": "make", "kind": "all", "port": "made"}],
        }
        run = nodes[0].post("/v1/runs", {"name": "files", "tasks": [make, read]})["run"]
        for node in nodes:
            await_done(node, run, 12)
        assert [result["value"] for result in results_of(nodes[1], run)] == ["0\n1\n2\n3\n4\n5"] * 6
        story = nodes[2].get(f"/v1/runs/{run}/explain", task="read")["story"]
        assert len({line["who"] for line in story if line["kind"] == "done"}) > 1


def test_a_submitter_that_was_away_brings_its_results_home(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes:
        with talking_to(homes) as nodes:
            await_company(nodes, 3)
            run = run_array(nodes[0], "sleep 0.2; echo $ROOST_INDEX", 8)
            wait_until(lambda: run in [one["run"] for one in nodes[1].get("/v1/runs")["runs"]], "that it is known")
        homes[0].kill()
        with talking_to(homes[1:]) as others:
            for node in others:
                await_done(node, run, 8)
        homes[0].start()
        with talking_to(homes) as nodes:
            await_company(nodes, 3)
            await_done(nodes[0], run, 8)
            wait_until(lambda: _has_all(homes[0], run, 8), "that all results are on the submitter's disk")


def _has_all(home: NodeHome, run: str, count: int) -> bool:
    """Look into the journal beside the node: whether it has a result of each element."""
    with closing(sqlite3.connect(f"file:{home.home.journal}?mode=ro", uri=True)) as journal:
        rows = journal.execute("SELECT start, count FROM results WHERE task = ?", (f"{run}/work",)).fetchall()
    return len({index for start, number in rows for index in range(start, start + number)}) == count


@needs_network_lab
def test_why_ready_work_waits_is_told_for_every_node_by_every_node(tmp_path: Path) -> None:
    with lan_of_nodes(tmp_path, 3) as (_, nodes):
        await_company(nodes, 3)
        names = sorted(name_of(node) for node in nodes)
        drained = name_of(nodes[2])
        nodes[2].post("/v1/drain", {"on": True})
        # More processors than any of them has: it waits, and everybody says why.
        run = run_task(nodes[0], "true", cpus=4096)
        for node in nodes:
            await_state(node, run, "ready", 1)
        told = [node.get(f"/v1/runs/{run}/explain")["lines"] for node in nodes]
        assert told[0] == told[1] == told[2]
        for name, line in zip(names, told[0], strict=True):
            reason = "this node drains" if name == drained else "this node will not take it: it needs 4096 CPUs"
            assert line.startswith(f"1 of 1 elements: ready: on {name}: {reason}")
