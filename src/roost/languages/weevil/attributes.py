"""The attributes of one element: blanks around them are forgiven, and what is misspelt is told with what was meant."""

from collections.abc import Mapping
from typing import Final

from roost.languages.outline import TYPES
from roost.languages.problems import Problems, shown
from roost.languages.xml_tree import Element

_TYPES: Final = frozenset(TYPES)
_TYPES_BY_SMALL: Final = {kind.lower(): kind for kind in TYPES}
#: What people write who know other languages.
_TYPES_MEANT: Final = {
    "int": "Number", "integer": "Number", "float": "Number", "double": "Number", "real": "Number", "num": "Number",
    "str": "String", "text": "String", "bool": "Boolean", "list": "Array", "map": "Object", "dict": "Object",
    "none": "null", "nil": "null", "void": "undefined",
}  # fmt: skip
_ATTRIBUTES_MEANT: Final = {
    "name": ("id",), "ref": ("id",), "idref": ("id",), "node": ("id",),
    "type": ("paramtype", "returntype"), "datatype": ("paramtype", "returntype"), "return": ("returntype",),
    "from": ("source",), "start": ("source",), "src": ("source",),
    "to": ("dest",), "target": ("dest",), "end": ("dest",), "destination": ("dest",), "dst": ("dest",),
    "port": ("paramdest",), "param": ("paramdest",), "input": ("paramdest",), "parameter": ("paramdest",),
    "file": ("src",), "path": ("src",), "source": ("src",), "href": ("src",), "val": ("value",),
}  # fmt: skip


class Attributes:
    """What one element says of itself. Attributes that are not among the keys of ``known`` are told as it is read."""

    def __init__(self, element: Element, known: Mapping[str, None], problems: Problems) -> None:
        self.line = element.line
        self._tag = element.tag
        self._problems = problems
        self._texts = element.attributes
        #: Attributes that are there under a wrong name: that they are missing need not be told again.
        self._misspelt: set[str] = set()
        if not self._texts.keys() <= known.keys():
            self._texts = self._mended(known)

    @property
    def where(self) -> str:
        id_ = self.text("id")
        return f"<{self._tag}> {shown(id_)}" if id_ else f"<{self._tag}>"

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def raw(self, name: str) -> str | None:
        return self._texts.get(name)

    def text(self, name: str) -> str:
        """Return the attribute without blanks around it; one that is empty is as good as none."""
        return self._texts.get(name, "").strip()

    def required(self, name: str) -> str:
        text = self.text(name)
        if not text and name not in self._misspelt:
            empty = "an empty" if name in self._texts else "no"
            self._problems.add(self.line, f"{self.where} has {empty} '{name}'; write {name}=\"...\"")
        return text

    def type(self, name: str) -> str:
        """Return the type that an attribute names, empty for anything."""
        text = self.text(name)
        if text in _TYPES:
            return text
        kind = _TYPES_BY_SMALL.get(text.lower())
        if kind is not None:
            self._problems.warn(self.line, f"{shown(text)} of {self.where} is taken for {kind}; write '{kind}'")
            return kind
        if text:
            meant = _TYPES_MEANT.get(text.lower())
            hint = f"write '{meant}'" if meant else f"use one of {', '.join(TYPES)}"
            self._problems.add(self.line, f"{shown(text)} of {self.where} is not a type; {hint}")
        elif name not in self._misspelt:
            self._problems.warn(self.line, f"{self.where} has no '{name}', so that its type cannot be checked; add it")
        return ""

    def _mended(self, known: Mapping[str, None]) -> dict[str, str]:
        """Return the attributes that are known, with capital letters forgiven."""
        small = {name.lower(): name for name in known}
        texts = {name: text for name, text in self._texts.items() if name in known}
        where = self.where
        for name, text in self._texts.items():
            meant = small.get(name.lower())
            if name in known:
                continue
            if meant is not None and meant not in texts:
                texts[meant] = text
                self._problems.warn(self.line, f"{shown(name)} of {where} is taken for '{meant}'; write '{meant}'")
            else:
                self._tell_unknown(name, known, where)
        return texts

    def _tell_unknown(self, name: str, known: Mapping[str, None], where: str) -> None:
        meant = _meant(name.lower(), known)
        if meant is None:
            self._problems.warn(self.line, f"{shown(name)} of {where} means nothing here and is ignored")
            return
        self._misspelt.add(meant)
        self._problems.add(self.line, f"{where} has {shown(name)}, which is not known there; write '{meant}'")


def _meant(name: str, known: Mapping[str, None]) -> str | None:
    for other in _ATTRIBUTES_MEANT.get(name, ()):
        if other in known:
            return other
    return next((other for other in known if len(other) > 2 and _is_near(name, other)), None)


def _is_near(one: str, other: str) -> bool:
    """Whether the two differ by a letter that is missing, too much, wrong or swapped with its neighbour."""
    if abs(len(one) - len(other)) > 1:
        return False
    begin = 0
    while begin < min(len(one), len(other)) and one[begin] == other[begin]:
        begin += 1
    one, other = one[begin:], other[begin:]
    is_swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    return is_swapped or one[1:] == other or one == other[1:] or one[1:] == other[1:]
