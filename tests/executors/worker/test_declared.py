"""The variables that a client declares are there while its functions run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost.executors.worker.declared import Declared
from roost.wire.values import encode_variables

LEVEL_2 = encode_variables({b"LEVEL": b"2", b"PATH": b"/there"})
LEVEL_3 = encode_variables({b"LEVEL": b"3"})


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Declared]:
    monkeypatch.setenv("PATH", "/before")
    monkeypatch.setenv("HOME", "/of/the/account")
    monkeypatch.delenv("LEVEL", raising=False)
    declared = Declared()
    yield declared
    declared.wear(None)


def seen() -> tuple[str | None, str]:
    return os.environ.get("LEVEL"), os.environ["PATH"]


def test_what_is_declared_is_there_until_others_come(declared: Declared) -> None:
    declared.wear(LEVEL_2)
    assert seen() == ("2", "/there")
    declared.wear(LEVEL_3)
    assert seen() == ("3", "/before")
    declared.wear(None)
    assert seen() == (None, "/before")


def test_a_client_finds_its_variables_as_its_functions_left_them(declared: Declared) -> None:
    declared.wear(LEVEL_2)
    os.environ["PATH"] = "/set/by/an/initializer"
    del os.environ["LEVEL"]
    declared.wear(LEVEL_3)
    assert seen() == ("3", "/before")
    declared.wear(LEVEL_2)
    assert seen() == (None, "/set/by/an/initializer")


def test_what_nobody_declared_stays_as_functions_set_it(declared: Declared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THREADS", raising=False)
    declared.wear(LEVEL_2)
    monkeypatch.setenv("THREADS", "1")
    declared.wear(None)
    assert os.environ["THREADS"] == "1"


def test_a_home_that_is_not_on_this_machine_is_that_of_the_worker(declared: Declared, tmp_path: Path) -> None:
    declared.wear(encode_variables({b"HOME": b"/of/somebody/else"}))
    assert os.environ["HOME"] == "/of/the/account"
    declared.wear(encode_variables({b"HOME": bytes(tmp_path)}))
    assert os.environ["HOME"] == str(tmp_path)


def test_only_so_many_clients_are_remembered(declared: Declared) -> None:
    declared.wear(LEVEL_2)
    os.environ["LEVEL"] = "changed"
    for number in range(100):
        declared.wear(encode_variables({b"LEVEL": str(number).encode()}))
    declared.wear(LEVEL_2)
    assert seen() == ("2", "/there")
