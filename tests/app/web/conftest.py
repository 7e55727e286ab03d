"""A running API for every test of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.web.running_api import RunningApi


@pytest.fixture
def api(tmp_path: Path) -> Iterator[RunningApi]:
    with RunningApi(tmp_path) as running:
        yield running
