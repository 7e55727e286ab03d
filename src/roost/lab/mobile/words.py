"""Words that people write as parameters of these experiments, and paragraphs that they read."""

from collections.abc import Collection

from roost.model.errors import InvalidInput
from roost.model.visible import quoted


def checked_word(what: str, word: str, known: Collection[str]) -> str:
    """Return the word. Raise InvalidInput, with those that there are, for any other."""
    if word not in known:
        raise InvalidInput(f"there is no {what} {quoted(word)}; there are {', '.join(known)}")
    return word


def paragraphs(text: str) -> tuple[str, ...]:
    """Return the paragraphs of a text, between which are empty lines, each in one line."""
    return tuple(" ".join(part.split()) for part in text.split("\n\n") if part.strip())
