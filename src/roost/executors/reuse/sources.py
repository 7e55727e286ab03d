"""The source of functions that are named: the file of their module, and those that it imports from beside it.

Nothing is imported to find out: the node never runs the code of others.
"""

import ast
import io
import pickle
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from roost.executors.worker.by_name import CallByName
from roost.model.limits import REUSE_CONTENT_BYTES_MAX

_NAMED: Final = (CallByName.__module__, CallByName.__qualname__)
#: Files that one function may consist of; what it imports beyond that does not count.
_FILES_MAX: Final = 200


class _OnlyByName(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) != _NAMED:
            raise pickle.UnpicklingError("not a function by name")
        return CallByName


@lru_cache(maxsize=1024)
def named_function(code: bytes) -> CallByName | None:
    """Return what a function's bytes name; None if they are the function itself."""
    if _NAMED[0].encode() not in code:
        return None
    try:
        found = _OnlyByName(io.BytesIO(code)).load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, IndexError, KeyError):
        return None
    return found if isinstance(found, CallByName) else None


def source_files(function: CallByName) -> list[str]:
    """Return the files of its module and of the modules that it imports, as far as they lie in the flow's folders."""
    found: dict[str, None] = {}
    waiting = [function.target.partition(":")[0]]
    while waiting and len(found) < _FILES_MAX:
        name = waiting.pop()
        for path in _files_of(name, function.path):
            if path not in found:
                found[path] = None
                waiting += _imports(path, name)
    return sorted(found)


def _files_of(module: str, folders: tuple[str, ...]) -> list[str]:
    """Return the module's file, and those of the packages around it, in the first folder that has it."""
    parts = module.split(".")
    for folder in folders:
        places = [Path(folder, *parts[:depth]) for depth in range(1, len(parts) + 1)]
        files = [path for place in places for path in (place.with_name(f"{place.name}.py"), place / "__init__.py")]
        found = [str(path) for path in files if path.is_file()]
        if found:
            return found
    return []


def _imports(path: str, module: str) -> list[str]:
    try:
        status = Path(path).stat()
        return _read_imports(path, module, status.st_mtime_ns, status.st_size)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []


@lru_cache(maxsize=1024)
def _read_imports(path: str, module: str, _changed: int, size: int) -> list[str]:
    if size > REUSE_CONTENT_BYTES_MAX:
        return []
    is_package = Path(path).name == "__init__.py"
    found: dict[str, None] = {}
    for node in ast.walk(ast.parse(Path(path).read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name: None for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            around = module.split(".")[: len(module.split(".")) - node.level + is_package] if node.level else []
            base = ".".join([*around, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{alias.name}" if base else alias.name for alias in node.names)]
            found |= {name: None for name in names if name}
    return list(found)
