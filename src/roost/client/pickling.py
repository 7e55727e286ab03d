"""Python values to bytes: functions with everything they close over, arguments as fast as possible.

Plain pickle comes first, because it is several times faster. It cannot take what lives in the script itself
(``__main__``) or a lambda; cloudpickle can, by value.
"""

import hashlib
import io
import pickle
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import FunctionType
from typing import Any, Final, NamedTuple

import cloudpickle  # type: ignore[import-untyped]  # it has no types

from roost.client.function_cache import FunctionCache
from roost.client.shipping import Fingerprint, Parcel, SearchPath, client_path, current_folder
from roost.languages.environment import declared_variables
from roost.model.errors import InvalidInput
from roost.model.ids import BlobHash
from roost.model.limits import FUNCTION_BYTES_MAX, KIB, VALUE_BYTES_MAX

_PROTOCOL = 5
#: An object of a class of the script itself is pickled by name, and no other process knows it by that name.
_OF_THE_SCRIPT = b"__main__"

#: Larger functions are not held on to when their call has left.
_REMEMBERED_BYTES_MAX = 64 * KIB

_fingerprint = Fingerprint()


class StandIns(NamedTuple):
    """Objects among arguments that stand for what only the node will know: of these types, each with its port."""

    types: frozenset[type]
    port_of: Callable[[Any], str]


_NONE: Final = StandIns(frozenset(), str)


class Code(NamedTuple):
    """A pickled function under the hash of its bytes, with the name people know it by."""

    blob: BlobHash
    content: bytes
    name: str


def dump_variables(env: Mapping[str, str] | None = None) -> Code:
    """Pack the variables that functions of this process find where they run."""
    content = declared_variables(env)
    return Code(hash_of(content), content, "variables")


def dump_function(function: Callable[..., Any]) -> Code:
    """Pickle a function as it is now, with its globals and closure, and the folders its modules are found in."""
    name = name_of_function(function)
    try:
        pickled = _dump_function(function)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"the function '{name}' cannot be sent: {error}") from error
    folder = current_folder()
    path = _path(tuple(sys.path), folder)
    pack = _pack_once if len(pickled) <= _REMEMBERED_BYTES_MAX else _pack
    return pack(pickled, path, folder, _fingerprint.of(path.own), name)


def _pack(pickled: bytes, path: SearchPath, folder: str, modules: str, name: str) -> Code:
    content = pickle.dumps(Parcel(pickled, path, folder, modules), protocol=_PROTOCOL)
    if len(content) > FUNCTION_BYTES_MAX:
        raise InvalidInput(
            f"the function '{name}' with all it refers to is {len(content):,} bytes, more than {FUNCTION_BYTES_MAX:,}; "
            "pass large data as an argument, or load it inside the function"
        )
    return Code(hash_of(content), content, name)


# Calls of one function follow each other.
_pack_once = lru_cache(maxsize=2)(_pack)


def _dump_function(function: Callable[..., Any]) -> bytes:
    if isinstance(function, FunctionType) and not cloudpickle.list_registry_pickle_by_value():
        return _functions.dump(function)
    return _by_value(function)


def _by_value(function: Callable[..., Any]) -> bytes:
    pickled: bytes = cloudpickle.dumps(function, protocol=_PROTOCOL)
    return pickled


_functions = FunctionCache(_by_value)


def dump_call(args: tuple[Any, ...], kwargs: dict[str, Any], stand_ins: StandIns | None = None) -> bytes:
    """Pickle the arguments of one call; raise InvalidInput if they cannot be sent."""
    try:
        data = _dump((args, kwargs), stand_ins)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"the arguments of this call cannot be sent: {error}") from error
    if stand_ins is not None and len(data) > VALUE_BYTES_MAX // 2:
        raise InvalidInput(
            f"the constants of one call of a workflow are {len(data):,} bytes, more than {VALUE_BYTES_MAX // 2:,}; "
            "make them the result of a step, or put them into a file and pass its name"
        )
    return data


def _dump(call: object, stand_ins: StandIns | None) -> bytes:
    if not cloudpickle.list_registry_pickle_by_value():
        try:
            data = pickle.dumps(call, protocol=_PROTOCOL) if stand_ins is None else _dumped(_Plain, call, stand_ins)
        except (pickle.PicklingError, TypeError, AttributeError):
            return _dumped(_ByValue, call, stand_ins or _NONE)
        if _OF_THE_SCRIPT not in data:
            return data
    return _dumped(_ByValue, call, stand_ins or _NONE)


def _dumped(pickler: "type[_Plain | _ByValue]", call: object, stand_ins: StandIns) -> bytes:
    buffer = io.BytesIO()
    pickling = pickler(buffer, protocol=_PROTOCOL)
    pickling.types, pickling.port_of = stand_ins
    pickling.dump(call)
    return buffer.getvalue()


class _WithStandIns:
    """A pickler that puts a persistent id in the place of every object that stands for another."""

    types: frozenset[type]
    port_of: Callable[[Any], str]

    def persistent_id(self, obj: Any) -> tuple[str, str] | None:
        return ("port", self.port_of(obj)) if type(obj) in self.types else None


class _Plain(_WithStandIns, pickle.Pickler):
    """Takes what other processes know by its name."""


class _ByValue(_WithStandIns, cloudpickle.Pickler):  # type: ignore[misc]  # cloudpickle's pickler has no types
    """Takes what lives in the script itself, too."""


def load(data: bytes) -> Any:
    """Unpickle a result. It was made by the caller's own function, on a node that the caller trusts with it."""
    return pickle.loads(data)


def hash_of(content: bytes) -> BlobHash:
    return BlobHash(hashlib.blake2b(content, digest_size=16).hexdigest())


def name_of_function(function: Callable[..., Any]) -> str:
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__name__", None) or type(function).__name__


@lru_cache(maxsize=8)
def _path(_searched: tuple[str, ...], _folder: str) -> SearchPath:
    """Return client_path(), which depends on just these two and costs a look at every folder."""
    return client_path()
