"""Real nodes keep what was handed in on two disks, though the machines that have it go one after the other."""

from hashlib import blake2b
from pathlib import Path

import pytest

from tests.real.meshes import await_company, mesh_here, talking_to
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

ASK = {"name": "ask", "manual": {"title": "Look at it", "fields": [{"name": "picture", "type": "file"}]}}
PICTURE = bytes(range(256)) * 10_000
NAME = blake2b(PICTURE, digest_size=16).hexdigest()


def holders(homes: list[NodeHome]) -> list[int]:
    """Return which nodes have the picture on their disks, whole."""
    return [number for number, home in enumerate(homes) if (home.home.blobs / NAME).exists()]


def hand_in(folder: Path, home: NodeHome) -> str:
    """Answer a step of a new run with a picture; return the run."""
    (folder / "pear.jpg").write_bytes(PICTURE)
    with home.control() as node:
        run: str = node.post("/v1/runs", {"name": "pears", "tasks": [ASK]})["run"]
    home.roost("complete", run, "ask", f"picture=@{folder / 'pear.jpg'}")
    return run


def test_an_attachment_outlives_two_machines_that_are_lost_one_after_the_other(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes:
        with talking_to(homes) as nodes:
            await_company(nodes, 3)
            run = hand_in(tmp_path, homes[0])
            assert len(holders(homes)) == 2
            (second,) = [number for number in holders(homes) if number != 0]
        third = 3 - second
        homes[second].kill()
        wait_until(lambda: third in holders(homes), "that the third machine has it")
        homes[0].kill()
        with talking_to([homes[third]]) as (left,):
            found = left.read(f"/v1/runs/{run}/files", task="ask", name="picture").body
            assert found == PICTURE


def test_what_was_handed_in_on_a_machine_that_is_lost_is_copied_by_those_who_are_left(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes:
        with talking_to(homes) as nodes:
            await_company(nodes, 3)
            run = hand_in(tmp_path, homes[0])
        homes[0].kill()
        wait_until(lambda: {1, 2} <= set(holders(homes)), "that both that are left have it")
        homes[holders(homes)[1]].kill()
        (left,) = {1, 2} - {holders(homes)[1]}
        with talking_to([homes[left]]) as (node,):
            assert node.read(f"/v1/runs/{run}/files", task="ask", name="picture").body == PICTURE


def test_a_machine_that_drains_is_not_done_before_one_that_stays_has_what_was_handed_in(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes:
        with talking_to(homes) as nodes:
            await_company(nodes, 3)
            hand_in(tmp_path, homes[0])
        second = holders(homes)[1]
        homes[second].kill()
        assert homes[0].told("drain")["may_stop"]
        assert 3 - second in holders(homes)
