from pathlib import Path

import pytest

from roost.languages.flow.files import path_inside, read_bytes, read_text
from roost.model.errors import InvalidInput


@pytest.mark.parametrize("name", ["../x.js", "a/../../x", "/etc/passwd", "~/x", "a\\..\\b", "..", "a\0b"])
def test_a_name_that_leads_out_of_the_folder_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="leads out of the flow's folder"):
        path_inside(Path("/f"), name)


@pytest.mark.parametrize("name", ["", ".", "./"])
def test_a_name_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="names no file"):
        path_inside(Path("/f"), name)


def test_a_name_in_the_folder_or_below_it_is_found() -> None:
    assert path_inside(Path("/f"), "a/b.js") == Path("/f/a/b.js")
    assert path_inside(Path("/f"), "..a") == Path("/f/..a")


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\n\xff\n")
    (tmp_path / "z").write_bytes(b"one\ntwo\0\n")
    assert read_bytes(tmp_path / "a", "a", 6) == b"one\n\xff\n"
    with pytest.raises(InvalidInput, match="there is no file 'x'"):
        read_bytes(tmp_path / "x", "x", 9)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_bytes(tmp_path, "x", 9)
    with pytest.raises(InvalidInput, match="is larger than"):
        read_bytes(tmp_path / "a", "a", 3)
    with pytest.raises(InvalidInput, match="line 2 of 'a' is not UTF-8"):
        read_text(tmp_path / "a", "a", 9)
    with pytest.raises(InvalidInput, match="line 2 of 'z' holds a zero byte"):
        read_text(tmp_path / "z", "z", 9)


def test_a_mark_of_byte_order_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("\ufeffx".encode())
    assert read_text(tmp_path / "a", "a", 9) == "x"
