"""LAN's listing 4.1: task descriptions as they stand there, and the line of whatever is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.lan.description import DescribedInput, TaskDescription, parse_description
from roost.model.errors import InvalidInput
from roost.model.limits import LAN_DESCRIPTION_BYTES_MAX, LAN_INPUTS_MAX

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


def complaint(data: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        parse_description(data)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_listing_is_read_as_it_stands() -> None:
    """LAN 4.3, listing 4.1."""
    inputs = (DescribedInput("I", 1), DescribedInput("G", 2))
    assert parse_description(SEGMENTATION) == TaskDescription("segmentation", "S", inputs)


def test_a_task_may_have_no_inputs() -> None:
    for inputs in (b"", b"<inputs/>", b"<inputs>\n</inputs>"):
        data = b"<task><name>import data</name><type>I</type>" + inputs + b"<!-- raw files come by -p --></task>"
        assert parse_description(data) == TaskDescription("import data", "I")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"<name>segmentation</name>", b"", "line 2: <task> lacks <name>; add <name>...</name>"),
        (b"<type>S</type>", b"", "line 2: <task> lacks <type>; add <type>...</type>"),
        (b"<type>S</type>", b"<type> </type>", "line 4: '' cannot be a <type>"),
        (b"<type>S</type>", b"<type>S</type>\n<type>T</type>", "line 5: <task> has a second <type>; the first is on"),
        (b"<type>S</type>", b"<kind>S</kind>", "line 4: <kind> has no place in <task>; there may be <name>, <type>"),
        (b"<type>S</type>", b"<type><b>S</b></type>", "line 4: <type> holds a text, not the element <b>"),
        (b"<type>S</type>", b"<type id='3'>S</type>", "line 4: <type> has no attributes; remove id"),
        (b"<inputs>", b"<inputs>two", "line 5: <inputs> holds other elements, not the text 'two'"),
        (b"<input>", b"<output/><input>", "line 6: <output> has no place in <inputs>; there may be <input>"),
        (b"<other_nth_output>1<", b"<other_nth_output>x<", "line 8: <other_nth_output>: 'x' is not the number"),
        (
            b"<other_nth_output>1</other_nth_output>",
            b"",
            "line 6: <input> lacks <other_nth_output>; add <other_nth_output>...</other_nth_output>",
        ),
        (
            b"<other_task_type>I</other_task_type>",
            b"",
            "line 6: <input> lacks <other_task_type>; add <other_task_type>...</other_task_type>",
        ),
        (b"</inputs>", b"", "line 15: this is not XML in UTF-8: mismatched tag"),
        (b"<type>S", b"<type>&eacute;", "line 4: this is not XML in UTF-8: undefined entity"),
        (b"S</type>", b"\xff</type>", "line 4: this is not XML in UTF-8: not well-formed"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old: bytes, new: bytes, expected: str) -> None:
    assert old in SEGMENTATION
    assert complaint(SEGMENTATION.replace(old, new, 1)).startswith(expected)


@pytest.mark.parametrize("name", [b"utf-8", b"iso-8859-1", b"rot13", b"klingon"])
def test_it_is_utf_8_whatever_it_declares(name: bytes) -> None:
    data = SEGMENTATION.replace(b"utf-8", name).replace(b">S<", b">\xc3\x89<")
    assert parse_description(data).type == "É"


def test_another_document_is_no_task_description() -> None:
    assert complaint(b"<server><reputation>10</reputation></server>").startswith("line 1: a task description begins")
    assert complaint(b"").startswith("line 1: this is not XML in UTF-8: no element found")


@pytest.mark.parametrize(
    "doctype",
    [
        b"<!DOCTYPE task>",
        b'<!DOCTYPE task SYSTEM "file:///etc/passwd">',
        b'<!DOCTYPE task [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE task [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>',
    ],
)
def test_a_document_type_is_refused_and_with_it_every_entity(doctype: bytes) -> None:
    data = SEGMENTATION.replace(b"<task>", doctype + b"\n<task>", 1).replace(b">S<", b">&x;<")
    assert complaint(data).startswith("line 2: a task description has no document type")


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
        parse_description(SEGMENTATION[:at] + piece + SEGMENTATION[at + gone :])
    except InvalidInput as error:
        said = str(error)
    assert not said or said.startswith("line ")
