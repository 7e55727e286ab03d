"""Workflows in Python: calls of task functions that are written down instead of made; results as arguments are edges.

    @roost.task
    def load(path): ...

    with roost.workflow("sums") as flow:
        tables = load.map(paths)          # an array: one element a path
        sizes = measure.map(tables)       # element by element
        total = add_up(sizes)             # gets the list of all
    print(flow.run().result(total))

In a plain call a single result arrives as it is, and an array as the list of its results. In a map an array goes
element by element, and a single result to every element. Handles may be nested in lists and dicts of arguments.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar, Token
from itertools import islice, repeat
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, overload

import msgspec

from roost.app.client.connect import needs_of, priority_of
from roost.app.client.flow_run import FlowRun, submit_flow
from roost.app.client.pickling import Code, dump_call, dump_function, name_of_function
from roost.model.errors import InvalidInput
from roost.model.limits import NAME_LENGTH_MAX
from roost.model.task import EdgeKind, Needs, Priority

if TYPE_CHECKING:
    from roost.app.client.pool import Pool

_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_ANY_NEEDS: Final = Needs()
_current: ContextVar["Workflow | None"] = ContextVar("roost_workflow", default=None)


class Handle:
    """Stands for the result of a call that has not been made. ``length`` is None for a single result."""

    def __init__(self, flow: "Workflow", name: str, length: int | None) -> None:
        self.flow = flow
        self.name = name
        self.length = length

    def __iter__(self) -> NoReturn:
        raise InvalidInput(f"the results of '{self.name}' are not there yet; go through them with a task's map()")

    def __reduce__(self) -> NoReturn:
        # Plain pickle gives up here, and the pickler that knows handles takes over.
        raise TypeError(
            f"'{self.name}' is the result of another workflow, or of none; run that first and pass its value"
        )

    def __repr__(self) -> str:
        return f"<result of {self.name}{'' if self.length is None else f', {self.length:,} elements'}>"


class Step(msgspec.Struct, frozen=True):
    """One task of a workflow, ready to be submitted. Edges name steps of the same workflow: (source, kind) -> port."""

    name: str
    code: Code
    length: int | None
    #: The arguments of each element, or those that all elements share.
    items: tuple[bytes, ...] | None
    arguments: bytes | None
    edges: dict[tuple[str, EdgeKind], str]
    needs: Needs
    priority: Priority
    retries: int


class TaskFunction:
    """A function that is called as usual, or written down when it is called inside a workflow."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        needs: Needs = _ANY_NEEDS,
        priority: Priority = Priority.LOW,
        retries: int = 0,
    ) -> None:
        self.function = function
        self.name = name or name_of_function(function)
        self.needs = needs
        self.priority = priority
        self.retries = retries
        self.__doc__ = function.__doc__
        self.__name__ = name_of_function(function)
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        flow = _flow_of((*args, *kwargs.values()))
        return self.function(*args, **kwargs) if flow is None else flow.call(self, args, kwargs)

    def map(self, *iterables: Any, **constants: Any) -> Any:
        """Call once for each item, or for each element of an array; the constants are the same for all."""
        flow = _flow_of((*iterables, *constants.values()))
        if flow is None:
            return [self.function(*args, **constants) for args in zip(*iterables, strict=False)]
        return flow.map(self, iterables, constants)

    def __repr__(self) -> str:
        return f"<roost.task {self.name}>"


def _flow_of(values: Iterable[Any]) -> "Workflow | None":
    return _current.get() or next((value.flow for value in values if isinstance(value, Handle)), None)


class _Ports:
    """The edges of one step, found while its arguments are pickled."""

    def __init__(self, flow: "Workflow") -> None:
        self._flow = flow
        self.edges: dict[tuple[str, EdgeKind], str] = {}

    def port_of(self, value: object) -> str | None:
        """A handle among the arguments: the whole of it arrives."""
        if not isinstance(value, Handle):
            return None
        return self.port(value, EdgeKind.BROADCAST if value.length is None else EdgeKind.ALL)

    def port(self, handle: Handle, kind: EdgeKind) -> str:
        if handle.flow is not self._flow:
            raise InvalidInput(f"'{handle.name}' belongs to another workflow; run that first and pass its value")
        return self.edges.setdefault((handle.name, kind), f"p{len(self.edges)}")


class _Element:
    """In the arguments of a map: the element of an array with the same index."""

    def __init__(self, handle: Handle) -> None:
        self.handle = handle

    def __reduce__(self) -> NoReturn:
        raise TypeError("only the pickler of a workflow takes this")


class Workflow:
    """The steps that were written down so far. Use it in a ``with`` block, then ``run`` it, as often as you like."""

    def __init__(self, name: str) -> None:
        if not name or len(name) > NAME_LENGTH_MAX:
            raise InvalidInput(f"a workflow needs a name of at most {NAME_LENGTH_MAX} characters")
        self.name = name
        self.steps: dict[str, Step] = {}
        self._entered: list[Token[Workflow | None]] = []

    def __enter__(self) -> Self:
        self._entered.append(_current.set(self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.reset(self._entered.pop())

    def call(self, task: TaskFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Handle:
        """Write down one call."""
        ports = _Ports(self)
        arguments = dump_call(args, kwargs, ports.port_of)
        return self._add(task, None, None, arguments, ports)

    def map(self, task: TaskFunction, iterables: tuple[Any, ...], constants: dict[str, Any]) -> Handle:
        """Write down an array of calls, as long as the shortest of the iterables and arrays."""
        arrays = [value.length for value in iterables if isinstance(value, Handle) and value.length is not None]
        ports = _Ports(self)
        if not iterables or all(isinstance(value, Handle) for value in iterables):
            if not arrays:
                raise InvalidInput(f"'{task.name}.map' needs at least one iterable or array, to know how often to call")
            args = tuple(_Element(value) if value.length is not None else value for value in iterables)
            arguments = dump_call(args, constants, _element_or(ports))
            return self._add(task, min(arrays), None, arguments, ports)
        columns = [_column(value) for value in iterables]
        rows: Iterator[tuple[Any, ...]] = zip(*columns, strict=False)
        if arrays:
            rows = islice(rows, min(arrays))
        items = tuple(dump_call(row, constants, _element_or(ports)) for row in rows)
        if not items:
            raise InvalidInput(
                f"'{task.name}.map' was given nothing to go through; an array needs at least one element"
            )
        return self._add(task, len(items), items, None, ports)

    def _add(
        self,
        task: TaskFunction,
        length: int | None,
        items: tuple[bytes, ...] | None,
        arguments: bytes | None,
        ports: _Ports,
    ) -> Handle:
        name = self._free_name(task.name)
        code = dump_function(task.function)
        self.steps[name] = Step(
            name, code, length, items, arguments, ports.edges, task.needs, task.priority, task.retries
        )
        return Handle(self, name, length)

    def _free_name(self, wanted: str) -> str:
        readable = _NOT_IN_A_NAME.sub("", wanted).lstrip("0123456789.-")[:50] or "task"
        if readable not in self.steps:
            return readable
        number = 2
        while f"{readable}-{number}" in self.steps:
            number += 1
        return f"{readable}-{number}"

    def submit(self, pool: "Pool | None" = None) -> FlowRun:
        """Hand the workflow in, whole; return its run as soon as the node has accepted it."""
        return submit_flow(self, pool)

    def run(self, pool: "Pool | None" = None, timeout: float | None = None) -> FlowRun:
        """Hand the workflow in and wait for its end, with a progress bar on a terminal."""
        run = self.submit(pool)
        run.wait(timeout)
        return run


def _column(value: Iterable[Any]) -> Iterable[Any]:
    if not isinstance(value, Handle):
        return value
    return repeat(value if value.length is None else _Element(value))


def _element_or(ports: _Ports) -> Callable[[object], str | None]:
    def port_of(value: object) -> str | None:
        return ports.port(value.handle, EdgeKind.EACH) if isinstance(value, _Element) else ports.port_of(value)

    return port_of


def workflow(name: str) -> Workflow:
    """Begin a workflow: ``with roost.workflow("name") as flow: ...``."""
    return Workflow(name)


@overload
def task(function: Callable[..., Any], /) -> TaskFunction: ...


@overload
def task(
    *,
    name: str | None = None,
    cpus: float = 1,
    memory: int | str | None = None,
    retries: int = 0,
    priority: str = "low",
    time_limit: float | str | None = None,
) -> Callable[[Callable[..., Any]], TaskFunction]: ...


def task(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    cpus: float = 1,
    memory: int | str | None = None,
    retries: int = 0,
    priority: str = "low",
    time_limit: float | str | None = None,
) -> TaskFunction | Callable[[Callable[..., Any]], TaskFunction]:
    """Make a function a step of workflows: ``@roost.task``, or ``@roost.task(cpus=2, retries=3)``.

    Outside a workflow it is the plain function. The options are those of ``roost.connect``.
    """

    def decorate(decorated: Callable[..., Any]) -> TaskFunction:
        return TaskFunction(decorated, name, needs_of(cpus, memory, time_limit), priority_of(priority), retries)

    return decorate if function is None else decorate(function)
