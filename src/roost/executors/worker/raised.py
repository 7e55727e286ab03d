"""An exception as bytes: with its type, its arguments and notes, and what it was raised from.

Made in the worker and opened in the client, never in between. Pickling and unpickling an exception run its author's
code, which may raise, never end, or give far too much. So both are done once in the worker, where the element's time
limit counts; what does not come back as it was, or is too long, is not sent, and only its words are.
"""

import pickle
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import msgspec

from roost.model.limits import EXCEPTION_BYTES_MAX, EXCEPTION_CHAIN_MAX, KIB

_PICKLE_PROTOCOL: Final = 5
#: What a chain takes beside its exceptions, with plenty to spare.
_CHAIN_BYTES: Final = KIB
#: The version that pickles here: functions, and what classes hold by value, only the same can load.
PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"


#: The attributes themselves: a class may forbid setting any, as frozen dataclasses do.
_args: Final[Any] = vars(BaseException)["args"]
_cause: Final[Any] = vars(BaseException)["__cause__"]
_context: Final[Any] = vars(BaseException)["__context__"]
_is_sole: Final[Any] = vars(BaseException)["__suppress_context__"]


class _Link(msgspec.Struct, frozen=True, array_like=True):
    """One exception of a chain; its cause and its context are further ones, by their number."""

    pickled: bytes
    cause: int | None
    context: int | None
    suppresses_context: bool


class _Chain(msgspec.Struct, frozen=True, array_like=True):
    """The exception that was raised comes first."""

    python: str
    links: tuple[_Link, ...]


class _TooLongError(Exception):
    """More was pickled than there is room for."""


class _Sink:
    """Takes what a pickler writes, up to so many bytes."""

    def __init__(self, room: int) -> None:
        self.content = bytearray()
        self._room = room

    def write(self, data: Any) -> int:
        with memoryview(data) as view:
            if len(self.content) + view.nbytes > self._room:
                raise _TooLongError
            self.content += view
            return view.nbytes


def dump_raised(error: BaseException) -> bytes:
    """Return an exception with its causes; nothing if it cannot be sent. What cannot of its causes is left out."""
    room = EXCEPTION_BYTES_MAX - _CHAIN_BYTES
    pickled: dict[int, tuple[BaseException, bytes]] = {}
    waiting = [error]
    while waiting and len(pickled) < EXCEPTION_CHAIN_MAX:
        one = waiting.pop(0)
        data = b"" if id(one) in pickled else _dumped(one, room)
        if data:
            pickled[id(one)] = (one, data)
            room -= len(data)
            waiting += [other for other in (_cause_of(one), _context_of(one)) if other is not None]
        elif not pickled:
            return b""
    numbers = {name: number for number, name in enumerate(pickled)}
    links = tuple(
        _Link(data, numbers.get(id(_cause_of(one))), numbers.get(id(_context_of(one))), _is_sole.__get__(one))
        for one, data in pickled.values()
    )
    return msgspec.msgpack.encode(_Chain(PYTHON, links))


def load_raised(data: bytes) -> Exception | None:
    """Return an exception as it was raised; None if that cannot be done here."""
    try:
        chain = msgspec.msgpack.decode(data, type=_Chain)
    except msgspec.MsgspecError:
        return None
    if chain.python != PYTHON:
        return None
    errors = [_loaded(link.pickled) for link in chain.links]
    for number, link in enumerate(chain.links):
        _restore(errors, number, link)
    return errors[0] if errors and isinstance(errors[0], Exception) else None


def _restore(errors: list[BaseException | None], number: int, link: _Link) -> None:
    """Give an exception its cause and context back. Only those behind it: a circle would have no end."""
    error = errors[number]
    if error is None:
        return
    if link.cause is not None and number < link.cause < len(errors):
        _cause.__set__(error, errors[link.cause])
    if link.context is not None and number < link.context < len(errors):
        _context.__set__(error, errors[link.context])
    _is_sole.__set__(error, link.suppresses_context)


def add_cause(error: BaseException, cause: BaseException) -> None:
    """Put a cause behind all that an exception has."""
    for _ in range(EXCEPTION_CHAIN_MAX):
        before = _cause_of(error)
        if before is None:
            break
        error = before
    _cause.__set__(error, cause)


def _cause_of(error: BaseException) -> BaseException | None:
    cause: BaseException | None = _cause.__get__(error)
    return cause


def _context_of(error: BaseException) -> BaseException | None:
    context: BaseException | None = _context.__get__(error)
    return context


def _loaded(pickled: bytes) -> BaseException | None:
    try:
        error = pickle.loads(pickled)
    # Unpickling runs code of the user's: whatever it raises, SystemExit included, the words of the failure are left.
    except BaseException:  # noqa: BLE001
        return None
    return error if isinstance(error, BaseException) else None


def _dumped(error: BaseException, room: int) -> bytes:
    """Pickle one exception so that it can be loaded again; return nothing if that cannot be."""
    return _proved(error, error, room) or _proved(_Bare(error), error, room)


def _proved(thing: object, error: BaseException, room: int) -> bytes:
    try:
        data = _pickled(thing, room)
        is_whole = type(pickle.loads(data)) is type(error)
    # The boundary to code of the user's, see above.
    except BaseException:  # noqa: BLE001
        return b""
    return data if is_whole else b""


def _pickled(thing: object, room: int) -> bytes:
    """Pickle by name what others know by its name; a class of a script goes by value."""
    sink = _Sink(room)
    try:
        pickle.Pickler(sink, _PICKLE_PROTOCOL).dump(thing)
    except _TooLongError:
        raise
    except Exception:  # noqa: BLE001 - pickling runs code of the user's; the second attempt decides
        sink = _Sink(room)
        # Imported here because most workers never need it.
        import_module("cloudpickle").Pickler(sink, _PICKLE_PROTOCOL).dump(thing)
    return bytes(sink.content)


class _Bare:
    """An exception without its ``__init__``, which often takes other arguments than those that it keeps."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __reduce__(self) -> tuple[Callable[..., BaseException], tuple[Any, ...]]:
        return _built, (type(self._error), self._error.args, self._error.__dict__)


def _built(kind: type[BaseException], args: tuple[Any, ...], state: dict[str, Any]) -> BaseException:
    error: BaseException = kind.__new__(kind, *args)
    _args.__set__(error, args)
    error.__dict__.update(state)
    return error
