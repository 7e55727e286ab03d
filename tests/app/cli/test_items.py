"""Where items come from."""

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from roost.app.cli.items import (
    checked_array,
    items_of_groups,
    json_of,
    lines_of,
    read_text,
    split_groups,
    with_item_fields,
)
from roost.model.errors import InvalidInput, NotFound


def test_lines_lose_their_ends_and_blank_ones_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes("ä b\r\n\nlast".encode())
    assert lines_of(str(file)) == ["ä b", "last"]


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


def test_a_command_is_split_at_the_separator() -> None:
    assert split_groups(["echo", "{}"]) == (["echo", "{}"], [])
    assert split_groups(["echo", ":::", "a", "b", ":::", "1"]) == (["echo"], [["a", "b"], ["1"]])
    with pytest.raises(InvalidInput, match="no values after ':::'"):
        split_groups(["echo", ":::"])


def test_groups_multiply_with_the_last_turning_fastest() -> None:
    assert items_of_groups([["a", "b"]]) == ["a", "b"]
    assert items_of_groups([["a", "b"], ["1", "2"]]) == [["a", "1"], ["a", "2"], ["b", "1"], ["b", "2"]]


@pytest.mark.parametrize(
    ("argv", "groups", "expected"),
    [
        (["echo", "{1}"], 1, ["echo", "{item}"]),
        (["echo"], 1, ["echo"]),
        (["echo"], 2, ["echo", "{item.0}", "{item.1}"]),
        (["echo", "{2}-{1}"], 2, ["echo", "{item.1}-{item.0}"]),
        (["echo", "{}"], 2, ["echo", "{item.0} {item.1}"]),
        (["echo", "{item.1}"], 2, ["echo", "{item.1}"]),
        (["sh", "-c", "echo ${1} {{1}} {2}"], 2, ["sh", "-c", "echo ${1} {{1}} {item.1}"]),
    ],
)
def test_numbers_in_braces_become_fields_of_the_item(argv: list[str], groups: int, expected: list[str]) -> None:
    assert with_item_fields(argv, groups) == expected


def test_a_number_without_its_group_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"'\{3\}' stands for nothing"):
        with_item_fields(["echo", "{3}"], 2)


def test_an_array_must_fit_its_items() -> None:
    assert checked_array("5-6", ["a", "b"]) == "5-6"
    assert checked_array(None, ["a"]) is None
    with pytest.raises(InvalidInput, match="3 elements and there are 2 items"):
        checked_array("1-3", ["a", "b"])
