"""How a function finds its modules and its folder in a worker process, which is older than the script that sends it.

A pickled function names the modules it comes from. They are looked for where the client looks for them, and read anew
if their files changed since: a worker lives on between two runs of a script that is being written.
"""

import importlib
import os
import pickle
import sys
import sysconfig
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any


class Shipped:
    """A function with the folder its caller worked in; calling it is calling the function there."""

    __slots__ = ("_folder", "_function")

    def __init__(self, function: Callable[..., Any], folder: str) -> None:
        self._function = function
        self._folder = folder

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _worker.folder != self._folder:
            _worker.enter(self._folder)
        return self._function(*args, **kwargs)


class Parcel:
    """What is pickled in the place of a function; unpickling it gives a Shipped."""

    __slots__ = ("_folder", "_path", "_pickled")

    def __init__(self, pickled: bytes, path: tuple[str, ...], folder: str) -> None:
        self._pickled = pickled
        self._path = path
        self._folder = folder

    def __reduce__(self) -> tuple[Callable[..., Shipped], tuple[bytes, tuple[str, ...], str]]:
        return unpack, (self._pickled, self._path, self._folder)


class _Worker:
    """What was done to this process on behalf of functions that were shipped to it."""

    def __init__(self) -> None:
        self.folder = ""
        self._own_path: tuple[str, ...] = ()
        #: Modules that were here before anything was shipped, the worker's own among them, stay.
        self._own_modules: frozenset[str] = frozenset()
        #: Modules that came with somebody's path: name -> (file, time of its last change).
        self._imported: dict[str, tuple[str, float]] = {}

    def enter(self, folder: str) -> None:
        """Work in ``folder``; one that is gone, or belongs to another machine, leaves the process where it is."""
        self.folder = folder
        with suppress(OSError):
            os.chdir(folder)

    def follow(self, path: tuple[str, ...]) -> None:
        """Search these folders first, and forget modules that were found elsewhere or have changed."""
        if not self._own_modules:
            self._own_path, self._own_modules = tuple(sys.path), frozenset(sys.modules)
        sys.path[:] = [*path, *(folder for folder in self._own_path if folder not in path)]
        for name, (file, changed) in list(self._imported.items()):
            if not _is_within(file, path) or _time_of_change(file) != changed:
                del self._imported[name]
                sys.modules.pop(name, None)
        importlib.invalidate_caches()

    def remember(self, path: tuple[str, ...]) -> None:
        for name, module in list(sys.modules.items()):
            file = _source_of(module)
            known = name in self._imported or name in self._own_modules or name.partition(".")[0] == "roost"
            if file is not None and not known and _is_within(file, path):
                self._imported[name] = (file, _time_of_change(file))


_worker = _Worker()


def unpack(pickled: bytes, path: tuple[str, ...], folder: str) -> Shipped:
    """Called in the worker process, by the unpickling of a Parcel."""
    _worker.enter(folder)
    _worker.follow(path)
    function = pickle.loads(pickled)
    _worker.remember(path)
    return Shipped(function, folder)


def client_path() -> tuple[str, ...]:
    """Return the folders this process finds its own modules in, those of Python itself and of packages left out."""
    installed = {str(Path(folder)) for folder in sysconfig.get_paths().values()}
    folders = (os.path.abspath(entry or current_folder()) for entry in sys.path)  # noqa: PTH100 - links stay links
    return tuple(dict.fromkeys(folder for folder in folders if _is_searched(folder, installed)))


def current_folder() -> str:
    return os.getcwd()  # noqa: PTH109 - a Path costs several times as much, and every submit asks


def _is_searched(folder: str, installed: set[str]) -> bool:
    return folder not in installed and not folder.startswith(sys.base_prefix + os.sep) and Path(folder).is_dir()


def _source_of(module: ModuleType) -> str | None:
    """Only modules in Python can be read anew; compiled ones stay as long as the process."""
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) and file.endswith(".py") else None


def _is_within(file: str, path: tuple[str, ...]) -> bool:
    return any(file.startswith(folder + os.sep) for folder in path)


def _time_of_change(file: str) -> float:
    try:
        return Path(file).stat().st_mtime
    except OSError:
        return 0.0
