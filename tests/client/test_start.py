"""The daemon of these tests does what a node's does first: it takes the lock, writes its address, and stays."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from roost.client.start import Address, await_node, ensure_node, find_node, home_at, require_node
from roost.model.errors import Unavailable
from roost.model.ids import NodeId
from roost.runtime.home import Home, NodeAddress

_DAEMON_NAME = "pretended_daemon"
DAEMON = """
import os, signal, sys
from roost.model.ids import NodeId
from roost.runtime.home import Home, NodeAddress
home = Home.locate(os.environ)
home.create()
with home.locked():
    home.ensure_token()
    home.write_node(NodeAddress(os.getpid(), "http://127.0.0.1:4711", NodeId("ash"), "0", 0.0))
    signal.pause()
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    place = Home(tmp_path / "home")
    yield place
    if place.path.exists() and place.running():
        pid = place.holder()
        assert pid is not None
        # One that came second ends while the first lives; later it would take its place, and stay behind.
        for other in psutil.Process().children():
            with suppress(psutil.NoSuchProcess):
                if other.pid != pid and _DAEMON_NAME in other.cmdline():
                    other.wait(30)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "modules"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr("roost.client.start._DAEMON", _DAEMON_NAME)
    return folder / f"{_DAEMON_NAME}.py"


def test_a_node_is_started_once_and_found_again(home: Home, daemon: Path) -> None:
    daemon.write_text(DAEMON)
    assert find_node(home) is None
    address = ensure_node(home)
    assert address == Address("http://127.0.0.1:4711", home.read_token())
    pid = home.holder()
    assert ensure_node(home) == require_node(home) == address
    assert home.holder() == pid
    assert pid is not None
    assert os.getsid(pid) == pid


def test_what_is_to_be_done_meanwhile_is_done_once_and_only_while_a_node_starts(home: Home, daemon: Path) -> None:
    daemon.write_text(DAEMON)
    found: list[Address | None] = []
    ensure_node(home, meanwhile=lambda: found.append(find_node(home)))
    ensure_node(home, meanwhile=lambda: found.append(find_node(home)))
    assert len(found) == 1


def test_two_that_start_at_the_same_time_share_one_node(home: Home, daemon: Path) -> None:
    daemon.write_text(DAEMON)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(ensure_node, [home, home])
    assert first == second


def test_a_node_that_ends_at_once_is_reported_with_its_last_words(home: Home, daemon: Path) -> None:
    daemon.write_text("print('line 1'); raise SystemExit('the journal is broken')")
    with pytest.raises(Unavailable, match=r"ended at once; the last lines of .*\n(.*\n)*the journal is broken"):
        ensure_node(home)


def test_the_last_words_are_found_though_a_full_log_was_put_aside(home: Home, daemon: Path) -> None:
    home.create()
    home.log.write_text("of an earlier life\n" * 100)
    daemon.write_text(
        "import os\nlog = os.environ['ROOST_HOME'] + '/node.log'\nos.rename(log, log + '.1')\n"
        "open(log, 'w').write('[now]: <ERROR> the journal is broken')\nraise SystemExit(4)"
    )
    with pytest.raises(
        Unavailable, match=r"ended at once; the last lines of .*:\n\[now\]: <ERROR> the journal is broken$"
    ):
        ensure_node(home)


def test_a_node_that_says_why_it_cannot_live_is_reported_with_its_sentence(home: Home, daemon: Path) -> None:
    daemon.write_text("import os, sys\nos.write(int(sys.argv[1]), b'the journal is broken')\nprint('<ERROR> no')")
    with pytest.raises(Unavailable, match=r"^the node cannot start: the journal is broken$"):
        ensure_node(home)


def test_a_node_that_does_not_listen_is_reported(home: Home, daemon: Path) -> None:
    daemon.write_text(DAEMON.replace("    home.write_node", "    lambda: home.write_node"))
    with pytest.raises(Unavailable, match=r"did not listen within 1 s; .*node.log says nothing"):
        ensure_node(home, timeout_s=1)
    while not home.running():
        pass


def test_an_address_that_a_killed_node_left_is_not_trusted(home: Home) -> None:
    home.create()
    home.ensure_token()
    home.write_node(NodeAddress(1, "http://127.0.0.1:1", NodeId("ash"), "0", 0.0))
    assert find_node(home) is None
    with home.locked():
        assert find_node(home) is None
    with pytest.raises(Unavailable, match="start one with 'roost up'"):
        require_node(home)


def test_a_home_is_found_by_path_or_by_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_HOME", str(tmp_path / "a"))
    assert home_at().path == tmp_path / "a"
    assert home_at(tmp_path / "b").path == tmp_path / "b"


def test_a_node_that_is_about_to_listen_is_waited_for(home: Home, daemon: Path) -> None:
    listens = daemon.with_name("may-listen")
    waiting = f"    while not os.path.exists({str(listens)!r}): time.sleep(0.01)\n"
    begin = "    home.ensure_token"
    daemon.write_text(DAEMON.replace("import os", "import time, os").replace(begin, f"{waiting}{begin}"))
    assert await_node(home) is None, "nobody starts one"
    with ThreadPoolExecutor(2) as threads:
        started = threads.submit(ensure_node, home)
        while home.holder() is None and not started.done():
            pass
        waited = threads.submit(await_node, home)
        listens.touch()
        assert started.result(30) == waited.result(30)


def test_patience_ends(home: Home) -> None:
    home.create()
    with home.locked():
        assert await_node(home, patience_s=0.05) is None
        assert find_node(home) is None


def test_where_one_is_about_to_end_the_next_is_started_when_it_has(home: Home, daemon: Path) -> None:
    daemon.write_text(DAEMON)
    home.create()
    with ThreadPoolExecutor(1) as threads:
        with home.locked():
            home.take_leave()
            assert await_node(home) is None, "it does not come back"
            started = threads.submit(ensure_node, home)
            assert not started.done()
        assert started.result(30).url == "http://127.0.0.1:4711"
