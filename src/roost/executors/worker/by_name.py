"""Functions that are named instead of shipped: ``package.module:function``, as flow files have them.

A process lives on from lease to lease while people change their files and run other flows. What it imported from the
folders of a flow is imported anew when one of the files has changed since, or when the next lease is of another flow.
"""

import sys
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any, Final

import msgspec

from roost.model.errors import InvalidInput


class _Imported:
    """Modules that this process imported from the folders of flows: the file of each, with its size and last change."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[Path, int, int]] = {}
        self._looked_at: set[str] = set()
        self._count = 0
        self._folders: tuple[str, ...] = ()

    def note(self, folders: tuple[str, ...]) -> None:
        """Look at what was imported since it was last called; nearly always that is nothing."""
        if len(sys.modules) == self._count:
            return
        self._count = len(sys.modules)
        for name, module in list(sys.modules.items()):
            if name not in self._looked_at:
                self._looked_at.add(name)
                path = Path(getattr(module, "__file__", None) or "")
                signature = _signature(path) if any(path.is_relative_to(folder) for folder in folders) else None
                if signature is not None:
                    self._files[name] = (path, *signature)

    def refresh(self, folders: tuple[str, ...]) -> None:
        """Have all of it imported anew if one of the files holds something else by now, or is of another flow.

        Two flows may have modules of the same name.
        """
        changed = any(_signature(path) != (size, at) for path, size, at in self._files.values())
        if changed or folders != self._folders:
            for name in self._files:
                sys.modules.pop(name, None)
            sys.path[:] = [folder for folder in sys.path if folder not in self._folders or folder in folders]
            self._files, self._looked_at, self._count, self._folders = {}, set(), 0, folders
            invalidate_caches()


def _signature(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


_IMPORTED: Final = _Imported()


class CallByName(msgspec.Struct, frozen=True):
    """Call the function of this name; ``path`` are folders in which its module is looked for first."""

    target: str
    path: tuple[str, ...] = ()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
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
        if self.path:
            _IMPORTED.note(self.path)
        for part in function_name.split("."):
            found = getattr(found, part, None)
        if not callable(found):
            raise InvalidInput(f"the module '{module_name}' has no function '{function_name}'")
        return found

    def refresh(self) -> None:
        """Have what lies in the folders of flows imported anew, if it is of another flow or has changed."""
        if self.path:
            _IMPORTED.refresh(self.path)
