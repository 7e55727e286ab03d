"""Networks for the tests of the laboratory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from netlab.bridge import BridgedLan
from netlab.switch import SwitchedLan
from tests.netlab.air import Air


@pytest.fixture
def lan() -> Iterator[BridgedLan]:
    with BridgedLan(5) as network:
        yield network


@pytest.fixture
def air(lan: BridgedLan, tmp_path: Path) -> Iterator[Air]:
    """All hosts of the bridged network listen."""
    with Air(lan.hosts, tmp_path) as listening:
        yield listening


@pytest.fixture
def slow_lan() -> Iterator[SwitchedLan]:
    with SwitchedLan(3) as network:
        yield network


@pytest.fixture
def slow_air(slow_lan: SwitchedLan, tmp_path: Path) -> Iterator[Air]:
    """All hosts of the switched network listen."""
    with Air(slow_lan.hosts, tmp_path) as listening:
        yield listening
