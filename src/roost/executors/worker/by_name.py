"""Functions that are named instead of shipped: ``package.module:function``, as flow files have them.

A process lives on from lease to lease while people change their files. What it imported from the folders of a flow is
imported anew when one of the files has changed since.
"""

import sys
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any, Final

import msgspec

from roost.model.errors import InvalidInput

#: Modules that were imported from the folders of flows: the file of each, with its size and last change.
_imported: Final[dict[str, tuple[Path, int, int]]] = {}
#: Modules that have been looked at.
_looked_at: Final[set[str]] = set()


class CallByName(msgspec.Struct, frozen=True):
    """Call the function of this name; ``path`` are folders in which its module is looked for first."""

    target: str
    path: tuple[str, ...] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.find()(*args, **kwargs)

    def find(self) -> Any:
        """Import and return it. Raise InvalidInput if the name leads to nothing that can be called."""
        module_name, colon, function_name = self.target.partition(":")
        if not (module_name and colon and function_name):
            raise InvalidInput(f"'{self.target}' does not name a function; write module:function")
        for folder in reversed(self.path):
            if folder not in sys.path:
                sys.path.insert(0, folder)
        found: Any = import_module(module_name)
        if self.path and len(_looked_at) != len(sys.modules):
            self._note_imported()
        for part in function_name.split("."):
            found = getattr(found, part, None)
        if not callable(found):
            raise InvalidInput(f"the module '{module_name}' has no function '{function_name}'")
        return found

    def refresh(self) -> None:
        """Forget what was imported from the folders of flows, if a file of it has changed."""
        if any(_signature(path) != (size, changed) for path, size, changed in _imported.values()):
            for name in _imported:
                sys.modules.pop(name, None)
            _imported.clear()
            _looked_at.clear()
            invalidate_caches()

    def _note_imported(self) -> None:
        for name, module in list(sys.modules.items()):
            if name not in _looked_at:
                _looked_at.add(name)
                path = Path(getattr(module, "__file__", None) or "")
                signature = _signature(path) if any(path.is_relative_to(folder) for folder in self.path) else None
                if signature is not None:
                    _imported[name] = (path, *signature)


def _signature(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
