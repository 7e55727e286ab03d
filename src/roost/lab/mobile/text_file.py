"""Texts that people give by the name of a file, where a word would do as well."""

from collections.abc import Collection
from pathlib import Path

from roost.model.errors import InvalidInput
from roost.model.visible import quoted


def text_of(what: str, name: str, words: Collection[str]) -> str:
    """Return what a file holds. Raise InvalidInput, with the words that would do as well, if there is none."""
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InvalidInput(
            f"there is no {what} {quoted(name)}, and no text file of that name; there are {', '.join(words)}"
        ) from None
