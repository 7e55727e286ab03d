"""The arguments of a script: a JSON array with placeholders, filled for each element and handed over as text."""

import json
from typing import Any, Final

import msgspec

from roost.executors.template import Hole, IndexHole, ItemHole, PortHole, joined
from roost.executors.worker.arrivals import Arrivals, Unstarted
from roost.model.errors import InvalidInput

_NONE: Final = b"[]"


class ScriptArguments:
    """Read once for a lease; ``text`` is then cheap for each of its elements."""

    def __init__(self, template: bytes | None, ports: Arrivals) -> None:
        parts: list[str | Hole] = []
        _write(json.loads(template or _NONE), parts)
        self._parts = joined(parts)
        self._ports = ports
        self._kept: dict[str, str] = {}

    def text(self, element: Unstarted) -> str:
        """Return the JSON text of an element's arguments. Raise InvalidInput if what arrived has no JSON form."""
        return "".join([self._filled(part, element) for part in self._parts])

    def _filled(self, part: str | Hole, element: Unstarted) -> str:
        match part:
            case ItemHole():
                return (element[1] or b"null").decode()
            case PortHole(port):
                return self._arrived(port, element)
            case str():
                return part
            case _:
                return str(element[0])

    def _arrived(self, port: str, element: Unstarted) -> str:
        text = self._kept.get(port)
        if text is None:
            text = json_text(port, self._ports.value(port, element))
            if self._ports.same_for_all(port):
                self._kept[port] = text
        return text


def json_text(port: str, value: Any) -> str:
    """Write what arrived at a port as JSON, in ASCII: halves of surrogate pairs cross as escapes only."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=msgspec.to_builtins)
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise InvalidInput(f"what arrives at the port '{port}' has no JSON form: {error}") from None


def _write(value: Any, parts: list[str | Hole]) -> None:
    match value:
        case {"item": True, **rest} if not rest:
            parts.append(ItemHole())
        case {"index": True, **rest} if not rest:
            parts.append(IndexHole())
        case {"port": str(port), **rest} if not rest:
            parts.append(PortHole(port))
        case dict():
            for at, (key, inner) in enumerate(value.items()):
                parts.append(f"{',' if at else '{'}{json.dumps(key)}:")
                _write(inner, parts)
            parts.append("}" if value else "{}")
        case list():
            for at, inner in enumerate(value):
                parts.append("," if at else "[")
                _write(inner, parts)
            parts.append("]" if value else "[]")
        case _:
            parts.append(json.dumps(value))
