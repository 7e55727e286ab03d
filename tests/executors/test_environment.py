"""What the processes that work for a node find in their environment."""

import os
import pwd
from pathlib import Path

import pytest

from roost.executors.environment import account_env, home_here, process_env

HOME = Path("/the/node")


def test_everybody_finds_an_account_a_language_and_the_node() -> None:
    entry = pwd.getpwuid(os.getuid())
    assert account_env(HOME) == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": entry.pw_dir,
        "USER": entry.pw_name,
        "LOGNAME": entry.pw_name,
        "LANG": "C.UTF-8",
        "ROOST_HOME": "/the/node",
    }


def test_an_account_without_an_entry_has_a_number_and_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_uid: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    env = account_env(HOME)
    assert (env["USER"], env["HOME"]) == (str(os.getuid()), "/")


def test_a_process_of_the_node_takes_along_what_python_needs_and_nothing_else() -> None:
    own = {"PYTHONPATH": "/modules", "LD_LIBRARY_PATH": "/lib", "SECRET": "hush", "PATH": "/mine", "ROOST_CPUS": "1"}
    assert process_env(HOME, own) == account_env(HOME) | {"PYTHONPATH": "/modules", "LD_LIBRARY_PATH": "/lib"}


def test_a_home_that_is_not_on_this_machine_is_that_of_the_account(tmp_path: Path) -> None:
    there = os.fsencode(tmp_path)
    assert [home_here(wanted, b"/own") for wanted in (there, b"/of/somebody/else", there)] == [there, b"/own", there]
