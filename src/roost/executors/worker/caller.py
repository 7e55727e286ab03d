"""The thread that calls functions, element after element."""

import mmap
import os
import pickle
from collections.abc import Callable
from importlib import import_module
from time import monotonic
from typing import Any, Final

from roost.executors.worker.failures import failure_of
from roost.executors.worker.loading import NO_ARGUMENTS, Functions, load_call
from roost.executors.worker.mailbox import Mailbox, WorkerLease
from roost.executors.worker.messages import Failed
from roost.executors.worker.output import ElementLogs
from roost.executors.worker.place import variables
from roost.executors.worker.room import NoRoom
from roost.executors.worker.runner import LeaseRunner
from roost.executors.worker.stored import store
from roost.executors.worker.taking import list_of
from roost.model.errors import InvalidInput
from roost.model.limits import VALUE_BYTES_MAX

_PICKLE_PROTOCOL: Final = 5


class Caller(LeaseRunner):
    """Runs leases of functions."""

    def __init__(self, mailbox: Mailbox, functions: Functions, page: mmap.mmap, logs: ElementLogs) -> None:
        super().__init__(mailbox, page, logs)
        self._functions = functions

    def _run(self, lease: WorkerLease) -> None:
        mailbox = self._mailbox
        os.environ.update(variables(lease.task, lease.token, lease.lease))
        function: Callable[..., Any] | None = None
        shared = lease.arguments or NO_ARGUMENTS
        plain = not lease.ports
        pickled = _pickled_list if lease.is_mapped else _pickled
        for element, started in self._elements(lease):
            loaded = False
            try:
                if function is None:
                    function = self._prepare(lease)
                if not lease.first_attempt:
                    self._logs.forget_earlier()
                data = element[1] or shared
                args, kwargs = pickle.loads(data) if plain else load_call(data, element, lease.ports)
                loaded = True
                value = pickled(function(*args, **kwargs))
                self._logs.settle()
            # The boundary to code of the user's: whatever it raises, SystemExit included, fails its element only.
            except BaseException as error:  # noqa: BLE001
                if plain and not loaded and isinstance(error, pickle.UnpicklingError):
                    # The arguments refer to the index, which takes the slower way.
                    plain = False
                    lease.todo.appendleft(element)
                    continue
                if isinstance(error, NoRoom):
                    self._give_back(lease, element[0], str(error))
                    continue
                self._logs.collect_raw()
                mailbox.send(Failed(lease.lease, element[0], failure_of(error, monotonic() - started)))
            else:
                self._keep(lease, element[0], value)

    def _prepare(self, lease: WorkerLease) -> Callable[..., Any]:
        if lease.initializer is not None:
            self._functions.initialize(*lease.initializer)
        return self._functions.function(*lease.code)


def _pickled(result: Any) -> bytes:
    """Pickle a result; what only cloudpickle can (a lambda, a class of a script) goes that way.

    One that is too large to travel is kept as a file, and what stands for it travels.
    """
    try:
        value = pickle.dumps(result, _PICKLE_PROTOCOL)
    except Exception:  # noqa: BLE001 -- pickling runs code of the user's; the second attempt tells what is wrong
        value = _cloudpickled(result)
    return value if len(value) <= VALUE_BYTES_MAX else store(value)


def _pickled_list(result: Any) -> bytes:
    """Pickle a result that a pool maps; raise InvalidInput if it is no list."""
    value = _pickled(result)
    list_of(value)
    return value


def _cloudpickled(result: Any) -> bytes:
    # Imported here because most workers never need it.
    dumps = import_module("cloudpickle").dumps
    try:
        value: bytes = dumps(result, _PICKLE_PROTOCOL)
    except Exception as error:
        kind = type(result).__name__
        raise InvalidInput(f"its result, a value of type {kind}, cannot be pickled: {error}") from error
    return value
