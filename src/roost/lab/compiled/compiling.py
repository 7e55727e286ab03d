"""How functions of the compiled worlds are compiled: kept on disk, and without counting references.

All arrays are owned by whoever calls, who has them until the call returns. Counting references to them at each of the
millions of small calls would take ten times as long as what these do, and compiling five times as long.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])
_OPTIONS: Final[dict[str, Any]] = {"cache": True, "_nrt": False}


def compiled(function: F) -> F:
    """Compile a function of numbers and records when it is called first. It must not make arrays or other objects."""
    made: F = njit(**_OPTIONS)(function)
    return made
