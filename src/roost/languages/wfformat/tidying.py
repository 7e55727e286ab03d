"""Documents of programs that write null for what is not there, numbers as text, or numbers as ids."""

from typing import Any, Final

#: Properties that hold text, or lists of it.
_TEXTS: Final = frozenset(
    {"id", "name", "parents", "children", "inputFiles", "outputFiles", "program", "arguments", "link"}
)


def tidied(value: Any, key: str = "") -> Any:
    """Return a document without nulls in its maps, and with text where text belongs."""
    match value:
        case dict():
            return {name: tidied(inner, name) for name, inner in value.items() if inner is not None}
        case list():
            return [tidied(inner, key) for inner in value]
        case int() | float() if key in _TEXTS and not isinstance(value, bool):
            return str(value)
    return value
