"""How a port takes a result: the part that it picks, and the type that it wants (WEB 3.4).

What a command printed is text. A port that wants something else than text, or a part of it, reads it as JSON.
"""

import json
from collections.abc import Mapping
from numbers import Real
from typing import Any, Final

from roost.executors.worker.values import is_text_result, value_of
from roost.model.errors import InvalidInput
from roost.model.pools import POOL_ITEMS_MAX
from roost.model.task import PortType

_LISTS: Final = (list, tuple)


class Taking:
    """A port's wish; ``value`` gives what it gets of a result."""

    __slots__ = ("_port", "_type", "is_plain", "pick")

    def __init__(self, port: str, pick: str = "", wanted: PortType = PortType.ANY) -> None:
        self._port = port
        self.pick = pick
        self._type = wanted
        #: Whether it takes results as they are.
        self.is_plain = not pick and wanted is PortType.ANY

    def value(self, data: bytes) -> Any:
        """Return what arrives of a result. Raise InvalidInput if it has no such part, or is of another type."""
        value = value_of(data)
        return value if self.is_plain else self.of(value, is_text=is_text_result(data))

    def of(self, value: Any, *, is_text: bool = False) -> Any:
        """Return what arrives of a value; ``is_text``: a command printed it."""
        if is_text and (self.pick or self._type not in {PortType.ANY, PortType.STRING}):
            value = self._read(value)
        if self.pick:
            value = self._picked(value)
        if not fits(value, self._type):
            raise InvalidInput(f"the port '{self._port}' takes {self._type}, and {_described(value)} arrived")
        return value

    def _read(self, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            wanted = f"the part '{self.pick}'" if self.pick else self._type
            raise InvalidInput(
                f"the port '{self._port}' takes {wanted}, and the text that arrived, {text[:60]!r}, is not JSON"
            ) from None

    def _picked(self, value: Any) -> Any:
        try:
            if isinstance(value, Mapping):
                return value[self.pick]
            if isinstance(value, _LISTS) and self.pick.isdecimal():
                return value[int(self.pick)]
        except (KeyError, IndexError):
            pass
        raise InvalidInput(f"the port '{self._port}' takes the part '{self.pick}', and {_described(value)} has none")


def fits(value: Any, wanted: PortType) -> bool:
    """Whether a port of this type takes a value. What JavaScript calls undefined is null everywhere else."""
    found = type_of(value)
    return wanted in {PortType.ANY, found} or (wanted is PortType.UNDEFINED and found is PortType.NULL)


def check_returned(value: Any, wanted: PortType) -> None:
    """Raise InvalidInput if what was returned is not of the type that the job is said to return."""
    wrong = why_not_returned(value, wanted)
    if wrong is not None:
        raise InvalidInput(wrong)


def why_not_returned(value: Any, wanted: PortType) -> str | None:
    """Say in words why this is not what a job is said to return; None if it is."""
    return None if fits(value, wanted) else f"it is said to return {wanted}, and it returned {_described(value)}"


def type_of(value: Any) -> PortType:
    """Return the type of a value as a port sees it; ANY for what JSON does not know."""
    match value:
        case None:
            return PortType.NULL
        case bool():
            return PortType.BOOLEAN
        case Real():
            return PortType.NUMBER
        case str():
            return PortType.STRING
        case list() | tuple():
            return PortType.ARRAY
        case Mapping():
            return PortType.OBJECT
        case _:
            return PortType.ANY


def list_of(data: bytes) -> list[Any]:
    """Return the list that a result is, for a pool to map. Of a command it is a JSON array, or the lines it printed."""
    return list_from(value_of(data), is_text=is_text_result(data))


def list_from(value: Any, *, is_text: bool) -> list[Any]:
    """Return the list that a value is; ``is_text``: a command printed it."""
    if is_text:
        value = _lines(value)
    if not isinstance(value, (*_LISTS, range)):
        raise InvalidInput(f"its result is {_described(value)}, and a pool maps it; it must be a list")
    if len(value) > POOL_ITEMS_MAX:
        raise InvalidInput(f"its list has {len(value):,} items; a pool maps at most {POOL_ITEMS_MAX:,}")
    return list(value)


def _lines(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, list):
            return value
    return text.splitlines()


def _described(value: Any) -> str:
    kind = type_of(value)
    return f"a value of type {type(value).__name__}" if kind is PortType.ANY else f"{kind} ({repr(value)[:40]})"
