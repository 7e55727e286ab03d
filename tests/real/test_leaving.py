"""Real nodes that drain, leave, change their key while one sleeps, and keep one out."""

import os
import signal
from pathlib import Path

import pytest

from roost.client.control import Control
from tests.real.meshes import await_company, await_done, mesh_here, run_array, talking_to, workers_of
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real


def name_of(node: Control) -> str:
    name: str = node.get("/v1/status")["node"]
    return name


def standing_of(node: Control, name: str) -> str:
    (known,) = [view for view in node.get("/v1/nodes")["nodes"] if view["node"] == name]
    return "draining" if known["draining"] else str(known["standing"])


def newest_key(home: NodeHome) -> str:
    newest: str = home.told("keys")["keys"][0]["id"]
    return newest


def test_a_node_that_drains_takes_nothing_and_one_that_leaves_is_a_cluster_of_its_own(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        leaver, name = homes[0], name_of(nodes[0])
        before = newest_key(leaver)
        assert leaver.told("drain")["may_stop"]
        wait_until(lambda: standing_of(nodes[1], name) == "draining", "that others know that it drains")
        run = run_array(nodes[0], "echo done", 6)
        await_done(nodes[0], run, 6)
        assert name not in workers_of(nodes, run)
        leaver.roost("leave")
        wait_until(lambda: standing_of(nodes[1], name) == "left", "that others know that it left")
        assert not (leaver.home.path / "cluster.json").exists()
        # What it handed in came home, and stays.
        leaver.await_end()
        leaver.start()
        with leaver.control() as alone:
            assert name_of(alone) != name
            assert alone.get("/v1/status")["nodes"] == 1
            results = alone.get(f"/v1/runs/{run}/results")["results"]
            assert [result["value"] for result in results] == ["done"] * 6
        assert newest_key(leaver) != before


def test_a_node_that_sleeps_while_the_key_changes_is_told_when_it_wakes(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        sleeper = nodes[2].get("/v1/status")["pid"]
        os.kill(sleeper, signal.SIGSTOP)
        try:
            await_company(nodes[:2], 2)
            changed = homes[0].told("keys", "rotate")
            assert (changed["told"], changed["untold"]) == ([name_of(nodes[1])], [])
        finally:
            os.kill(sleeper, signal.SIGCONT)
        await_company(nodes, 3)
        wait_until(lambda: newest_key(homes[2]) == changed["key"], "that the sleeper has the new key")
        run = run_array(nodes[2], "echo done", 6)
        await_done(nodes[0], run, 6)


def test_a_machine_that_is_removed_is_kept_out_and_comes_back_by_joining_only(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        removed = name_of(nodes[2])
        changed = homes[0].told("nodes", "remove", removed)
        assert changed["told"] == [name_of(nodes[1])]
        await_company(nodes[:2], 2)
        assert newest_key(homes[1]) == changed["key"]
        assert newest_key(homes[2]) != changed["key"]
        wait_until(
            lambda: "roost join" in homes[2].roost("doctor", code=None).stdout, "that doctor says how it comes back"
        )
        assert standing_of(nodes[0], removed) == "dead"
