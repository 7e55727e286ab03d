"""The home folder, with real files, locks and processes."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from roost.model.errors import InvalidInput, Unavailable
from roost.model.ids import NodeId
from roost.runtime.home import Home, NodeAddress

ADDRESS = NodeAddress(4711, "http://127.0.0.1:5050", NodeId("ash"), "0.1.0", 1_700_000_000.5)
HOLD_THE_LOCK = """
import sys
from pathlib import Path
from roost.runtime.home import Home

with Home(Path(sys.argv[1])).locked():
    print("locked", flush=True)
    sys.stdin.read()
"""
LOOK_AGAIN_AND_AGAIN = """
import sys
from pathlib import Path
from roost.runtime.home import Home

home = Home(Path(sys.argv[1]))
print("looking", flush=True)
while True:
    home.running()
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    return home


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def another_node(home: Home) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLD_THE_LOCK, str(home.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "locked\n"
            yield process
        finally:
            process.kill()


def test_the_environment_names_the_home_and_it_has_its_own_settings(tmp_path: Path) -> None:
    home = Home.locate({"ROOST_HOME": str(tmp_path)})
    assert (home.path, home.config) == (tmp_path, tmp_path / "config.toml")
    assert home.journal == tmp_path / "journal.db"


def test_a_relative_home_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert Home.locate({"ROOST_HOME": "here"}).path == tmp_path / "here"


def test_without_the_variable_the_home_is_where_the_system_keeps_user_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    home = Home.locate({"ROOST_HOME": ""})
    assert home.path == tmp_path / "data" / "roost"
    assert home.config == tmp_path / "settings" / "roost" / "config.toml"
    assert not home.path.exists()


def test_a_new_home_is_for_the_users_eyes_only(home: Home) -> None:
    for folder in (home.path, home.logs, home.blobs, home.scratch):
        assert mode_of(folder) == 0o700


def test_creating_a_home_twice_changes_nothing(home: Home) -> None:
    (home.logs / "kept").touch()
    home.create()
    assert (home.logs / "kept").exists()


def test_a_home_that_cannot_be_made_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match=r"file.* cannot be used: .*set ROOST_HOME"):
        Home(tmp_path / "file" / "home").create()


def test_the_token_is_made_once(home: Home) -> None:
    token = home.ensure_token()
    assert len(token) == 43
    assert home.ensure_token() == home.read_token() == token
    assert mode_of(home.token) == 0o600
    assert [path.name for path in home.path.iterdir() if path.is_file()] == ["token"]


def test_two_homes_have_different_tokens(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "other")
    other.create()
    assert home.ensure_token() != other.ensure_token()


def test_a_token_that_others_can_read_is_refused(home: Home) -> None:
    home.ensure_token()
    home.token.chmod(0o644)
    with pytest.raises(InvalidInput, match=r"others may use .*token \(its mode is 644\); remove it"):
        home.read_token()


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 43, b"x" * 44])
def test_a_token_file_with_something_else_in_it_is_refused(home: Home, content: bytes) -> None:
    home.ensure_token()
    home.token.write_bytes(content)
    with pytest.raises(InvalidInput, match="does not hold a token"):
        home.read_token()


def test_a_token_behind_a_link_is_refused(home: Home, tmp_path: Path) -> None:
    home.token.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text("x" * 43)
    with pytest.raises(Unavailable, match="cannot be read"):
        home.read_token()


def test_without_a_token_no_node_was_ever_started(home: Home) -> None:
    with pytest.raises(Unavailable, match=r"no node was ever started in .*; start one with 'roost up'"):
        home.read_token()


def test_nobody_runs_in_a_home_without_a_lock_and_asking_makes_none(home: Home) -> None:
    assert not home.running()
    assert not home.lock.exists()


def test_two_nodes_cannot_share_a_home(home: Home) -> None:
    with another_node(home) as process:
        assert home.running()
        assert home.holder() == process.pid
        with pytest.raises(Unavailable, match=rf"a node \(pid {process.pid}\) lives in .*'roost down'"), home.locked():
            pytest.fail("the lock was given twice")
        assert home.holder() == process.pid


def test_the_lock_goes_with_a_node_that_is_killed(home: Home) -> None:
    with another_node(home) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not home.running()
        with home.locked():
            assert home.holder() == os.getpid()
            assert home.running()
    assert not home.running()
    assert home.holder() is None


def test_looking_whether_a_node_runs_does_not_keep_one_from_starting(home: Home) -> None:
    home.lock.touch()
    command = [sys.executable, "-c", LOOK_AGAIN_AND_AGAIN, str(home.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "looking\n"
            for _ in range(20):
                with home.locked():
                    pass
        finally:
            process.kill()


def test_an_unreadable_pid_is_no_pid(home: Home) -> None:
    home.lock.write_bytes(b"\xffnonsense")
    assert home.holder() is None


def test_the_address_of_a_node_is_written_read_and_removed(home: Home) -> None:
    assert home.read_node() is None
    home.write_node(ADDRESS)
    home.write_node(ADDRESS)
    assert home.read_node() == ADDRESS
    assert mode_of(home.node) == 0o600
    assert list(home.path.glob("*.new")) == []
    with home.locked():
        home.take_leave()
        home.take_leave()
        assert home.read_node() is None
        assert home.holder() is None


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"pid": "x"}', b"\xff"])
def test_an_address_that_no_node_wrote_is_refused(home: Home, content: bytes) -> None:
    home.node.write_bytes(content)
    with pytest.raises(InvalidInput, match="is not what a node wrote"):
        home.read_node()


def test_a_home_that_somebody_chose_keeps_its_settings_inside(tmp_path: Path) -> None:
    assert Home(tmp_path).is_named
    assert not Home(tmp_path, tmp_path / "elsewhere" / "config.toml").is_named


def test_a_node_starts_from_its_first_moment_until_it_listens_and_not_when_it_leaves(home: Home) -> None:
    assert not home.is_starting(60.0)
    home.note_start(os.getpid())
    assert home.is_starting(60.0)
    with home.locked():
        assert home.is_starting(60.0)
        home.write_node(msgspec.structs.replace(ADDRESS, pid=os.getpid()))
        assert not home.is_starting(60.0), "it listens"
        home.take_leave()
        assert not home.is_starting(60.0), "it leaves"


def test_a_node_that_died_before_it_had_the_lock_does_not_start(home: Home) -> None:
    with subprocess.Popen(["true"]) as process:
        home.note_start(process.pid)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not home.is_starting(60.0), "nobody has collected it yet"
    assert not home.is_starting(60.0)
    home.note_start(os.getpid())
    os.utime(home.starting, (0, 0))
    assert not home.is_starting(60.0), "that was long ago"
    home.starting.write_text("nonsense")
    assert not home.is_starting(60.0)
