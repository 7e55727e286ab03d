"""Text of other languages inside commands, where braces would stand for placeholders."""

import re

from roost.executors.template import parse

#: What the node would take for a placeholder or for a doubled brace.
_MEANT = re.compile(r"\{\{|\}\}|(?<!\$)\{[A-Za-z0-9_./-]*\}")


def literal(text: str) -> str:
    """Return ``text`` so that the node reads it as it is."""
    if "{" not in text and "}}" not in text:
        return text
    if not _MEANT.search(text):
        return text
    return doubled(text)


def plain(text: str) -> str:
    """Return what the node would read: the way back from ``literal``."""
    return "".join(part for part in parse(text, has_items=False, ports={}) if isinstance(part, str))


def doubled(text: str) -> str:
    """Double every brace that opens, and every one that closes one; the node leaves the others as they are."""
    parts: list[str] = []
    opened = 0
    for character in text:
        if character == "{":
            opened += 1
            parts.append("{{")
        elif character == "}" and opened:
            opened -= 1
            parts.append("}}")
        else:
            parts.append(character)
    return "".join(parts)
