from pathlib import Path

import pytest

from roost.languages.weevil.files import FileKind, Files, inside
from roost.model.errors import InvalidInput, NotFound

JOB = FileKind((".js",), ("jobs",), 1000, "job/{}/{}.js")
VALUE = FileKind((".json",), ("values",), 1000, "inputs/{}")


def complaint(folder: Path, name: str) -> str:
    with pytest.raises(InvalidInput) as caught:
        Files(folder / "w.xml").read(name, JOB)
    return str(caught.value)


@pytest.mark.parametrize("there", ["Add", "Add.js", "jobs/Add", "jobs/Add.js"])
def test_a_file_is_found_without_its_ending_and_in_the_folder_for_its_kind(tmp_path: Path, there: str) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / there).write_text("code")
    assert Files(tmp_path / "w.xml").read("Add", JOB) == (there, "code", False)


def test_the_file_that_is_named_exactly_comes_first(tmp_path: Path) -> None:
    (tmp_path / "Add").write_text("this")
    (tmp_path / "Add.js").write_text("that")
    assert Files(tmp_path / "w.xml").read("Add", JOB).text == "this"


@pytest.mark.parametrize(("name", "path"), [(" a.js ", "a.js"), ("jobs\\a.js", "jobs/a.js"), ("./x/../a.js", "a.js")])
def test_names_may_be_untidy(name: str, path: str) -> None:
    assert inside(name) == path


def test_capital_letters_are_forgiven_if_it_is_clear_what_was_meant(tmp_path: Path) -> None:
    (tmp_path / "add.js").write_text("code")
    assert Files(tmp_path / "w.xml").read("Add", JOB) == ("add.js", "code", True)
    (tmp_path / "ADD.js").write_text("other")
    with pytest.raises(NotFound):
        Files(tmp_path / "w.xml").read("Add", JOB)


@pytest.mark.parametrize("name", ["../a.js", "x/../../a.js", "/etc/passwd", "..", "..\\a.js"])
def test_a_name_that_leads_out_of_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path.parent / "a.js").write_text("code")
    assert complaint(tmp_path, name).endswith(" leads out of this folder; put the file beside this one, or below")


@pytest.mark.parametrize("name", ["http://example.org/a.js", "file:///etc/passwd", "C:\\jobs\\a.js"])
def test_addresses_and_drives_are_refused(tmp_path: Path, name: str) -> None:
    assert complaint(tmp_path, name).endswith(" is an address or names a drive; name a file in the folder of this one")


@pytest.mark.parametrize("name", ["", " ", ".", "a\0b", "./"])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    assert complaint(tmp_path, name).endswith(" cannot be the name of a file; name one")


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "secret").write_text("secret")
    (inner / "a.js").symlink_to(tmp_path / "secret")
    assert complaint(inner, "a.js") == ("the file 'a.js' is a link that leads out of the folder; copy the file instead")


def test_a_missing_file_is_told_with_the_nearest_or_with_where_it_was_looked_for(tmp_path: Path) -> None:
    assert complaint(tmp_path, "Add") == (
        "there is no file 'Add'; it was looked for in this folder and in 'jobs', also with '.js' at its end"
    )
    (tmp_path / "addition.js").write_text("code")
    assert complaint(tmp_path, "additon.js") == "there is no file 'additon.js'; did you mean 'addition.js'?"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "Add").mkdir()
    assert complaint(tmp_path, "Add").startswith("there is no file 'Add'")


def test_what_is_not_text_or_too_long_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes.js").write_bytes(b"one\n\xff\n")
    (tmp_path / "long.js").write_bytes(b"x" * 1001)
    assert complaint(tmp_path, "bytes.js") == (
        "line 2 of the file 'bytes.js' is not UTF-8 text; save the file as UTF-8"
    )
    assert complaint(tmp_path, "long.js") == "the file 'long.js' is larger than 1,000 bytes; make it smaller"


def test_a_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("before")
    files = Files(tmp_path / "w.xml")
    files.read("a", JOB)
    (tmp_path / "a.js").write_text("after")
    assert files.read("a", JOB).text == "before"


def shelved(site: Path, document: str = "workflow/sum/sum.xml") -> Files:
    """The files of a document in a folder that looks like WeevilScout's own."""
    for name, text in {"job/Add/Add.js": "code", "inputs/nums": "[1]", "inputs/deep/nums": "[2]"}.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    (site / document).parent.mkdir(parents=True, exist_ok=True)
    return Files(site / document)


def test_files_are_found_where_weevilscout_itself_keeps_them(tmp_path: Path) -> None:
    files = shelved(tmp_path)
    assert files.read("Add", JOB) == ("job/Add/Add.js", "code", False)
    assert files.read("nums", VALUE) == ("inputs/nums", "[1]", False)


def test_what_lies_beside_the_document_comes_first(tmp_path: Path) -> None:
    files = shelved(tmp_path)
    (tmp_path / "workflow/sum/Add.js").write_text("mine")
    assert files.read("Add", JOB).text == "mine"


@pytest.mark.parametrize("document", ["workflow/sum/other.xml", "flows/sum/sum.xml", "sum.xml"])
def test_a_document_that_lies_elsewhere_gets_nothing_from_other_folders(tmp_path: Path, document: str) -> None:
    with pytest.raises(NotFound):
        shelved(tmp_path, document).read("nums", VALUE)


def test_only_plain_names_are_looked_for_on_weevilscouts_shelves(tmp_path: Path) -> None:
    files = shelved(tmp_path)
    with pytest.raises(NotFound):
        files.read("deep/nums", VALUE)
    (tmp_path / "secret").write_text("[3]")
    (tmp_path / "inputs" / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(InvalidInput, match="a link that leads out of the folder"):
        files.read("link", VALUE)
