import socket
import subprocess
from pathlib import Path

import pytest

from examples.demo import mesh
from examples.demo.mesh import NAMES, DemoNode, free_port, wait_until
from roost.app.config import read_config
from roost.model.errors import Unavailable


def test_the_ports_that_are_chosen_are_free_and_neighbours() -> None:
    port = free_port()
    for number in range(port, port + len(NAMES) + 1):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", number))


def test_a_port_that_another_program_has_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as taken:
        taken.bind(("127.0.0.1", 0))
        number = taken.getsockname()[1]
        monkeypatch.setattr(mesh, "_PORTS", range(number, number + 1))
        with pytest.raises(Unavailable, match="no 4 neighbouring ports are free"):
            free_port()


def test_a_node_has_a_name_a_processor_and_ports_of_its_own_in_its_home(tmp_path: Path) -> None:
    node = DemoNode(tmp_path, "wren", 23_000)
    config = read_config(node.home.config, {})
    assert (config.node_name, config.cpus, config.value("nice")) == ("wren", 1.0, 0)
    assert config.mesh is not None
    assert config.mesh.udp_port == 23_000
    assert config.mesh.peers == tuple(("127.0.0.1", 23_001 + at) for at in range(len(NAMES)))


def test_a_command_that_fails_is_told_with_its_node_and_its_own_words(tmp_path: Path) -> None:
    node = DemoNode(tmp_path, "wren", 23_000)
    with pytest.raises(Unavailable, match=r"'roost get' on wren failed: roost: no node runs here"):
        node.roost("get", "1")


def test_settings_of_the_user_do_not_reach_the_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_NAME", "mine")
    monkeypatch.setenv("ROOST_HOME", str(tmp_path / "mine"))
    node = DemoNode(tmp_path, "wren", 23_000)
    told = node.roost("config", "--json")
    assert '"wren"' in told
    assert "mine" not in told


def test_killing_and_ending_a_node_that_does_not_run_does_nothing(tmp_path: Path) -> None:
    node = DemoNode(tmp_path, "wren", 23_000)
    node.kill()
    node.end()
    assert not node.home.running()


def test_what_does_not_come_is_told_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh, "PATIENCE_S", 0.0)
    with pytest.raises(Unavailable, match="in vain that it rains"):
        wait_until(lambda: False, "that it rains")


def test_a_command_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh, "PATIENCE_S", 0.1)
    monkeypatch.setattr(mesh, "_PROGRAM", ("sleep",))
    with pytest.raises(Unavailable, match="'roost 1000' on wren takes more than") as caught:
        DemoNode(tmp_path, "wren", 23_000).roost("1000")
    assert isinstance(caught.value.__cause__, subprocess.TimeoutExpired)
