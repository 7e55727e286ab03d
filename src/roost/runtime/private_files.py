"""Files that hold secrets: only their owner can read them, and whoever looks sees the old one or the whole new one."""

import os
import stat
from pathlib import Path

from roost.model.errors import InvalidInput, Unavailable


def write_private(path: Path, content: bytes) -> None:
    """Put the file in place, on disk, with mode 0600. Raise Unavailable if that is impossible; the old one stays."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        draft.rename(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise Unavailable(f"{path} cannot be written: {error.strerror}; check the folder and its disk") from error


def read_private(path: Path, bytes_max: int, remedy: str = "if none did, 'chmod 600' makes it private") -> bytes | None:
    """Return the content, or None if there is no such file.

    Raise InvalidInput if the file is not the user's own, if it is too large, or if others may use it, with the remedy.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}") from error
    with os.fdopen(descriptor, "rb") as file:
        _check_private(path, os.fstat(descriptor), remedy)
        content = file.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise InvalidInput(f"{path} is larger than {bytes_max:,} bytes, so Roost did not write it")
    return content


def _check_private(path: Path, status: os.stat_result, remedy: str) -> None:
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        raise InvalidInput(f"{path} is not a file of yours; see who put it there")
    if status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        raise InvalidInput(f"others may use {path} (its mode is {mode:03o}); {remedy}")
