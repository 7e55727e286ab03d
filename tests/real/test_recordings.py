"""A real node records its life; one whose core is broken on purpose ends, and leaves what shows it."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from roost.client.start import find_node
from roost.core.recording import MAGIC
from tests.real.nodes import PATIENCE_S, NodeHome, wait_until

pytestmark = pytest.mark.real

#: Tasks whose elements are leased are not noted, which a check finds out. Nodes look at themselves much too often.
BROKEN = """
import sys
from roost.core.queue.replica import Replica
from roost.runtime import self_check

Replica.follow = lambda replica, entry: None
self_check.PAUSE_S = 0.05
"""
NODE = f"{BROKEN}\nfrom roost.app import daemon\ndaemon.main()"
ROOST = f"{BROKEN}\nfrom roost.app.cli.main import main\nsys.exit(main(sys.argv[1:]))"


def test_the_life_of_a_node_is_played_again(node_home: NodeHome) -> None:
    node_home.start()
    node_home.roost("submit", "--array", "1-20", "--wait", "--", "echo", "{i}")
    node_home.python("import roost\nprint(list(roost.connect().map(abs, range(50)))[7])")
    node_home.roost("down")
    node_home.await_end()
    recording = node_home.home.recordings / "life-1"
    told = node_home.told("sim", "--replay", str(recording))
    assert (told["failure"], told["ending"]) == (None, {"reason": "", "is_cut": False})
    assert told["events"] > 10
    said = [
        node_home.roost("sim", "--replay", str(recording), variables={"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert said[0].splitlines()[-1] == f"trace {told['hash']}"


def test_a_node_that_was_killed_leaves_what_it_had_written(node_home: NodeHome) -> None:
    lives = [node_home.home.recordings / life for life in ("life-1", "life-2")]
    for life in lives:
        node_home.start()
        wait_until(partial(_has_begun, life), "that it has begun to write")
        node_home.kill()
    for life in lives:
        ended = node_home.roost("sim", "--replay", str(life))
        assert "its node was killed, or still runs" in ended.stderr


def test_a_broken_core_leaves_a_recording_that_shows_it(node_home: NodeHome) -> None:
    process = node_home.spawn(program=(sys.executable, "-P", "-c", NODE))
    wait_until(lambda: find_node(node_home.home) is not None, "that the node listens")
    node_home.roost("submit", "--", "sleep", "1000")
    assert process.wait(PATIENCE_S) == 4
    node_home.await_end()
    recording = node_home.home.recordings / "failed-1"
    last = [line for line in node_home.log_text().splitlines() if "<ERROR>" in line][-1]
    assert "InvariantViolated: elements of ['1-" in last
    assert last.endswith(f"'roost sim --replay {recording}' plays again what led to it")
    found = {finding["what"]: finding for finding in node_home.told("doctor")["findings"]}["failures"]
    assert found["verdict"] == "warn"
    assert str(recording) in found["remedy"]
    said = [_broken(node_home, seed, "sim", "--replay", str(recording)) for seed in ("1", "2")]
    assert said[0] == said[1]
    assert "Broken at event " in said[0]
    assert "are leased, noted are []" in said[0]
    mended = node_home.roost("sim", "--replay", str(recording))
    assert "that does not come up here" in mended.stderr


def _has_begun(life: Path) -> bool:
    return life.stat().st_size > len(MAGIC)


def _broken(node_home: NodeHome, seed: str, *words: str) -> str:
    """Run a command with the broken core, which is to fail."""
    ended = subprocess.run(
        [sys.executable, "-P", "-c", ROOST, *words],
        env=node_home.environment | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 1, ended
    return ended.stdout
