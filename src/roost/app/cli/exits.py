"""Exit codes: scripts rely on them, so they never change their meaning."""

from typing import Final

from roost.model.errors import InvalidInput, NotFound

WELL: Final = 0
#: An element failed, was cancelled or aborted; or ``doctor`` found something broken.
WORK_FAILED: Final = 1
WRONG_USAGE: Final = 2
NOT_FOUND: Final = 3
#: No node runs here, or it cannot do that now.
UNAVAILABLE: Final = 4
#: As shells report an end by Ctrl-C.
INTERRUPTED: Final = 130

MEANINGS: Final = (
    (WELL, "all is well"),
    (WORK_FAILED, "the work failed: an element failed, was cancelled or aborted"),
    (WRONG_USAGE, "wrong usage or bad input; nothing was changed"),
    (NOT_FOUND, "there is no such run, task, element or file"),
    (UNAVAILABLE, "no node runs here, or it cannot do that now"),
    (INTERRUPTED, "interrupted with Ctrl-C; the work goes on"),
)


def code_of(error: Exception) -> int:
    if isinstance(error, NotFound | FileNotFoundError):
        return NOT_FOUND
    wrong = InvalidInput | PermissionError | IsADirectoryError | NotADirectoryError
    return WRONG_USAGE if isinstance(error, wrong) else UNAVAILABLE
