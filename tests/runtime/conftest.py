"""A fresh journal for every test that asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.journalling import OpenJournal


@pytest.fixture
def open_journal(tmp_path: Path) -> Iterator[OpenJournal]:
    with OpenJournal(tmp_path / "journal.db") as journal:
        yield journal
