"""XML to a small tree that knows its lines: what every reader of a workflow in XML begins with.

The file comes from people, maybe from strangers. It may define nothing of its own: entities, attribute defaults and
references to other files are refused with the line, before anything could grow or be fetched.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final
from xml.parsers import expat

from roost.languages.problems import located, shown
from roost.model.errors import InvalidInput
from roost.model.limits import MIB, XML_BYTES_MAX, XML_DEPTH_MAX, XML_ELEMENTS_MAX

_DECLARED: Final = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
#: Codings that people's editors write. Others are refused: not everything that Python can decode is a coding of text.
_CODINGS: Final = ("utf-8", "utf-16", "us-ascii", "iso-8859-1", "iso-8859-15", "windows-1252")
_BYTE_ORDER_MARKS: Final = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
#: What may not stand in XML, not even as a reference.
NOT_IN_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ERRORS = expat.errors
#: What expat complains about, and what most likely happened.
_HINTS: Final = {
    _ERRORS.XML_ERROR_NO_ELEMENTS: "the file is empty or cut off; close every element",
    _ERRORS.XML_ERROR_UNCLOSED_TOKEN: "something is not closed; look for a missing '>' or '-->'",
    _ERRORS.XML_ERROR_INVALID_TOKEN: "write '&lt;' for '<' and '&amp;' for '&', and put every value in quotes",
    _ERRORS.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "only one element may stand outermost; remove what follows it",
    _ERRORS.XML_ERROR_DUPLICATE_ATTRIBUTE: "an attribute stands twice; remove one of the two",
    _ERRORS.XML_ERROR_UNDEFINED_ENTITY: "only '&lt;', '&gt;', '&amp;', '&quot;' and '&apos;' are known; write the sign",
    _ERRORS.XML_ERROR_UNBOUND_PREFIX: "nothing says what the prefix before ':' means; remove the prefix",
    _ERRORS.XML_ERROR_MISPLACED_XML_PI: "'<?xml ...?>' may stand only at the very beginning; move or remove it",
}


class Element:
    """One element: its name and attributes without prefixes, its line, and its text.

    ``head`` is the text before its first child, ``tail`` what follows the element itself inside its parent.
    """

    __slots__ = ("attributes", "children", "head", "line", "tag", "tail")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.line = line
        self.head = self.tail = ""
        self.children: list[Element] = []

    @property
    def text(self) -> str:
        """All its own text, without blanks around it."""
        return "".join([self.head, *(child.tail for child in self.children)]).strip()

    def __iter__(self) -> Iterator["Element"]:
        return iter(self.children)

    def named(self, tag: str) -> list["Element"]:
        return [child for child in self.children if child.tag == tag]


def read_xml(data: bytes, name: str) -> Element:
    """Return the outermost element. Raise InvalidInput with the line of the first thing that cannot be read."""
    if len(data) > XML_BYTES_MAX:
        raise InvalidInput(f"{name} is larger than {XML_BYTES_MAX // MIB} MiB; split the workflow")
    text = decoded(data, name)
    begin = len(text) - len(text.lstrip())
    builder = _Builder(name, text.count("\n", 0, begin))
    return builder.build(text[begin:])


def decoded(data: bytes, name: str) -> str:
    """Return the text of an XML file. Raise InvalidInput if it is in no coding that people's editors write."""
    coding = next((coding for mark, coding in _BYTE_ORDER_MARKS.items() if data.startswith(mark)), "")
    declared = _DECLARED.match(data)
    if not coding and declared is not None:
        coding = declared[1].decode().lower()
        if codecs_name(coding) not in {codecs_name(known) for known in _CODINGS}:
            raise InvalidInput(located(name, 1, f"the coding {shown(coding)} is not known; save the file as UTF-8"))
    try:
        return data.decode(coding or "utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(located(name, line, f"this is not {error.encoding} text; save the file as UTF-8")) from None


def codecs_name(coding: str) -> str:
    """Return the name under which Python knows a coding, empty if it does not."""
    try:
        return codecs.lookup(coding).name
    except LookupError:
        return ""


class _Builder:
    """Makes elements of expat's events, and stops at the first thing that a workflow has no use for."""

    def __init__(self, name: str, lines_before: int) -> None:
        self._name = name
        self._lines_before = lines_before
        # Text as str is UTF-8 to expat, whatever the file declares. A blank divides a namespace from the name.
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._open: list[Element] = []
        #: The text since the last tag; joined once, however many comments divide it.
        self._pieces: list[str] = []
        self._parser.CharacterDataHandler = self._pieces.append
        self._count = 0
        self._root: Element | None = None

    def build(self, text: str) -> Element:
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            raise self._wrong(error.lineno, self._malformed(error, text)) from None
        assert self._root is not None, "expat refuses a document without an element"
        return self._root

    def _malformed(self, error: expat.ExpatError, text: str) -> str:
        problem = expat.ErrorString(error.code) or "something is wrong"
        if problem == _ERRORS.XML_ERROR_TAG_MISMATCH and self._open:
            opened = self._open[-1]
            return f"<{opened.tag}> of line {opened.line} is not closed before this; write </{opened.tag}> first"
        if problem == _ERRORS.XML_ERROR_NO_ELEMENTS and self._open:
            opened = self._open[-1]
            return f"the file ends, but <{opened.tag}> of line {opened.line} is not closed; write </{opened.tag}>"
        if problem == _ERRORS.XML_ERROR_INVALID_TOKEN and _is_in_comment(text, error):
            return f"this is not XML ({problem}); '--' may not stand inside a comment, remove it"
        return f"this is not XML ({problem}); {_HINTS.get(problem, 'check the line, and the one before it')}"

    def _doctype(self, _: str, system: str | None, public: str | None, has_subset: int) -> None:
        if system or public or has_subset:
            raise self._wrong(
                self._parser.CurrentLineNumber,
                "a document type that defines entities or names other files is not read; remove <!DOCTYPE ...>",
            )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        self._count += 1
        if self._count > XML_ELEMENTS_MAX:
            raise self._wrong(line, f"there are more than {XML_ELEMENTS_MAX:,} elements; use fewer")
        if len(self._open) >= XML_DEPTH_MAX:
            raise self._wrong(line, f"elements lie in each other more than {XML_DEPTH_MAX} deep; make it flatter")
        if " " in tag:
            tag = tag.rpartition(" ")[2]
        if " " in "".join(attributes):
            attributes = {key: text for key, text in attributes.items() if " " not in key}
        element = Element(tag, attributes, line + self._lines_before)
        if self._open:
            self._take_text()
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, _: str) -> None:
        self._take_text()
        self._open.pop()

    def _take_text(self) -> None:
        if self._pieces:
            text, element = "".join(self._pieces), self._open[-1]
            self._pieces.clear()
            if element.children:
                element.children[-1].tail = text
            else:
                element.head = text

    def _wrong(self, line: int, sentence: str) -> InvalidInput:
        return InvalidInput(located(self._name, line + self._lines_before, sentence))


def _is_in_comment(text: str, error: expat.ExpatError) -> bool:
    """Whether expat stopped behind two dashes that do not end the comment they are in."""
    lines = text.split("\n", error.lineno)
    before = "\n".join([*lines[: error.lineno - 1], lines[error.lineno - 1][: error.offset + 1]])
    return before.rfind("<!--") > before.rfind("-->") and "--" in before[before.rfind("<!--") + 4 :]
