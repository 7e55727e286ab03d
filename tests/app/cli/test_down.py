"""`roost down`; with a real node in tests/real/test_cli.py."""

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest

from roost.app.cli import down
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import Asked, FakeNode


def test_without_a_node_there_is_nothing_to_do(roost: Roost) -> None:
    assert roost("down") == (0, "", "no node runs here\n")
    assert json.loads(roost("down", "--json").out) == {"stopped": False}


def test_it_waits_until_the_process_is_gone(roost: Roost, home: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        node = FakeNode(home, process.pid)

        def stop(_asked: Asked) -> Any:
            node.release()
            threading.Timer(0.05, process.kill).start()
            return {"stopping": True}

        node.answers["POST /v1/shutdown"] = stop
        node.start()
        assert roost("down") == (0, "", "the node has stopped; 'roost up' goes on where it was\n")
        # Killed, if not yet collected by us, its parent.
        assert psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE
        node.stop()


def test_a_node_that_does_not_stop_is_reported(roost: Roost, node: FakeNode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(down, "PATIENCE_S", 0.0)
    node.answers["POST /v1/shutdown"] = {"stopping": True}
    ended = roost("down")
    assert ended.code == 4
    assert "has not stopped" in ended.err
