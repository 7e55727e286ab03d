"""Small files of the system."""

from pathlib import Path

import pytest

from roost.runtime.machine.reading import number_in, text_in


def test_a_file_is_read_without_the_space_around_it(tmp_path: Path) -> None:
    (tmp_path / "type").write_text("Battery\n")
    assert text_in(tmp_path / "type") == "Battery"


def test_what_cannot_be_read_is_nothing(tmp_path: Path) -> None:
    assert text_in(tmp_path / "gone") == ""
    assert text_in(tmp_path) == ""
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    assert text_in(tmp_path / "bytes") == "\ufffd\ufffd"


def test_of_a_long_file_the_beginning_is_read(tmp_path: Path) -> None:
    (tmp_path / "long").write_text("x" * 100_000)
    assert len(text_in(tmp_path / "long")) == 16 * 1024


@pytest.mark.parametrize(("text", "number"), [("42\n", 42.0), ("-1", -1.0), ("", None), ("many", None), ("1.5", None)])
def test_a_number_is_a_whole_one(tmp_path: Path, text: str, number: float | None) -> None:
    (tmp_path / "capacity").write_text(text)
    assert number_in(tmp_path / "capacity") == number
    assert number_in(tmp_path / "gone") is None
