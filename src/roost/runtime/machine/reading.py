"""Reading what a system tells in small files: each has one line, or a few, and may be gone at any moment."""

from pathlib import Path
from typing import Final

#: More than any of them has; the first lines of a longer one are enough.
_BYTES_MAX: Final = 16 * 1024


def text_in(file: Path) -> str:
    """Return what is in a file, without the space around it; nothing if it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(_BYTES_MAX).decode(errors="replace").strip()
    except OSError:
        return ""


def number_in(file: Path) -> float | None:
    """Return the whole number in a file; None if there is none."""
    try:
        return float(int(text_in(file)))
    except ValueError:
        return None
