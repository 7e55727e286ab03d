"""Placeholders in shell text become shell variables, so that what they stand for is never read as shell.

A file called ``$(rm -rf x).txt`` or an output with a quote in it would otherwise run as part of the script. The index
is a number and stands as it is.
"""

import re

from roost.executors.template import SPOKEN_PREFIX
from roost.languages.placeholders import Placeholder, placeholders_in, replace_placeholders

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]")


def with_variables(script: str, has_items: bool) -> tuple[str, dict[str, str]]:
    """Return the script with ``${roost_item}`` for ``{item}`` and the like, and what each variable is to hold."""
    names: dict[Placeholder, str] = {}

    def variable(placeholder: Placeholder) -> str:
        if not _is_variable(placeholder):
            return str(placeholder)
        if placeholder not in names:
            names[placeholder] = _fresh_name(placeholder, set(names.values()))
        return f"${{{names[placeholder]}}}"

    replaced = replace_placeholders(script, variable, has_items)
    return replaced, {name: str(placeholder) for placeholder, name in names.items()}


def hidden_placeholder(script: str, has_items: bool) -> Placeholder | None:
    """Return a placeholder that stands in single quotes, where the shell puts no variable in place."""
    for part in _single_quoted(script):
        for placeholder in placeholders_in(part, has_items):
            if _is_variable(placeholder):
                return placeholder
    return None


def _is_variable(placeholder: Placeholder) -> bool:
    return placeholder.root in {"item", "needs", "inputs"}


def _fresh_name(placeholder: Placeholder, taken: set[str]) -> str:
    name = SPOKEN_PREFIX + _NOT_IN_NAMES.sub("_", "_".join((placeholder.root, *placeholder.path)))
    while name in taken:
        name += "_"
    return name


def _single_quoted(script: str) -> list[str]:
    """Return what stands in single quotes; ``$(...)`` begins afresh even inside double quotes."""
    parts: list[str] = []
    # What encloses the place that is looked at: '"' for double quotes, '(' for brackets.
    around: list[str] = []
    at = 0
    while at < len(script):
        character, quoted = script[at], around[-1:] == ['"']
        if character == "\\":
            at += 1
        elif character == '"':
            around.pop() if quoted else around.append('"')
        elif character == "'" and not quoted:
            end = script.find("'", at + 1)
            end = len(script) if end < 0 else end
            parts.append(script[at + 1 : end])
            at = end
        elif character == "(" and (not quoted or script[at - 1 : at] == "$"):
            around.append("(")
        elif character == ")" and around[-1:] == ["("]:
            around.pop()
        elif character == "#" and not quoted and (at == 0 or script[at - 1].isspace()):
            end = script.find("\n", at)
            at = len(script) if end < 0 else end
        at += 1
    return parts
