"""From bytes to calls: functions, initializers and arguments, as they were pickled elsewhere."""

import io
import pickle
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from roost.executors.worker.inputs import Unstarted
from roost.executors.worker.messages import SharedPort
from roost.executors.worker.values import value_of
from roost.model.errors import InvalidInput, PeerError
from roost.model.task import EdgeKind

Call: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
NO_ARGUMENTS: Final = pickle.dumps(((), {}))
#: Values of these types cannot be changed by one element under the feet of the next.
_IMMUTABLE: Final = (int, float, complex, bool, str, bytes, type(None))


class Ports:
    """What arrives at the ports of a lease. Elements get copies of their own, as if each ran alone."""

    def __init__(self, each: list[str], shared: list[tuple[SharedPort, list[bytes]]]) -> None:
        self._each = {port: at for at, port in enumerate(each)}
        self._shared = {port.port: (port.kind, values) for port, values in shared}
        self._constant: dict[str, Any] = {}

    def __bool__(self) -> bool:
        return bool(self._each or self._shared)

    def value(self, port: str, element: Unstarted) -> Any:
        at = self._each.get(port)
        if at is not None:
            return value_of(element[2][at])
        if port in self._constant:
            return self._constant[port]
        if port not in self._shared:
            raise InvalidInput(f"the arguments name the port '{port}', which the task does not have")
        kind, values = self._shared[port]
        if kind is EdgeKind.ALL:
            return [value_of(value) for value in values]
        value = value_of(values[0])
        if isinstance(value, _IMMUTABLE):
            self._constant[port] = value
        return value


class _Unpickler(pickle.Unpickler):
    """Fills in what only the node knows: values of ports, and the index."""

    def __init__(self, element: Unstarted, ports: Ports) -> None:
        super().__init__(io.BytesIO(element[1] or NO_ARGUMENTS))
        self._element = element
        self._ports = ports

    def persistent_load(self, name: Any) -> Any:
        match name:
            case ("port", str(port)):
                return self._ports.value(port, self._element)
            case ("index",):
                return self._element[0]
        raise PeerError(f"the arguments hold a reference {name!r} that means nothing")


def load_call(element: Unstarted, ports: Ports) -> Call:
    """Return the arguments of an element, whatever they refer to."""
    call: Call = _Unpickler(element, ports).load()
    return call


class Functions:
    """Functions and initializers by their key: loaded once, and initializers run once."""

    def __init__(self) -> None:
        self._functions: dict[str, Callable[..., Any]] = {}
        self._initialized: dict[str, BaseException | None] = {}

    def function(self, key: str, code: bytes) -> Callable[..., Any]:
        function = self._functions.get(key)
        if function is None:
            function = self._functions[key] = pickle.loads(code)
        return function

    def initialize(self, key: str, code: bytes) -> None:
        """Run an initializer unless this process has; raise what it raised, each time anew."""
        if key not in self._initialized:
            self._initialized[key] = _outcome(code)
        error = self._initialized[key]
        if error is not None:
            raise error

    def forget(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            self._functions.pop(key, None)


def _outcome(code: bytes) -> BaseException | None:
    try:
        pickle.loads(code)()
    # The boundary to code of the user's: whatever it raises, SystemExit included, is the outcome.
    except BaseException as error:  # noqa: BLE001
        return error
    return None
