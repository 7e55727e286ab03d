"""The arguments of a function that is called by name: JSON with placeholders, turned into pickles.

``{"item": true}`` is replaced here, once for each element. ``{"port": name}`` and ``{"index": true}`` are known only
where the element runs; they become persistent ids of the pickle, which the worker resolves.
"""

import pickle
from io import BytesIO
from typing import Any

from roost.model.errors import InvalidInput
from roost.model.limits import VALUE_DEPTH_MAX
from roost.model.visible import quoted


class _Late:
    """Stands for a value that only the worker knows."""

    def __init__(self, *persistent_id: str) -> None:
        self.persistent_id = persistent_id


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> tuple[str, ...] | None:
        return value.persistent_id if type(value) is _Late else None


class CallArguments:
    """Checked once for a task; ``pickled`` is then made for each of its elements."""

    def __init__(self, arguments: list[Any], keywords: dict[str, Any], ports: frozenset[str]) -> None:
        """Raise InvalidInput if a placeholder names a port that is not among ``ports``."""
        self._arguments = arguments
        self._keywords = keywords
        self._ports = ports
        self.uses_item = False
        self._filled(None)

    def pickled(self, item: Any = None) -> bytes:
        """Return the pickle of (args, kwargs), with ``item`` wherever the item is asked for."""
        buffer = BytesIO()
        _Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(self._filled(item))
        return buffer.getvalue()

    def _filled(self, item: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args = tuple(self._read(value, item, 0) for value in self._arguments)
        return args, {name: self._read(value, item, 0) for name, value in self._keywords.items()}

    def _read(self, value: Any, item: Any, depth: int) -> Any:
        if depth > VALUE_DEPTH_MAX:
            raise InvalidInput(f"lists and objects are nested more than {VALUE_DEPTH_MAX} deep")
        match value:
            case {"port": str(port), **rest} if not rest:
                if port not in self._ports:
                    raise InvalidInput(f"there is no edge with the port {quoted(port)}")
                return _Late("port", port)
            case {"index": True, **rest} if not rest:
                return _Late("index")
            case {"item": True, **rest} if not rest:
                self.uses_item = True
                return item
            case dict():
                return {key: self._read(inner, item, depth + 1) for key, inner in value.items()}
            case list():
                return [self._read(inner, item, depth + 1) for inner in value]
        return value
