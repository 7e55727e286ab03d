import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from roost.client.control import node_of
from roost.client.start import ensure_node
from roost.model.errors import Unavailable
from roost.runtime.home import Home
from roost.version import VERSION

PATIENCE_S = 30.0
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def start(home: Home) -> Iterator[Start]:
    """Start node processes in the home; what is left of them is killed."""
    started: list[subprocess.Popen[str]] = []
    own = {name: value for name, value in os.environ.items() if not name.startswith("ROOST_")}

    def run(**variables: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "roost.app.daemon"],
            env=own | {"ROOST_HOME": str(home.path)} | variables,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def listens(home: Home, process: subprocess.Popen[str]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while home.read_node() is None:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < give_up, "the node does not listen"
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_node_says_where_it_listens_and_leaves_politely(home: Home, start: Start, number: signal.Signals) -> None:
    process = start()
    listens(home, process)
    node = home.read_node()
    assert node is not None
    assert (node.pid, node.version) == (process.pid, VERSION)
    assert home.holder() == process.pid
    with node_of(home) as control:
        assert control.get("/v1/status")["pid"] == process.pid
    process.send_signal(number)
    _, log = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, log
    assert f"listens on {node.address}" in log
    assert "stops" in log
    assert not home.node.exists()
    assert not home.running()


def test_the_api_can_end_it(home: Home, start: Start) -> None:
    process = start()
    listens(home, process)
    with node_of(home) as control:
        control.post("/v1/shutdown")
    assert process.wait(PATIENCE_S) == 0


def test_a_second_node_in_the_same_home_ends_with_one_sentence(home: Home, start: Start) -> None:
    first = start()
    listens(home, first)
    second = start()
    _, log = second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 4
    assert f"a node (pid {first.pid}) lives in {home.path} already" in log
    assert len(log.splitlines()) == 1
    assert home.read_node() is not None, "the first one's address has to stay"


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("journal.db", "garbage", "is not a journal of Roost"),
        ("config.toml", "cpus = 'many'", "is not a number"),
        ("config.toml", "cpus = ", "is not TOML"),
        ("token", "short", "does not hold a token"),
    ],
)
def test_a_home_that_cannot_be_used_ends_it_with_one_sentence(
    home: Home, start: Start, file: str, content: str, sentence: str
) -> None:
    home.create()
    (home.path / file).write_text(content)
    (home.path / file).chmod(0o600)
    process = start()
    _, log = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 4
    assert sentence in log
    assert "Traceback" not in log
    assert (home.path / file).read_text() == content
    assert not home.node.exists()


def test_who_started_it_is_told_why_it_cannot_live(home: Home) -> None:
    home.create()
    home.journal.write_text("garbage")
    with pytest.raises(Unavailable, match=rf"^the node cannot start: {home.journal} is not a journal of Roost"):
        ensure_node(home)


def test_a_port_that_another_program_has_ends_it_with_one_sentence(home: Home, start: Start, tmp_path: Path) -> None:
    first = start()
    listens(home, first)
    port = json.loads(home.node.read_bytes())["address"].rpartition(":")[2]
    second = start(ROOST_HOME=str(tmp_path / "other"), ROOST_PORT=port)
    _, log = second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 4
    assert f"cannot listen on port {port}: address already in use" in log
    assert len(log.splitlines()) == 1


def test_a_port_for_lan_s_clients_that_cannot_be_had_ends_it_with_one_sentence(home: Home, start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start(ROOST_LAN=str(port))
        _, log = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 4
    assert (
        f"LAN's clients cannot connect to 127.0.0.1:{port}: address already in use; 'roost config set lan off'" in log
    )
    assert len(log.splitlines()) == 1


def test_a_folder_of_programs_that_everybody_may_fill_ends_it_with_one_sentence(home: Home, start: Start) -> None:
    (home.path / "mine").mkdir(parents=True)
    (home.path / "mine").chmod(0o777)
    process = start(ROOST_LAN="0", ROOST_PROGRAMS="mine")
    _, log = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 4
    assert "everybody may write to the programs' folder" in log
    assert len(log.splitlines()) == 1
