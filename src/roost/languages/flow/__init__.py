"""YAML flow files: text in, the HTTP API's submission out, and for every mistake its line and the way out.

A flow is checked wholly before anything is sent, so that what can be wrong in the file is said at once and by line.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roost.languages.flow.flow import check_flow, open_flow

__all__ = ["check_flow", "open_flow"]


def __getattr__(name: str) -> Any:
    """Load the reader when it is first asked for: other languages share how mistakes are told, and not YAML."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("roost.languages.flow.flow"), name)
