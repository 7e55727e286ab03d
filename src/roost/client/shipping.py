"""How a function finds its modules and its folder in a worker process, which is older than the script that sends it.

A pickled function names the modules it comes from. They are looked for where the client looks for them, and read anew
if their files changed since: a worker lives on between two runs of a script that is being written.
"""

import importlib
import os
import pickle
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeAlias

#: The time of a file's last change, and its size.
_Version: TypeAlias = tuple[int, int]
_LOOK_EVERY_S: Final = 1.0


class Shipped:
    """A function with the folder its caller worked in; calling it is calling the function there."""

    __slots__ = ("_folder", "_function")

    def __init__(self, function: Callable[..., Any], folder: str) -> None:
        self._function = function
        self._folder = folder

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if _worker.folder != self._folder:
            _worker.enter(self._folder)
        return self._function(*args, **kwargs)


class Parcel:
    """What is pickled in the place of a function; unpickling it gives a Shipped."""

    __slots__ = ("_content",)

    def __init__(self, pickled: bytes, path: "SearchPath", folder: str, modules: str) -> None:
        self._content = (pickled, path.own, path.packages, folder, modules)

    def __reduce__(self) -> tuple[Callable[..., Shipped], tuple[Any, ...]]:
        return unpack, self._content


class _Worker:
    """What was done to this process on behalf of functions that were shipped to it."""

    def __init__(self) -> None:
        self.folder = ""
        self._own_path: tuple[str, ...] = ()
        #: Modules that were here before anything was shipped, the worker's own among them, stay.
        self._own_modules: frozenset[str] = frozenset()
        #: Modules that came with somebody's path: name -> (file, what it was then).
        self._imported: dict[str, tuple[str, _Version]] = {}

    def enter(self, folder: str) -> None:
        """Work in ``folder``; one that is gone, or belongs to another machine, leaves the process where it is."""
        self.folder = folder
        with suppress(OSError):
            os.chdir(folder)

    def follow(self, path: tuple[str, ...], packages: tuple[str, ...]) -> None:
        """Search ``path`` first and ``packages`` last; forget modules that were found elsewhere or have changed."""
        if not self._own_modules:
            self._own_path, self._own_modules = tuple(sys.path), frozenset(sys.modules)
        sys.path[:] = dict.fromkeys((*path, *self._own_path, *packages))
        for name, (file, version) in list(self._imported.items()):
            if not _is_within(file, path) or _version_of(file) != version:
                del self._imported[name]
                sys.modules.pop(name, None)
        importlib.invalidate_caches()

    def remember(self, path: tuple[str, ...]) -> None:
        for name, module in list(sys.modules.items()):
            file = _source_of(name, module, path)
            if file is not None and name not in self._imported and name not in self._own_modules:
                self._imported[name] = (file, _version_of(file))


_worker = _Worker()


def unpack(pickled: bytes, path: tuple[str, ...], packages: tuple[str, ...], folder: str, _modules: str) -> Shipped:
    """Called in the worker process, by the unpickling of a Parcel.

    The fingerprint of the modules makes parcels differ, so that a worker which knows a function by the hash of its
    parcel unpacks it again when the modules behind it have changed.
    """
    _worker.enter(folder)
    _worker.follow(path, packages)
    function = pickle.loads(pickled)
    _worker.remember(path)
    return Shipped(function, folder)


class Fingerprint:
    """Changes whenever a module of the client's own is loaded or its file changes. Looks at most once a second."""

    def __init__(self) -> None:
        self._count = 0
        self._looked_at = 0.0
        self._text = ""

    def of(self, path: tuple[str, ...]) -> str:
        now = time.monotonic()
        if len(sys.modules) != self._count or now - self._looked_at > _LOOK_EVERY_S:
            # Only here: workers load this module, too, and hash nothing.
            import hashlib  # noqa: PLC0415 - see above

            self._count, self._looked_at = len(sys.modules), now
            files = (_source_of(name, module, path) for name, module in list(sys.modules.items()))
            versions = sorted((file, *_version_of(file)) for file in files if file is not None)
            self._text = hashlib.blake2b(repr(versions).encode(), digest_size=16).hexdigest()
        return self._text


class SearchPath(NamedTuple):
    """Where a client finds modules: its own, which come before all others, and installed packages, which come last.

    Packages matter where the node was installed apart from the client's project.
    """

    own: tuple[str, ...]
    packages: tuple[str, ...]


def client_path() -> SearchPath:
    """Return where this process finds its modules, those of Python itself left out."""
    # Only here: as above.
    import sysconfig  # noqa: PLC0415 - see above

    places = sysconfig.get_paths()
    python = (places["stdlib"], places["platstdlib"])
    installed = (places["purelib"], places["platlib"], "site-packages", "dist-packages")
    own: dict[str, None] = {}
    packages: dict[str, None] = {}
    for entry in sys.path:
        folder = os.path.abspath(entry or current_folder())  # noqa: PTH100 - links stay links
        if folder.endswith(installed):
            packages[folder] = None
        elif not (folder + os.sep).startswith(tuple(place + os.sep for place in python)) and Path(folder).is_dir():
            own[folder] = None
    return SearchPath(tuple(own), tuple(packages))


def current_folder() -> str:
    return os.getcwd()  # noqa: PTH109 - a Path costs several times as much, and every submit asks


def _source_of(name: str, module: ModuleType, path: tuple[str, ...]) -> str | None:
    """Return the file of a module that can be read anew: one in Python, from the path, and not of Roost itself."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py") or name.partition(".")[0] in ("roost", "__main__"):
        return None
    return file if _is_within(file, path) else None


def _is_within(file: str, path: tuple[str, ...]) -> bool:
    return any(file.startswith(folder + os.sep) for folder in path)


def _version_of(file: str) -> _Version:
    try:
        status = Path(file).stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)
