"""A folder for temporary files of each test's own: so a test waits for no measurement that runs on the same machine."""

import tempfile
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
