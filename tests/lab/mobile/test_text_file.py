"""Texts by the name of a file."""

from pathlib import Path

import pytest

from roost.lab.mobile.text_file import text_of
from roost.model.errors import InvalidInput


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "walk.txt").write_text("worker01 0 1 2\n", encoding="utf-8")
    assert text_of("movement", str(tmp_path / "walk.txt"), ("still",)) == "worker01 0 1 2\n"


def test_without_a_file_it_is_said_what_would_do(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"there is no movement .*; there are still, waypoint"):
        text_of("movement", str(tmp_path / "nothing"), ("still", "waypoint"))
