"""An open port for every test of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.lan.running_lan import RunningLan, Telnet


@pytest.fixture
def lan(tmp_path: Path) -> Iterator[RunningLan]:
    with RunningLan(tmp_path) as running:
        running.add_program("import")
        yield running


@pytest.fixture
def telnet(lan: RunningLan) -> Iterator[Telnet]:
    with lan.telnet() as client:
        yield client
