"""What a node offers, and how its life ends."""

import asyncio
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from roost.app.config import read_config
from roost.app.life import MEMORY_SHARE, capacity_of, live
from roost.core.actions import Action
from roost.core.node import Node
from roost.model.attributes import (
    ARCH,
    CORES,
    DISK,
    GPU,
    JAVASCRIPT,
    LIBRARIES,
    MEM,
    OS,
    PROGRAMS,
    PROGRAMS_FOLDER,
    TAGS,
)
from roost.model.errors import InvariantViolated
from roost.runtime.home import Home


def test_the_owner_s_word_on_capacity_counts_and_else_the_machine_s(tmp_path: Path) -> None:
    config = read_config(tmp_path / "config.toml", {"ROOST_CPUS": "1.5", "ROOST_MEMORY": "2GiB"})
    assert (capacity_of(config).cpus, capacity_of(config).memory_bytes) == (1.5, 2 * 2**30)
    offered = capacity_of(read_config(tmp_path / "config.toml", {}))
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert offered.cpus == len(os.sched_getaffinity(0))
    assert offered.memory_bytes == pytest.approx(total * MEMORY_SHARE, rel=0.01)
    assert offered.python == f"{sys.version_info.major}.{sys.version_info.minor}"
    assert offered.attributes[JAVASCRIPT] == (find_spec("quickjs") is not None)


def test_a_node_says_at_once_what_takes_no_look_and_nothing_of_the_rest(tmp_path: Path) -> None:
    config = read_config(tmp_path / "config.toml", {"ROOST_TAGS": "lab,quiet", "ROOST_MEMORY": "1GiB"})
    offered = capacity_of(config, ("export",)).attributes
    assert (offered[TAGS], offered[PROGRAMS_FOLDER]) == (("lab", "quiet"), ("export",))
    assert offered[MEM] == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert {OS, ARCH, CORES} <= offered.keys()
    assert not {PROGRAMS, LIBRARIES, GPU, DISK} & offered.keys()


def test_a_node_that_cannot_go_on_says_why_and_ends_with_a_code_that_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def handle(node: Node, event: object, now: float) -> list[Action]:
        raise InvariantViolated("two and two are five")

    monkeypatch.setattr(Node, "handle", handle)
    home = Home(tmp_path / "home")
    home.create()
    config = read_config(home.config, {"ROOST_MESH": "off"}, {})
    with pytest.raises(SystemExit) as ended:
        asyncio.run(live(home, config))
    assert ended.value.code == 4
    assert "two and two are five); the node stops, and a restart goes on from what the disk holds" in caplog.text
