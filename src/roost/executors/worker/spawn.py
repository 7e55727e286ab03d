"""Start a program, or say in one sentence why it cannot be started.

posix_spawn is used throughout: it costs the same however large the parent is, and nothing of ours runs in the child.
It cannot change the folder, but the launcher has a single thread that starts programs, and no need of its own folder.
"""

import errno
import os
import signal
from typing import Final

from roost.model.errors import InvalidInput, RoostError

#: Python ignores these for itself; a program must find them as they are elsewhere.
_DEFAULT_SIGNALS: Final = (signal.SIGPIPE, signal.SIGXFSZ)


class CannotStart(RoostError):
    """The system has no process or descriptor left; trying again may help."""


def enter(folder: str) -> None:
    if not folder.startswith("/"):
        raise InvalidInput(f"the folder '{folder}' to run in must be given from the root, as /...")
    try:
        os.chdir(folder)
    except NotADirectoryError:
        raise InvalidInput(f"'{folder}' is not a folder, so that no program can run there") from None
    except FileNotFoundError:
        raise InvalidInput(f"the folder '{folder}' to run in is not there") from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"the folder '{folder}' cannot be entered: {error}") from None


class Programs:
    """Where programs are, remembered: a search along PATH costs more than all else that we do for an element."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, bytes], str] = {}

    def find(self, name: str, path: bytes) -> str:
        """Return the path of a program; raise InvalidInput if there is none of this name."""
        if "/" in name:
            return name
        found = self._found.get((name, path))
        if found is None:
            found = self._found[name, path] = _search(name, path)
        return found

    def forget(self) -> None:
        self._found.clear()


def _search(name: str, path: bytes) -> str:
    for folder in os.fsdecode(path).split(os.pathsep):
        candidate = os.path.join(folder or ".", name)  # noqa: PTH118 -- a path as the user wrote it
        if os.access(candidate, os.X_OK) and not os.path.isdir(candidate):  # noqa: PTH112
            return candidate
    raise InvalidInput(f"the program '{name}' was not found here; is it installed, on the PATH of its submitter?")


def spawn(program: str, argv: list[str], env: dict[bytes, bytes], stdin: int, stdout: int, stderr: int) -> int:
    """Start a program in a process group of its own, in the current folder. Raise InvalidInput or CannotStart."""
    try:
        return os.posix_spawn(
            program,
            argv,
            env,
            file_actions=(
                (os.POSIX_SPAWN_DUP2, stdin, 0),
                (os.POSIX_SPAWN_DUP2, stdout, 1),
                (os.POSIX_SPAWN_DUP2, stderr, 2),
            ),
            setpgroup=0,
            setsigdef=_DEFAULT_SIGNALS,
        )
    except ValueError:
        raise InvalidInput("a word or variable of the command is empty or holds a zero byte") from None
    except OSError as error:
        raise _explained(program, error) from None


def _explained(program: str, error: OSError) -> RoostError:
    match error.errno:
        case errno.ENOENT if os.access(program, os.F_OK):
            return InvalidInput(f"'{program}' is there, but not the interpreter that its first line names")
        case errno.ENOENT | errno.ENOTDIR:
            return InvalidInput(f"the program '{program}' is not there")
        case errno.EACCES:
            return InvalidInput(f"'{program}' is not a program that may be executed; try chmod +x")
        case errno.ENOEXEC:
            return InvalidInput(f"'{program}' is no program that this system knows; does it lack a first line #!...?")
        case errno.E2BIG:
            return InvalidInput("the command line is longer than the system allows; pass the data on standard input")
        case _:
            return CannotStart(f"'{program}' could not be started: {error.strerror}")
