"""The files that a workflow names: jobs and values, found beside the document and nowhere else.

WEB's examples name files without an ending (``src="Add"``), so that endings and a folder for such files are tried too.
A name that leads out of the document's folder is refused, whether by dots, as a full path or through a link.

WeevilScout itself keeps ``workflow/W/W.xml``, ``job/NAME/NAME.js`` and ``inputs/NAME`` in one folder. For a document
that lies so, files are looked for there, too.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from roost.languages.problems import did_you_mean, shown
from roost.model.errors import InvalidInput, NotFound

_DRIVE_OR_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
#: Names of other files that are looked at for the one that was meant.
_NAMES_COMPARED_MAX: Final = 1_000


class FileKind(NamedTuple):
    """What is looked for: the endings that may be left out, the folders it may lie in, and its largest size."""

    endings: tuple[str, ...]
    folders: tuple[str, ...]
    bytes_max: int
    #: Where WeevilScout keeps it, with ``{}`` for its name.
    shelf: str


class FoundFile(NamedTuple):
    #: The path from the document's folder, with slashes.
    name: str
    text: str
    #: Whether it was found although its letters are written otherwise.
    is_respelt: bool


class Files:
    """The files of the document at ``path``."""

    def __init__(self, path: Path) -> None:
        path = path.absolute()
        self._folder = path.parent
        is_shelved = path.parent.parent.name == "workflow" and path.stem == path.parent.name
        #: What holds the folders of WeevilScout, if the document lies in one of them.
        self._site = path.parents[2] if is_shelved else None
        self._found: dict[tuple[FileKind, str], FoundFile] = {}

    def read(self, source: str, kind: FileKind) -> FoundFile:
        """Return the file of this name. Raise InvalidInput or NotFound with a sentence."""
        key = (kind, source)
        if key not in self._found:
            self._found[key] = self._read(source, kind)
        return self._found[key]

    def _read(self, source: str, kind: FileKind) -> FoundFile:
        name = inside(source)
        for candidate in _candidates(name, kind):
            if (self._folder / candidate).is_file():
                return FoundFile(candidate, _text(self._folder, candidate, kind), is_respelt=False)
        shelved = kind.shelf.format(name, name)
        if self._site is not None and "/" not in name and (self._site / shelved).is_file():
            shelf, _, inner = shelved.partition("/")
            return FoundFile(shelved, _text(self._site / shelf, inner, kind), is_respelt=False)
        respelt = self._respelt(name, kind)
        if respelt is None:
            raise NotFound(self._missing(source, name, kind))
        return FoundFile(respelt, _text(self._folder, respelt, kind), is_respelt=True)

    def _respelt(self, name: str, kind: FileKind) -> str | None:
        """Return the only file whose name differs in capital letters alone: some systems do not tell them apart."""
        wanted = {candidate.lower() for candidate in _candidates(name, kind)}
        same = [other for other in self._names(name, kind) if other.lower() in wanted]
        return same[0] if len(same) == 1 else None

    def _names(self, name: str, kind: FileKind) -> list[str]:
        """Return the names of the files beside which the wanted one was looked for."""
        names: list[str] = []
        for folder in dict.fromkeys(candidate.rpartition("/")[0] for candidate in _candidates(name, kind)):
            try:
                entries = sorted(path.name for path in (self._folder / folder).iterdir() if path.is_file())
            except OSError:
                continue
            names += [f"{folder}/{entry}" if folder else entry for entry in entries[:_NAMES_COMPARED_MAX]]
        return names

    def _missing(self, source: str, name: str, kind: FileKind) -> str:
        endings = " or ".join(f"'{ending}'" for ending in kind.endings)
        hint = did_you_mean(name, self._names(name, kind))
        tried = f"; it was looked for in this folder and in '{kind.folders[0]}', also with {endings} at its end"
        return f"there is no file {shown(source)}{hint or tried}"


def _text(folder: Path, name: str, kind: FileKind) -> str:
    """Return the text of a file in a folder, out of which no link may lead."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InvalidInput(f"the file {shown(name)} is a link that leads out of the folder; copy the file instead")
    try:
        with path.open("rb") as file:
            data = file.read(kind.bytes_max + 1)
    except OSError as error:
        raise InvalidInput(f"the file {shown(name)} cannot be read: {error.strerror}; check who may") from None
    if len(data) > kind.bytes_max:
        raise InvalidInput(f"the file {shown(name)} is larger than {kind.bytes_max:,} bytes; make it smaller")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"line {line} of the file {shown(name)} is not UTF-8 text; save the file as UTF-8") from None


def inside(source: str) -> str:
    """Return a name of a file as a path below the folder. Raise InvalidInput if it leads elsewhere."""
    name = source.strip().replace("\\", "/")
    if _DRIVE_OR_SCHEME.match(name):
        raise InvalidInput(f"{shown(source)} is an address or names a drive; name a file in the folder of this one")
    path = os.path.normpath(name)
    if path.startswith(("/", "../")) or path == "..":
        raise InvalidInput(f"{shown(source)} leads out of this folder; put the file beside this one, or below")
    if path == "." or not path.isprintable():
        raise InvalidInput(f"{shown(source)} cannot be the name of a file; name one")
    return path


def _candidates(name: str, kind: FileKind) -> Iterator[str]:
    places: Sequence[str] = ("", *(f"{folder}/" for folder in kind.folders))
    for place in places:
        for ending in ("", *kind.endings):
            yield f"{place}{name}{ending}"
