"""Disks that change what they hold: no node tells a damaged result or file as if it were right."""

from pathlib import Path

import pytest

from tests.real.meshes import await_company, await_done, mesh_here, run_array, talking_to
from tests.real.nodes import NodeHome, wait_until
from tests.runtime.damaging import flip_in

pytestmark = pytest.mark.real


def values(node: NodeHome, run: str) -> list[str]:
    with node.control() as control:
        return [result["value"] for result in control.get(f"/v1/runs/{run}/results", limit=100)["results"]]


def test_a_damaged_result_is_refused_alone_and_retry_makes_it_again(node_home: NodeHome) -> None:
    node_home.roost("up")
    node_home.roost("submit", "--wait", "--", "sh", "-c", "echo a-rare-value-$((40+2))")
    node_home.roost("down")
    flip_in(node_home.home.journal, b"a-rare-value-42")
    assert node_home.roost("doctor", code=0).returncode == 0
    assert "1 of results" in node_home.roost("doctor", "--deep", code=1).stdout
    node_home.roost("up")
    for _ in range(2):
        refused = node_home.roost("get", "1", code=None)
        assert (refused.returncode, refused.stdout) != (0, "a-rare-value-42\n")
        assert refused.returncode != 0
        assert "was damaged on this disk" in refused.stderr
    assert "the result of element 0" in node_home.roost("doctor", code=1).stdout
    node_home.roost("retry", "1")
    node_home.roost("wait", "1")
    assert node_home.roost("get", "1").stdout == "a-rare-value-42\n"
    assert "was damaged" in node_home.roost("explain", "1").stdout


def test_a_damaged_file_is_not_handed_out(node_home: NodeHome) -> None:
    node_home.roost("up")
    node_home.roost("submit", "--wait", "--output", "f=o.txt", "--", "sh", "-c", "echo right > o.txt")
    (blob,) = node_home.home.blobs.iterdir()
    flip_in(blob, b"right\n")
    with node_home.control() as control:
        result = control.get("/v1/runs/1/results")["results"][0]
    assert list(result["files"]) == ["f"]
    refused = node_home.roost("get", "1", "-o", "there", code=None)
    assert refused.returncode != 0
    assert "damaged" in refused.stderr


def test_in_a_mesh_a_damaged_result_comes_from_another_node(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 2) as homes:
        with talking_to(homes) as nodes:
            await_company(nodes, 2)
            run = run_array(nodes[0], "echo value-{i}-of-a-node", 4)
            await_done(nodes[0], run, 4)
            wanted = values(homes[0], run)
            wait_until(lambda: len(values(homes[1], run)) == 4, "that the other has all results")
        homes[0].roost("down")
        homes[0].await_end()
        content = homes[0].home.journal.read_bytes()
        damaged = next(value.encode() for value in wanted if content.count(value.encode()) == 1)
        flip_in(homes[0].home.journal, damaged)
        homes[0].start()
        with talking_to(homes) as nodes:
            await_company(nodes, 2)
        assert values(homes[0], run) == wanted == [f"value-{at}-of-a-node" for at in range(4)]
