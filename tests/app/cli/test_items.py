"""Where items come from."""

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from roost.app.cli.items import all_lines_of, checked_array, json_of, lines_of, read_text
from roost.model.errors import InvalidInput, NotFound
from roost.model.stray import native_bytes


def test_lines_lose_their_ends_and_blank_ones_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes("ä b\r\n\nlast".encode())
    assert lines_of(str(file)) == ["ä b", "last"]


def test_lines_may_hold_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"caf\xe9\n")
    assert [native_bytes(line) for line in lines_of(str(file))] == [b"caf\xe9"]


@pytest.mark.parametrize(("text", "lines"), [("", []), ("a", ["a"]), ("a\n\nb\r\n", ["a", "", "b\r"]), ("\n", [""])])
def test_all_lines_are_those_that_an_end_of_line_ends(tmp_path: Path, text: str, lines: list[str]) -> None:
    (tmp_path / "lines").write_bytes(text.encode())
    assert all_lines_of(str(tmp_path / "lines")) == lines


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"a\nb\n")))
    assert lines_of("-") == ["a", "b"]


def test_json_may_be_an_array_or_lines_or_one_value(tmp_path: Path) -> None:
    file = tmp_path / "items.json"
    for text, items in (
        ('[1, {"a": 2}]', [1, {"a": 2}]),
        ('{"a": 1}\n\n"b"\n', [{"a": 1}, "b"]),
        ('{"a": 1}', [{"a": 1}]),
    ):
        file.write_text(text)
        assert json_of(str(file)) == items


def test_a_line_that_is_not_json_is_named(tmp_path: Path) -> None:
    file = tmp_path / "items.json"
    file.write_text('{"a": 1}\nnot json\n')
    with pytest.raises(InvalidInput, match=r"items\.json, line 2: not JSON"):
        json_of(str(file))


def test_a_missing_file_and_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no file"):
        read_text(str(tmp_path / "missing"))
    with pytest.raises(InvalidInput, match="cannot read"):
        read_text(str(tmp_path))
    (tmp_path / "binary").write_bytes(b"ab\xff")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        read_text(str(tmp_path / "binary"))


def test_an_array_must_fit_its_items() -> None:
    assert checked_array("5-6", ["a", "b"]) == "5-6"
    assert checked_array(None, ["a"]) is None
    with pytest.raises(InvalidInput, match="3 elements and there are 2 items"):
        checked_array("1-3", ["a", "b"])


def test_a_zero_byte_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "names"
    file.write_bytes(b"a\n\nb\0c\n")
    with pytest.raises(InvalidInput, match="names, line 3: a zero byte, which no program can be given; remove it"):
        lines_of(str(file))
