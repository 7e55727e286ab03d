"""From bytes to calls: functions, initializers and arguments, as they were pickled elsewhere."""

import io
import pickle
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from roost.executors.worker.arrivals import Arrivals, Unstarted
from roost.executors.worker.by_name import CallByName
from roost.model.errors import PeerError

Call: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
NO_ARGUMENTS: Final = pickle.dumps(((), {}))


class _Unpickler(pickle.Unpickler):
    """Fills in what only the node knows: values of ports, and the index."""

    def __init__(self, data: bytes, element: Unstarted, ports: Arrivals) -> None:
        super().__init__(io.BytesIO(data))
        self._element = element
        self._ports = ports

    def persistent_load(self, name: Any) -> Any:
        match name:
            case ("port", str(port)):
                return self._ports.value(port, self._element)
            case ("index",):
                return self._element[0]
        raise PeerError(f"the arguments hold a reference {name!r} that means nothing")


def load_call(data: bytes, element: Unstarted, ports: Arrivals) -> Call:
    """Return the arguments of an element, whatever they refer to."""
    call: Call = _Unpickler(data, element, ports).load()
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
        if isinstance(function, CallByName):
            function.refresh()
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
