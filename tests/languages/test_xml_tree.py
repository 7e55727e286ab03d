"""XML as people write it, and one sentence with the line for whatever is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.xml_tree import Element, read_xml
from roost.model.errors import InvalidInput
from roost.model.limits import XML_BYTES_MAX, XML_DEPTH_MAX

DOCUMENT = b"""<?xml version="1.0" encoding="utf-8"?>
<workflow>
  <nodes>
    <value id="a"
           value="4 &lt; 5" />
    <!-- <job/> -->
    <note> one <!-- two --> three </note>
  </nodes>
</workflow>
"""


def complaint(data: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_xml(data, "w.xml")
    message = str(caught.value)
    assert "\n" not in message
    return message


def shape(element: Element) -> tuple[object, ...]:
    return (element.tag, element.attributes, element.text, element.line, [shape(child) for child in element])


def test_elements_come_with_attributes_text_and_the_line_they_begin_on() -> None:
    nodes: list[tuple[object, ...]] = [
        ("value", {"id": "a", "value": "4 < 5"}, "", 4, []),
        ("note", {}, "one  three", 7, []),
    ]
    assert shape(read_xml(DOCUMENT, "w.xml")) == ("workflow", {}, "", 2, [("nodes", {}, "", 3, nodes)])


def test_children_are_found_by_name() -> None:
    (nodes,) = read_xml(DOCUMENT, "w.xml").named("nodes")
    assert [child.line for child in nodes.named("note")] == [7]


def test_namespaces_and_what_belongs_to_them_are_left_out() -> None:
    root = read_xml(
        b'<w:workflow xmlns:w="urn:w" xmlns:xsi="urn:x" xsi:schemaLocation="a b" id="1"><w:nodes/></w:workflow>',
        "w.xml",
    )
    assert (root.tag, root.attributes, root.children[0].tag) == ("workflow", {"id": "1"}, "nodes")


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE workflow><workflow/>",
        b"<?xml-stylesheet href='w.xsl'?><workflow/>",
        b"<?xml version='1.0' standalone='yes'?><workflow></workflow>",
        b"\xef\xbb\xbf<?xml version='1.0'?><workflow/>",
        "<?xml version='1.0' encoding='UTF-16'?><workflow/>".encode("utf-16"),
    ],
)
def test_what_changes_nothing_is_read_over(data: bytes) -> None:
    assert read_xml(data, "w.xml").tag == "workflow"


def test_blank_lines_before_the_declaration_are_forgiven_and_counted() -> None:
    assert read_xml(b"\n\n" + DOCUMENT, "w.xml").line == 4
    assert complaint(b"\n\n" + DOCUMENT.replace(b"</nodes>", b"")).startswith("w.xml:11: ")


@pytest.mark.parametrize(
    ("coding", "letter"), [("ISO-8859-1", b"\xe9"), ("windows-1252", b"\xe9"), ("utf-8", b"\xc3\xa9")]
)
def test_codings_of_common_editors_are_read(coding: str, letter: bytes) -> None:
    data = f'<?xml version="1.0" encoding="{coding}"?>'.encode() + b"<a b='" + letter + b"'/>"
    assert read_xml(data, "w.xml").attributes == {"b": "é"}


@pytest.mark.parametrize("coding", ["rot13", "klingon", "base64", "idna", "undefined"])
def test_other_codings_are_refused(coding: str) -> None:
    data = f'<?xml version="1.0" encoding="{coding}"?><a/>'.encode()
    assert complaint(data) == f"w.xml:1: the coding '{coding}' is not known; save the file as UTF-8"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"</nodes>", b"", "w.xml:9: <nodes> of line 3 is not closed before this; write </nodes> first"),
        (b"</workflow>", b"", "w.xml:10: the file ends, but <workflow> of line 2 is not closed; write </workflow>"),
        (
            b"&lt;",
            b"<",
            (
                "w.xml:5: this is not XML (not well-formed (invalid token)); "
                "write '&lt;' for '<' and '&amp;' for '&', and put every value in quotes"
            ),
        ),
        (
            b"&lt;",
            b"&eacute;",
            (
                "w.xml:4: this is not XML (undefined entity); "
                "only '&lt;', '&gt;', '&amp;', '&quot;' and '&apos;' are known; write the sign"
            ),
        ),
        (
            b'id="a"',
            b'id="a" id="b"',
            "w.xml:4: this is not XML (duplicate attribute); an attribute stands twice; remove one of the two",
        ),
        (
            b"<job/>",
            b"use --wait",
            (
                "w.xml:6: this is not XML (not well-formed (invalid token)); "
                "'--' may not stand inside a comment, remove it"
            ),
        ),
        (b"&lt;", b"\xff", "w.xml:5: this is not utf-8 text; save the file as UTF-8"),
        (
            b"</workflow>",
            b"</workflow>\n<more/>",
            (
                "w.xml:10: this is not XML (junk after document element); "
                "only one element may stand outermost; remove what follows it"
            ),
        ),
        (
            b"  </nodes>\n</workflow>\n",
            b"<!-- nodes",
            "w.xml:8: this is not XML (unclosed token); something is not closed; look for a missing '>' or '-->'",
        ),
    ],
)
def test_what_is_not_xml_is_told_with_its_line_and_the_way_out(old: bytes, new: bytes, expected: str) -> None:
    assert old in DOCUMENT
    assert complaint(DOCUMENT.replace(old, new, 1)) == expected


def test_an_empty_file_is_told() -> None:
    assert (
        complaint(b" \n")
        == "w.xml:2: this is not XML (no element found); the file is empty or cut off; close every element"
    )


@pytest.mark.parametrize(
    "doctype",
    [
        b'<!DOCTYPE w SYSTEM "file:///etc/passwd">',
        b'<!DOCTYPE w PUBLIC "-//W//DTD" "http://example.org/w.dtd">',
        b'<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>',
        b'<!DOCTYPE w [<!ATTLIST value returntype CDATA "Number">]>',
    ],
)
def test_a_document_type_with_a_meaning_is_refused(doctype: bytes) -> None:
    data = DOCUMENT.replace(b"<workflow>", doctype + b"\n<workflow>", 1).replace(b"&lt;", b"&b;")
    assert complaint(data) == (
        "w.xml:2: a document type that defines entities or names other files is not read; remove <!DOCTYPE ...>"
    )


def test_sizes_from_outside_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert complaint(b" " * (XML_BYTES_MAX + 1)) == "w.xml is larger than 64 MiB; split the workflow"
    assert complaint(b"<a>\n" * 1000) == (
        f"w.xml:{XML_DEPTH_MAX + 1}: elements lie in each other more than {XML_DEPTH_MAX} deep; make it flatter"
    )
    monkeypatch.setattr("roost.languages.xml_tree.XML_ELEMENTS_MAX", 3)
    assert complaint(b"<a>\n<b/>\n<b/>\n<b/>\n</a>") == "w.xml:4: there are more than 3 elements; use fewer"


def test_text_in_many_pieces_takes_time_for_its_length_only() -> None:
    pieces = 200_000
    assert len(read_xml(b"<a>" + b"x<!-- -->" * pieces + b"</a>", "w.xml").text) == pieces


@given(st.binary(max_size=200))
def test_arbitrary_bytes_give_one_sentence(data: bytes) -> None:
    said = ""
    try:
        read_xml(data, "w.xml")
    except InvalidInput as error:
        said = str(error)
    assert not said or said.startswith("w.xml:")


@given(st.binary(max_size=30), st.integers(0, len(DOCUMENT)), st.integers(0, 20))
def test_any_damage_gives_a_tree_or_one_sentence(piece: bytes, at: int, gone: int) -> None:
    said = ""
    try:
        read_xml(DOCUMENT[:at] + piece + DOCUMENT[at + gone :], "w.xml")
    except InvalidInput as error:
        said = str(error)
    assert not said or said.startswith("w.xml:")
