"""Words that mean something to a shell only. A command that holds them was meant for one, and none runs."""

from collections.abc import Sequence
from typing import Final

_OPERATORS: Final = frozenset({"|", "||", "&&", "&", ";", ">", ">>", "<", "<<", "2>", "2>>", "2>&1", "&>"})


def shell_operator(words: Sequence[str]) -> str | None:
    """Return the first of the words that only a shell understands."""
    if _OPERATORS.isdisjoint(words):
        return None
    return next((word for word in words if word in _OPERATORS), None)
