"""Descriptions are found by type, and whatever is in the way is told where it was asked for."""

import pytest

from roost.languages.lan.description import read_description
from roost.model.errors import InvalidInput
from tests.languages.lan.descriptions import Tasks


def test_a_description_knows_its_lines(tasks: Tasks) -> None:
    path = tasks.folder / "segmentation.xml"
    described = read_description(path.read_bytes(), path)
    assert (described.type, described.line, [one.line for one in described.inputs]) == ("S", 3, [6, 7, 8])


def test_what_is_wrong_in_a_description_is_told_with_file_and_line(tasks: Tasks) -> None:
    path = tasks.folder / "x.xml"
    with pytest.raises(InvalidInput, match=r"x\.xml:2: <task> lacks <type>; add <type>...</type>$"):
        read_description(b"<!-- -->\n<task><name>x</name></task>", path)
    with pytest.raises(InvalidInput, match=r"x\.xml:1: a task description of 300,000 bytes is too long"):
        read_description(b" " * 300_000, path)


def test_a_description_may_be_in_another_coding_and_begin_with_blanks(tasks: Tasks) -> None:
    path = tasks.folder / "x.xml"
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<task><name>größe</name><type>Gr</type><inputs/></task>'
    for data in (text.encode("iso-8859-1"), f"\n\n {text}".encode("iso-8859-1"), text.encode("utf-16")):
        assert read_description(data, path).name == "größe"
    with pytest.raises(InvalidInput, match=r"x\.xml:4: <task> lacks <name>"):
        read_description(b"\n\n" + text.encode("iso-8859-1").replace(b"<name>gr\xf6\xdfe</name>", b""), path)


def test_a_type_that_nothing_describes_is_told_at_the_input(tasks: Tasks) -> None:
    (tasks.folder / "georeferencing.xml").unlink()
    assert tasks.told("segmentation") == (
        "segmentation.xml:7: no file in this folder describes the type 'G'; add its description beside this one"
    )
    tasks.describe("other", "Geo")
    tasks.describe("segmentation", "S", ("Goe/1",))
    assert tasks.told("segmentation") == (
        "segmentation.xml:6: no file in this folder describes the type 'Goe'; did you mean 'Geo'?"
    )


def test_a_description_that_cannot_be_read_is_named_if_it_may_be_the_one(tasks: Tasks) -> None:
    (tasks.folder / "georeferencing.xml").write_text("<task>\n<name>georeferencing</name></task>")
    assert tasks.told("segmentation") == (
        "segmentation.xml:7: no file in this folder describes the type 'G'; "
        "perhaps this one should: georeferencing.xml:1: <task> lacks <type>; add <type>...</type>"
    )
    assert len(tasks.read("import").submission["tasks"]) == 1


def test_a_type_that_two_files_describe_is_told(tasks: Tasks) -> None:
    tasks.describe("other", "G")
    assert tasks.told("segmentation") == (
        "segmentation.xml:7: the type 'G' is described by both georeferencing.xml and other.xml; "
        "rename one of the types"
    )


def test_other_xml_may_lie_in_the_folder(tasks: Tasks) -> None:
    (tasks.folder / "parameters.xml").write_text("<parameters/>")
    (tasks.folder / "workflow.xml").write_text("<workflow/>")
    assert len(tasks.read("segmentation").submission["tasks"]) == 3


def test_a_folder_of_a_thousand_other_files_is_refused(tasks: Tasks) -> None:
    for number in range(1_001):
        (tasks.folder / f"x{number}.xml").touch()
    assert "XML files; move those that describe tasks, at most 1,000, to a folder of their own" in tasks.told(
        "segmentation"
    )
