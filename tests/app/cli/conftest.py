"""A home of its own for every test, a stand-in node, and a way to run a command line in this process."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from roost.app.cli.main import main
from tests.app.cli.fake_node import FakeNode


class Ended(NamedTuple):
    code: int
    out: str
    err: str


Roost = Callable[..., Ended]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ROOST_CPUS", "ROOST_MEMORY", "ROOST_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROOST_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def node(home: Path) -> Iterator[FakeNode]:
    fake = FakeNode(home)
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture
def roost(home: Path, capfd: pytest.CaptureFixture[str]) -> Roost:
    def run(*words: str) -> Ended:
        code = main(words)
        sys.stdout.flush()
        return Ended(code, *capfd.readouterr())

    return run
