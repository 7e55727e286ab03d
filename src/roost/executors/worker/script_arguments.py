"""The arguments of a script: a JSON array with placeholders, filled for each element and handed over as text."""

import json
from typing import Any, Final, TypeAlias

import msgspec

from roost.executors.worker.arrivals import Arrivals, Unstarted
from roost.model.errors import InvalidInput


class ItemHole(msgspec.Struct, frozen=True):
    """``{"item": true}``"""


class IndexHole(msgspec.Struct, frozen=True):
    """``{"index": true}``"""


class PortHole(msgspec.Struct, frozen=True):
    """``{"port": name}``"""

    port: str


Part: TypeAlias = str | ItemHole | IndexHole | PortHole
_NONE: Final = b"[]"


class ScriptArguments:
    """Read once for a lease; ``text`` is then cheap for each of its elements."""

    def __init__(self, template: bytes | None, ports: Arrivals) -> None:
        parts: list[Part] = []
        _write(json.loads(template or _NONE), parts)
        self._parts = _joined(parts)
        self._ports = ports
        self._kept: dict[str, str] = {}

    def text(self, element: Unstarted) -> str:
        """Return the JSON text of an element's arguments. Raise InvalidInput if what arrived has no JSON form."""
        return "".join([part if isinstance(part, str) else self._filled(part, element) for part in self._parts])

    def _filled(self, hole: ItemHole | IndexHole | PortHole, element: Unstarted) -> str:
        match hole:
            case ItemHole():
                return (element[1] or b"null").decode()
            case IndexHole():
                return str(element[0])
            case PortHole(port):
                return self._arrived(port, element)

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


def _write(value: Any, parts: list[Part]) -> None:
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


def _joined(parts: list[Part]) -> list[Part]:
    """Merge neighbouring texts."""
    result: list[Part] = []
    for part in parts:
        if isinstance(part, str) and result and isinstance(result[-1], str):
            result[-1] += part
        else:
            result.append(part)
    return result
