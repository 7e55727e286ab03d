"""LAN's listing 4.1: task descriptions as they stand there, and the line of whatever is wrong."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.lan.description import DescribedInput, TaskDescription, read_description
from roost.model.errors import InvalidInput
from roost.model.limits import LAN_DESCRIPTION_BYTES_MAX, LAN_INPUTS_MAX

FILE = Path("x.xml")
#: Listing 4.1, filled in for the third task of LAN table 4.1.
SEGMENTATION = b"""<?xml version="1.0" encoding="utf-8"?>
<task>
  <name>segmentation</name>
  <type>S</type>
  <inputs>
    <input>
      <other_task_type>I</other_task_type>
      <other_nth_output>1</other_nth_output>
    </input>
    <input>
      <other_task_type>G</other_task_type>
      <other_nth_output>2nd</other_nth_output>
    </input>
  </inputs>
</task>
"""


def described(data: bytes) -> TaskDescription:
    return read_description(data, FILE)


def complaint(data: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        described(data)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_listing_is_read_as_it_stands() -> None:
    """LAN 4.3, listing 4.1."""
    inputs = (DescribedInput("I", 1, 6), DescribedInput("G", 2, 10))
    assert described(SEGMENTATION) == TaskDescription("segmentation", "S", inputs, FILE, 3)


def test_a_task_may_have_no_inputs() -> None:
    for inputs in (b"", b"<inputs/>", b"<inputs>\n</inputs>"):
        data = b"<task><name>import data</name><type>I</type>" + inputs + b"<!-- raw files come by -p --></task>"
        assert described(data) == TaskDescription("import data", "I", (), FILE, 1)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"<name>segmentation</name>", b"", "x.xml:2: <task> lacks <name>; add <name>...</name>"),
        (b"<type>S</type>", b"", "x.xml:2: <task> lacks <type>; add <type>...</type>"),
        (b"<type>S</type>", b"<type> </type>", "x.xml:4: '' cannot be a <type>"),
        (b"<type>S</type>", b"<type>S</type>\n<type>T</type>", "x.xml:5: <task> has a second <type>; the first is on"),
        (b"<type>S</type>", b"<kind>S</kind>", "x.xml:4: <kind> has no place in <task>; there may be <name>, <type>"),
        (b"<type>S</type>", b"<type><b>S</b></type>", "x.xml:4: <type> holds a text, not the element <b>"),
        (b"<type>S</type>", b"<type id='3'>S</type>", "x.xml:4: <type> has no attributes; remove id"),
        (b"<inputs>", b"<inputs>two", "x.xml:5: <inputs> holds other elements, not the text 'two'"),
        (b"<input>", b"<output/><input>", "x.xml:6: <output> has no place in <inputs>; there may be <input>"),
        (b"<other_nth_output>1<", b"<other_nth_output>x<", "x.xml:8: <other_nth_output>: 'x' is not the number"),
        (
            b"<other_nth_output>1</other_nth_output>",
            b"",
            "x.xml:6: <input> lacks <other_nth_output>; add <other_nth_output>...</other_nth_output>",
        ),
        (
            b"<other_task_type>I</other_task_type>",
            b"",
            "x.xml:6: <input> lacks <other_task_type>; add <other_task_type>...</other_task_type>",
        ),
        (b"</inputs>", b"", "x.xml:15: <inputs> of line 5 is not closed before this; write </inputs> first"),
        (b"<type>S", b"<type>&eacute;", "x.xml:4: this is not XML (undefined entity); only '&lt;', "),
        (b"S</type>", b"\xff</type>", "x.xml:4: this is not utf-8 text; save the file as UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old: bytes, new: bytes, expected: str) -> None:
    assert old in SEGMENTATION
    assert complaint(SEGMENTATION.replace(old, new, 1)).startswith(expected)


def test_another_document_is_no_task_description() -> None:
    assert complaint(b"<server><reputation>10</reputation></server>").startswith("x.xml:1: a task description begins")
    assert complaint(b"").startswith("x.xml:1: this is not XML (no element found); the file is empty")


@pytest.mark.parametrize(
    "doctype",
    [
        b'<!DOCTYPE task SYSTEM "file:///etc/passwd">',
        b'<!DOCTYPE task [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE task [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>',
    ],
)
def test_a_document_type_that_defines_anything_is_refused(doctype: bytes) -> None:
    data = SEGMENTATION.replace(b"<task>", doctype + b"\n<task>", 1).replace(b">S<", b">&x;<")
    assert complaint(data).startswith("x.xml:2: a document type that defines entities or names other files is not read")


def test_sizes_from_outside_have_limits() -> None:
    one = b"<input><other_task_type>I</other_task_type><other_nth_output>1</other_nth_output></input>"
    data = SEGMENTATION.replace(b"<inputs>", b"<inputs>" + one * LAN_INPUTS_MAX)
    assert f"the limit is {LAN_INPUTS_MAX}" in complaint(data)
    assert "too long" in complaint(SEGMENTATION + b" " * LAN_DESCRIPTION_BYTES_MAX)
    assert "deep" in complaint(b"<task>" * 1000)
    assert "cannot be a <type>" in complaint(SEGMENTATION.replace(b">S<", b">" + b"S" * 65 + b"<"))


@given(st.binary(max_size=100), st.integers(0, len(SEGMENTATION)), st.integers(0, 20))
def test_any_damage_gives_a_description_or_a_line(piece: bytes, at: int, gone: int) -> None:
    said = ""
    try:
        described(SEGMENTATION[:at] + piece + SEGMENTATION[at + gone :])
    except InvalidInput as error:
        said = str(error)
    assert not said or said.startswith("x.xml:")
