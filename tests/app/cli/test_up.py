"""`roost up`; with a real node in tests/real/test_cli.py."""

import json
import os
from pathlib import Path

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import STATUS, FakeNode


def test_a_node_that_runs_already_is_told_and_no_error(roost: Roost, node: FakeNode) -> None:
    node.answers["GET /v1/status"] = STATUS
    ended = roost("up", "--cpus", "2")
    assert ended.code == 0
    assert ended.err == "a node runs here already\nit keeps its settings; to change them, 'roost down' first\n"
    assert "alone so far" in ended.out
    assert json.loads(roost("up", "--json").out) == STATUS


def test_flags_reach_the_node_that_is_started(roost: Roost, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeNode(home)
    fake.answers["GET /v1/status"] = STATUS
    monkeypatch.setattr("os.environ", dict(os.environ))
    monkeypatch.setattr("roost.app.cli.up.ensure_node", lambda _home, meanwhile: fake.start())
    ended = roost("up", "--cpus", "2", "--mem", "4GiB")
    fake.stop()
    assert ended.err == "this machine is a node now\n"
    assert (os.environ["ROOST_CPUS"], os.environ["ROOST_MEMORY"]) == ("2", "4GiB")


def test_a_value_that_cannot_be_starts_nothing(roost: Roost, home: Path) -> None:
    ended = roost("up", "--mem", "lots")
    assert ended.code == 2
    assert "memory from flag: 'lots' is not a size" in ended.err
    assert not home.exists()
