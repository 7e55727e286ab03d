from pathlib import Path

import pytest

from tests.languages.lan.descriptions import Tasks


@pytest.fixture
def tasks(tmp_path: Path) -> Tasks:
    return Tasks(tmp_path)
