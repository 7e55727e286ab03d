"""On which code the result of a cell depends, as one digest: what is kept from other code is not taken for its result.

That is the module of the cell's function, all modules of Roost that it imports, directly or not, wherever in the file
the import stands, and the versions of the libraries of the extra. Imports are read from the text: nothing is loaded.
"""

import ast
import importlib.util
from collections.abc import Iterator
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Final

from roost.lab.catalogue import EXTRA
from roost.model.hashing import fingerprint

_PACKAGE: Final = "roost"


@lru_cache(maxsize=256)
def fingerprint_of(module: str) -> bytes:
    """Return the digest of a module and of all that its results may depend on."""
    texts = [f"{name} {fingerprint(_text_of(name)).hex()}" for name in sorted(_reached_from(module))]
    return fingerprint("\n".join([*texts, *_versions()]).encode())


def _reached_from(module: str) -> set[str]:
    found: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _imported_by(name)
    return found


@lru_cache(maxsize=2048)
def _imported_by(module: str) -> tuple[str, ...]:
    return tuple(name for name in _named_in(ast.parse(_text_of(module))) if _source_of(name) is not None)


def _named_in(tree: ast.Module) -> Iterator[str]:
    """Yield what could be a module of Roost: from ``from a import b`` both a and a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if name.partition(".")[0] == _PACKAGE)


@lru_cache(maxsize=2048)
def _source_of(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        # A name of a module, and not of a package's part.
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None else None


def _text_of(module: str) -> bytes:
    source = _source_of(module)
    return b"" if source is None else source.read_bytes()


@lru_cache(maxsize=1)
def _versions() -> tuple[str, ...]:
    found = []
    for name in EXTRA:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"{name} is not there")
    return tuple(found)
