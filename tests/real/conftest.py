"""A home for a real node, for every test that asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.nodes import NodeHome


@pytest.fixture
def node_home(tmp_path: Path) -> Iterator[NodeHome]:
    """A home without a node so far; whatever is started in it ends with the test."""
    home = NodeHome(tmp_path)
    yield home
    home.close()
