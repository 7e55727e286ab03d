"""Functions that were pickled before: the same function, unchanged, need not be pickled for every call.

Pickling a function of a script takes longer than anything else that the client does for a call. Only plain functions
are remembered, of which it can be told in a moment that nothing about them has changed: no closure, no attributes, and
of their globals they name just modules and constants.
"""

from collections.abc import Callable, Iterator
from operator import is_
from types import CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

_CONSTANT = (int, float, complex, str, bytes, bool, type(None))


class FunctionCache:
    def __init__(self, dump: Callable[[FunctionType], bytes]) -> None:
        self._dump = dump
        self._known: WeakKeyDictionary[FunctionType, _Pickled] = WeakKeyDictionary()

    def dump(self, function: FunctionType) -> bytes:
        """Return the function pickled as it is now."""
        known = self._known.get(function)
        if known is not None and known.is_current(function):
            return known.content
        content = self._dump(function)
        if _is_plain(function):
            self._known[function] = _Pickled(function, content)
        return content


class _Pickled:
    """A plain function as it was when it was pickled, without holding on to it."""

    __slots__ = ("_names", "_parts", "_values", "content")

    def __init__(self, function: FunctionType, content: bytes) -> None:
        self.content = content
        self._names = tuple(_names_in(function.__code__))
        self._values = _values_of(function, self._names)
        self._parts = _parts_of(function)

    def is_current(self, function: FunctionType) -> bool:
        if not _is_bare(function) or _parts_of(function) != self._parts:
            return False
        # Identical, not only equal: 1 and True are equal, and are not the same to the function.
        now = _values_of(function, self._names)
        return len(now) == len(self._values) and all(map(is_, now, self._values))


_ABSENT = object()


def _values_of(function: FunctionType, names: tuple[str, ...]) -> list[object]:
    """Return its code, its defaults, and the globals that it may name."""
    known = function.__globals__
    return [function.__code__, *(function.__defaults__ or ()), *(known.get(name, _ABSENT) for name in names)]


def _parts_of(function: FunctionType) -> tuple[Any, ...]:
    return tuple(function.__annotations__.items()), function.__module__, function.__qualname__, function.__doc__


def _is_bare(function: FunctionType) -> bool:
    return not (function.__closure__ or function.__kwdefaults__ or function.__dict__)


def _is_plain(function: FunctionType) -> bool:
    _, *values = _values_of(function, tuple(_names_in(function.__code__)))
    return _is_bare(function) and all(
        value is _ABSENT or isinstance(value, ModuleType) or type(value) in _CONSTANT for value in values
    )


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the names that a function may look up among its globals, and some that it does not."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
