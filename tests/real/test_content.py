"""Real nodes bring content to each other: large, from several, and on after a kill."""

import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import pytest

from roost.client.control import Control
from roost.model.errors import NotFound
from roost.model.limits import MIB
from tests.real.meshes import await_company, mesh_here, talking_to
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

SIZE = 160 * MIB


def put(*homes: NodeHome) -> tuple[str, bytes]:
    """Let nodes have a content on their disks; return its name, and the content."""
    data = os.urandom(SIZE)
    name = blake2b(data, digest_size=16).hexdigest()
    for home in homes:
        (home.home.blobs / name).write_bytes(data)
    return name, data


def bring(node: Control, name: str) -> bytes:
    return b"".join(node.pieces("/v1/values", content=name, bytes=SIZE))


def partial_of(home: NodeHome, name: str) -> Path:
    return home.home.blobs / f".partial-{name}"


def bytes_of(path: Path) -> int:
    """Return what a file takes on disk."""
    return path.stat().st_blocks * 512 if path.exists() else 0


def test_a_large_content_comes_from_all_that_have_it_and_only_whole(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        name, data = put(homes[0], homes[1])
        assert bring(nodes[2], name) == data
        assert (homes[2].home.blobs / name).read_bytes() == data
        assert not partial_of(homes[2], name).exists()


def test_a_node_with_a_damaged_copy_does_not_spoil_what_another_has(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        name, data = put(homes[0], homes[1])
        with (homes[0].home.blobs / name).open("r+b") as file:
            file.seek(SIZE // 2)
            file.write(b"damaged")
        assert bring(nodes[2], name) == data


@pytest.mark.parametrize("killed", [0, 1], ids=["the source", "who wants it"])
def test_what_had_come_when_a_node_was_killed_is_gone_on_with(tmp_path: Path, killed: int) -> None:
    with mesh_here(tmp_path, 2) as homes:
        with talking_to(homes) as nodes:
            await_company(nodes, 2)
            name, data = put(homes[0])
            partial = partial_of(homes[1], name)
            asking = homes[1].control()
            request(asking, name)
            wait_until(lambda: bytes_of(partial) > SIZE // 8, "that a part of it has come")
            homes[killed].kill()
            came = bytes_of(partial)
            assert not (homes[1].home.blobs / name).exists(), "the test was too slow: all of it came"
            asking.close()
        homes[killed].start()
        with talking_to(homes) as nodes:
            await_company(nodes, 2)
            inode = partial.stat().st_ino
            assert bytes_of(partial) >= came
            assert patiently(nodes, name) == data
            assert (homes[1].home.blobs / name).stat().st_ino == inode, "it is the file that had been begun"


def request(node: Control, name: str) -> None:
    """Ask for a content, and do not wait for it."""
    connection = node._connected()
    target = f"/v1/values?content={name}&bytes={SIZE}"
    connection.request("GET", target, None, {"Authorization": f"Bearer {node._token}"})


def patiently(nodes: Sequence[Control], name: str) -> bytes:
    found = b""

    def came() -> bool:
        nonlocal found
        try:
            found = bring(nodes[1], name)
        except NotFound:
            return False
        return True

    wait_until(came, "that it comes again")
    return found
