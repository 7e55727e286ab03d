"""What is installed: programs on the PATH, distributions of Python. Only names of files are read, so it is quick."""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from roost.model.limits import ATTRIBUTE_NAME_LENGTH_MAX, ATTRIBUTE_TEXTS_MAX

_METADATA: Final = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._]*?)(?:-[^/]*)?\.(?:dist|egg)-info")
_SEPARATORS: Final = re.compile(r"[-_.]+")


def programs_on(path: str) -> tuple[str, ...]:
    """Return the names of what can be run in the folders of a PATH, sorted; the first folders count if there are too
    many.
    """
    found: dict[str, None] = {}
    for folder in path.split(os.pathsep):
        if Path(folder).is_absolute():
            for entry in _entries(folder):
                if len(entry.name) <= ATTRIBUTE_NAME_LENGTH_MAX and entry.name.isprintable() and _can_run(entry):
                    found[entry.name] = None
    return tuple(sorted(islice(found, ATTRIBUTE_TEXTS_MAX)))


def libraries_on(folders: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the distributions in the folders of a sys.path, as package indexes write them, sorted."""
    found: dict[str, None] = {}
    for folder in folders:
        for entry in _entries(folder):
            match = _METADATA.fullmatch(entry.name)
            if match is not None and len(match["name"]) <= ATTRIBUTE_NAME_LENGTH_MAX:
                found[_SEPARATORS.sub("-", match["name"]).lower()] = None
    return tuple(sorted(islice(found, ATTRIBUTE_TEXTS_MAX)))


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        # A PATH often names folders that are not there.
        return


def _can_run(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file() and os.access(entry.path, os.X_OK)
    except OSError:
        return False
