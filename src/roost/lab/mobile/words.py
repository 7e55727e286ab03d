"""Words that people write as parameters of these experiments, and what is said of one that nobody knows."""

from collections.abc import Collection

from roost.model.errors import InvalidInput
from roost.model.visible import quoted


def checked_word(what: str, word: str, known: Collection[str]) -> str:
    """Return the word. Raise InvalidInput, with those that there are, for any other."""
    if word not in known:
        raise InvalidInput(f"there is no {what} {quoted(word)}; there are {', '.join(known)}")
    return word
