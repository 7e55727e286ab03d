"""Files of a command: the folder it runs in, the inputs that are put there, the outputs that are taken away.

An output appears in the blob store whole, on disk and under the hash of its content, or not at all.
"""

import os
import shutil
from contextlib import suppress
from hashlib import blake2b
from mmap import mmap
from pathlib import Path
from typing import Final, TypeAlias

from roost.executors.places import Places
from roost.executors.template import check_output_path
from roost.model.errors import InvalidInput
from roost.model.limits import MIB

HASH_BYTES: Final = 16
_READ_BYTES: Final = 1 * MIB
#: What the system says of a file, which changes whenever it is written: device, number, size, and both times.
FileState: TypeAlias = tuple[int, int, int, int, int]


class Scratch:
    """Folders for programs that have none of their own.

    One that is still empty after its program serves the next: on some disks making one costs more than the program.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._made = 0
        self._empty: list[Path] = []

    def take(self, *, unused: bool = False) -> Path:
        """Return an empty folder; ``unused``: one that no program has been in, of which something may live on."""
        if self._empty and not unused:
            return self._empty.pop()
        self._made += 1
        folder = self._root / str(self._made)
        folder.mkdir(parents=True)
        return folder

    def give(self, folder: Path) -> bool:
        """Take a folder back if it is empty."""
        try:
            empty = next(folder.iterdir(), None) is None
        except OSError:
            return False
        if empty:
            self._empty.append(folder)
        return empty


class Folder:
    """The scratch folder of one element; taken when it is first asked for."""

    def __init__(self, scratch: Scratch, places: Places, *, unused: bool = False) -> None:
        """``unused``: what is found there at the end counts, so that no other program may ever have known it."""
        self._scratch = scratch
        self._places = places
        self._unused = unused
        self._path: Path | None = None

    @property
    def path(self) -> Path:
        if self._path is None:
            self._path = self._scratch.take(unused=self._unused)
        return self._path

    def stage(self, content: str, port: str, position: int, name: str) -> str:
        """Put a file of the blob store where the program can read it; return its path."""
        target = self.path / "inputs" / port.replace("/", "_") / str(position) / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            _link(self._places.blob_path(content), target)
        return str(target)

    def give_back(self) -> bool:
        """Return whether that is all there is to do: there was no folder, or it is empty and can serve again."""
        return self._path is None or self._scratch.give(self._path)

    def remove(self) -> None:
        """Remove it with all that is in it. What a program has made unremovable is left to the next launcher."""
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)


def _link(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except FileNotFoundError:
        raise InvalidInput(f"the file {source.name} is no longer in the blob store of this node") from None
    except OSError:
        shutil.copyfile(source, target)


def remove_scratch(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)


def remove_leftovers(root: Path) -> None:
    """Remove the scratch of launchers of earlier lives of the node: those that are not of this one's family."""
    family = root.name.rpartition("-")[0]
    for other in root.parent.glob("commands-*"):
        if not other.name.startswith(family):
            remove_scratch(other)


def make_room(outputs: dict[str, str], folder: Path) -> None:
    """Make the folders inside an element's own that its outputs are to lie in. Raise InvalidInput for a bad path."""
    for name, path in outputs.items():
        check_output_path(name, path)
        if "/" in path:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)


def earlier_files(outputs: dict[str, str], folder: Path) -> dict[str, FileState]:
    """Return what lies in a user's folder already where outputs are to be: it must not be taken for new."""
    found = {name: _state(folder / path) for name, path in outputs.items()}
    return {name: state for name, state in found.items() if state is not None}


def _state(path: Path) -> FileState | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def collect(
    outputs: dict[str, str], folder: Path, places: Places, earlier: dict[str, FileState] | None
) -> dict[str, tuple[str, int]]:
    """Take the declared outputs into the blob store; return name -> (hash, size).

    ``earlier`` is what lay in a folder of the user's before. None: the folder is the element's own and goes away
    afterwards, so that files may be moved instead of copied. Raise InvalidInput for an output that was not made.
    """
    found = {}
    for name, path in outputs.items():
        if earlier is not None and earlier.get(name) == _state(folder / path) is not None:
            raise InvalidInput(f"did not write the file {path} that it declares; the one that is there is older")
        found[name] = _take(name, path, folder, places, own=earlier is None)
    return found


def _take(name: str, path: str, folder: Path, places: Places, *, own: bool) -> tuple[str, int]:
    check_output_path(name, path)
    source = folder / path
    if not source.exists():
        raise InvalidInput(f"did not leave the file {path} that it declares")
    if not source.is_file():
        raise InvalidInput(f"left {path}, which it declares, but not as a file")
    incoming = places.blobs / f".incoming-{os.getpid()}-{os.urandom(8).hex()}"
    try:
        if own and not source.is_symlink():
            source.replace(incoming)
        else:
            shutil.copyfile(source, incoming)
        return settle(incoming, places)
    finally:
        incoming.unlink(missing_ok=True)


def settle(incoming: Path, places: Places) -> tuple[str, int]:
    """Let a file of the blob store appear there under its hash, whole and on disk; return the hash and the size."""
    incoming.chmod(0o444)
    digest = blake2b(digest_size=HASH_BYTES)
    size = 0
    with incoming.open("rb") as file:
        while data := file.read(_READ_BYTES):
            digest.update(data)
            size += len(data)
        os.fsync(file.fileno())
    content = digest.hexdigest()
    incoming.replace(places.blob_path(content))
    _sync_folder(places.blobs)
    return content, size


def hash_of(content: mmap) -> str:
    """Return the name that the blob store has for this content."""
    return blake2b(content, digest_size=HASH_BYTES).hexdigest()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Some file systems cannot, and then need not.
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
