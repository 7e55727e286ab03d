"""Real nodes of different abilities: work goes where what it requires is, and who lacks what is told."""

import stat
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.real.meshes import await_company, give_key, talking_to
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

TAGS = ("lab", "lab,quiet")


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[list[NodeHome]]:
    """Two nodes of one cluster, of which the second has a tag more, and a program more on its PATH."""
    with ExitStack() as ending:
        homes, keyring = [], None
        for number, tags in enumerate(TAGS):
            place = tmp_path / f"node{number}"
            (place / "bin").mkdir(parents=True)
            home = NodeHome(place)
            ending.callback(home.close)
            keyring = give_key(home.home, keyring)
            path = f"{place / 'bin'}:{home.environment['PATH']}"
            home.environment |= {"ROOST_TAGS": tags, "PATH": path, "ROOST_NAME": f"n{number}"}
            homes.append(home)
        program = tmp_path / "node1/bin/only-there"
        program.write_text("#!/bin/sh\necho only there\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        for home in homes:
            home.start()
        with talking_to(homes) as controls:
            await_company(controls, len(homes))
        yield homes


def makers(node: NodeHome, run: str) -> dict[str, int]:
    with node.control() as control:
        (step,) = control.get(f"/v1/runs/{run}")["steps"]
    made: dict[str, int] = step["done_on"]
    return made


def attributes(node: NodeHome) -> dict[str, dict[str, Any]]:
    return {one["node"]: one["attributes"] for one in node.told("nodes")["nodes"]}


def test_work_runs_where_what_it_requires_is(nodes: list[NodeHome]) -> None:
    first = nodes[0]
    names = [node.told("status")["node"] for node in nodes]
    condition = '"quiet" in tags and "only-there" in programs and mem >= 1MiB and version(python) >= "3.11"'
    wait_until(lambda: "only-there" in attributes(first)[names[1]].get("programs", ()), "that the second has looked")
    assert {name: told["tags"] for name, told in attributes(first).items()} == {
        names[0]: ["lab"],
        names[1]: ["lab", "quiet"],
    }
    told = first.roost("submit", "--require", condition, "--array", "1-5", "--", "true")
    assert "will wait" not in told.stderr
    run = told.stdout.strip()
    first.roost("wait", run)
    assert makers(first, run) == {names[1]: 5}
    vain = first.roost("submit", "--require", '"quiet" in tags and cores >= 100000', "--", "true")
    assert "no node here meets it" in vain.stderr
    assert f"nearest: {names[1]} lacks cores >= 100000 (has " in vain.stderr
    explained = first.roost("explain", vain.stdout.strip()).stdout
    assert f'on {names[0]}: this node will not take it: it requires "quiet" in tags, and this node has no' in explained
    assert f"nearest: {names[1]} lacks cores >= 100000 (has " in explained
