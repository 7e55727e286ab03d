"""Text of other languages inside commands, where braces would stand for placeholders."""

import re

from roost.executors import template

#: What the node would take for a placeholder or for a doubled brace.
_MEANT = re.compile(r"\{\{|\}\}|(?<!\$)\{[A-Za-z0-9_./-]*\}")


def literal(text: str) -> str:
    """Return ``text`` so that the node reads it as it is; braces that mean nothing to it stay as people know them."""
    if "{" not in text and "}}" not in text:
        return text
    return template.literal(text) if _MEANT.search(text) else text


def plain(text: str) -> str:
    """Return what the node would read: the way back from ``literal``."""
    return "".join(part for part in template.parse(text, has_items=False, ports={}) if isinstance(part, str))
