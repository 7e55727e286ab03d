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
A list whose length is known only at run time makes a pool: ``measure.map(names.spread())``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar, Token
from itertools import islice, repeat
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, overload

import msgspec

from roost.client.flow_run import FlowRun, submit_flow
from roost.client.handles import Gather, Handle, Spread, handle_in, require_handle
from roost.client.pickling import (
    Code,
    StandIns,
    dump_call,
    dump_function,
    dump_variables,
    hash_of,
    name_of_function,
)
from roost.client.placing import ONCE, Arrival, Place, arrival_of, check_constant, place_of, whole
from roost.client.requirements import length_of, needs_of, priority_of, retries_of
from roost.client.shapes import ANYTHING, Shape, Signature
from roost.executors.worker.raised import PYTHON
from roost.model.errors import InvalidInput
from roost.model.ids import BlobHash, TaskId
from roost.model.limits import NAME_LENGTH_MAX
from roost.model.task import Edge, EdgeKind, Function, Needs, PortType, Priority, Work

if TYPE_CHECKING:
    from roost.client.pool import Pool

_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_ANY_NEEDS: Final = Needs()
#: What stands for results among arguments.
_STAND_INS: Final[frozenset[type]] = frozenset({Arrival, Handle, Spread, Gather})
_current: ContextVar["Workflow | None"] = ContextVar("roost_workflow", default=None)


class Options(msgspec.Struct, frozen=True):
    """What a step takes while it runs."""

    needs: Needs = _ANY_NEEDS
    priority: Priority = Priority.LOW
    retries: int = 0
    #: True: nothing but its inputs decides its results. False: they are never taken over.
    reuse: bool | None = None
    length_s: float | None = None


_USUAL: Final = Options()


class WorkflowStep(msgspec.Struct, frozen=True, gc=False):
    """One task of a workflow, ready to be submitted."""

    name: str
    work: Work
    place: Place
    #: By the names of steps, as long as there is no run.
    edges: tuple[Edge, ...] = ()
    options: Options = _USUAL
    #: The input of each element, if they have inputs of their own.
    items: tuple[bytes, ...] | None = None
    blobs: dict[BlobHash, bytes] = {}
    #: The result, if it is known already.
    result: bytes | None = None


class TaskFunction:
    """A function that is called as usual, or written down when it is called inside a workflow."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        options: Options = _USUAL,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.function = function
        self.name = name or name_of_function(function)
        self.options = options
        self.env = env
        self._signature: Signature | None = None
        self.__doc__ = function.__doc__
        self.__name__ = name_of_function(function)
        self.__wrapped__ = function

    @property
    def signature(self) -> Signature:
        if self._signature is None:
            self._signature = Signature(self.function)
        return self._signature

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        flow = flow_of((*args, *kwargs.values()))
        return self.function(*args, **kwargs) if flow is None else flow.call(self, args, kwargs)

    def map(self, /, *iterables: Any, **constants: Any) -> Any:
        """Call once for each item, or for each element of an array; the constants are the same for all."""
        flow = flow_of((*iterables, *constants.values()))
        if flow is None:
            return [self.function(*args, **constants) for args in zip(*iterables, strict=False)]
        return flow.map(self, iterables, constants)

    def __repr__(self) -> str:
        return f"<roost.task {self.name}>"


def flow_of(values: Iterable[Any]) -> "Workflow | None":
    """Return the workflow that is being written down, or the one that a handle belongs to."""
    handles = (handle_in(value) for value in values)
    return _current.get() or next((handle.flow for handle in handles if handle is not None), None)


class Ports:
    """The edges of one step, found while its arguments are pickled."""

    def __init__(self, flow: "Workflow", name: str, place: Place) -> None:
        self._flow = flow
        self._name = name
        self._place = place
        #: The ports by what arrives there: the same part of the same result arrives once.
        self._ports: dict[tuple[str, EdgeKind, str, PortType], str] = {}
        self._edges: list[Edge] = []

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(self._edges)

    @property
    def stand_ins(self) -> StandIns:
        return StandIns(_STAND_INS, self._port_of)

    def _port_of(self, value: "Arrival | Handle | Spread | Gather") -> str:
        """A handle somewhere among the arguments: the whole of it arrives."""
        if isinstance(value, Arrival):
            return self.port(value)
        if isinstance(value, Spread | Gather):
            raise InvalidInput(f"'{value.handle.name}' goes item by item as an argument of a map(), not inside others")
        return self.port(whole(self._place, self._name, "", value, ANYTHING))

    def port(self, arrival: Arrival, name: str | None = None) -> str:
        """Return the port at which this arrives; it has a ``name`` if the step's own text names it."""
        handle = arrival.handle
        if handle.flow is not self._flow:
            raise InvalidInput(f"'{handle.name}' belongs to another workflow; run that first and pass its value")
        key = (handle.name, arrival.kind, arrival.pick, arrival.type)
        known = self._ports.get(key) if name is None else None
        if known is not None:
            return known
        port = self._ports[key] = name or f"p{len(self._edges)}"
        self._edges.append(Edge(TaskId(handle.name), arrival.kind, port, arrival.pick, arrival.type))
        return port


class Workflow:
    """The steps that were written down so far. Use it in a ``with`` block, then ``run`` it, as often as you like."""

    def __init__(self, name: str) -> None:
        if not name or len(name) > NAME_LENGTH_MAX:
            raise InvalidInput(f"a workflow needs a name of at most {NAME_LENGTH_MAX} characters")
        self.name = name
        self.steps: dict[str, WorkflowStep] = {}
        #: The handles whose results are the workflow's.
        self.finals: tuple[Handle, ...] = ()
        #: The last number that was put behind each name.
        self._numbers: dict[str, int] = {}
        #: What functions find in their environment, by what their tasks declare.
        self._variables: dict[TaskFunction, Code] = {}
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
        task.signature.check(task.name, args, kwargs)
        place = ONCE
        ports = Ports(self, task.name, place)
        arguments = dump_call(*_wholes(task, place, args, kwargs), ports.stand_ins)
        return self._add_call(task, place, None, arguments, ports)

    def map(self, task: TaskFunction, iterables: tuple[Any, ...], constants: dict[str, Any]) -> Handle:
        """Write down an array of calls, as long as the shortest of the iterables and arrays, or a pool of them."""
        task.signature.check(task.name, iterables, constants)
        place = place_of(task.name, iterables)
        if all(handle_in(value) is not None for value in iterables):
            if place is None:
                raise InvalidInput(
                    f"'{task.name}.map' needs at least one iterable or array, to know how often to call; "
                    "of a list that another step returns, take result.spread()"
                )
            ports = Ports(self, task.name, place)
            arguments = dump_call(*_elements(task, place, iterables, constants), ports.stand_ins)
            return self._add_call(task, place, None, arguments, ports)
        if place is not None and place.mappers:
            raise InvalidInput(
                f"'{task.name}.map' goes through a pool, whose length is known only at run time, so that no items can "
                "go beside it; make them a roost.value and spread it too"
            )
        return self._map_items(task, place or ONCE, iterables, constants)

    def _map_items(
        self, task: TaskFunction, place: Place, iterables: tuple[Any, ...], constants: dict[str, Any]
    ) -> Handle:
        ports = Ports(self, task.name, place)
        args, kwargs = _elements(task, place, iterables, constants)
        rows: Iterator[tuple[Any, ...]] = zip(*map(_column, args), strict=False)
        if place.length is not None:
            rows = islice(rows, place.length)
        stand_ins = ports.stand_ins
        items = tuple(dump_call(row, kwargs, stand_ins) for row in rows)
        if not items:
            raise InvalidInput(
                f"'{task.name}.map' was given nothing to go through; an array needs at least one element"
            )
        return self._add_call(task, Place(len(items)), items, None, ports)

    def final(self, *handles: Handle) -> None:
        """Say which results are the workflow's; without this, those that feed no other step."""
        for handle in handles:
            require_handle(handle)
            if handle.flow is not self:
                raise InvalidInput(f"'{handle.name}' belongs to another workflow")
            if handle.pick:
                raise InvalidInput(f"{handle} is a part; name the whole result as final")
        self.finals = handles

    def _add_call(
        self, task: TaskFunction, place: Place, items: tuple[bytes, ...] | None, arguments: bytes | None, ports: Ports
    ) -> Handle:
        code = dump_function(task.function)
        variables = self._variables.get(task)
        if variables is None:
            variables = self._variables[task] = dump_variables(task.env)
        blobs = {code.blob: code.content, variables.blob: variables.content}
        shared = None
        if arguments is not None:
            shared = hash_of(arguments)
            blobs[shared] = arguments
        work = Function(code.blob, PYTHON, code.name, shared, variables=variables.blob)
        return self.add(task.name, work, place, ports, task.options, task.signature.returns, items=items, blobs=blobs)

    def add(
        self,
        wanted_name: str,
        work: Work,
        place: Place,
        ports: Ports | None = None,
        options: Options = _USUAL,
        gives: Shape = ANYTHING,
        *,
        items: tuple[bytes, ...] | None = None,
        blobs: dict[BlobHash, bytes] | None = None,
        result: bytes | None = None,
    ) -> Handle:
        """Write a step down under a name of its own."""
        name = self._free_name(wanted_name)
        edges = () if ports is None else ports.edges
        self.steps[name] = WorkflowStep(name, work, place, edges, options, items, blobs or {}, result)
        return Handle(self, name, place.length, place.mappers, gives)

    def _free_name(self, wanted: str) -> str:
        readable = _NOT_IN_A_NAME.sub("", wanted).lstrip("0123456789.-")[:50] or "task"
        if readable not in self.steps:
            return readable
        number = self._numbers.get(readable, 1) + 1
        while f"{readable}-{number}" in self.steps:
            number += 1
        self._numbers[readable] = number
        return f"{readable}-{number}"

    def submit(
        self,
        pool: "Pool | None" = None,
        *,
        resume: bool = False,
        quorum: bool = False,
        policy: str | None = None,
    ) -> FlowRun:
        """Hand the workflow in, whole; return its run as soon as the node has accepted it.

        ``resume``: each element takes over what the same element of the same step did in an earlier run with
        ``resume`` of this workflow, if nothing that it is made of changed. ``quorum``: its results count when most of
        the machines hold them that are there now. ``policy`` names the one by which nodes choose its steps.
        """
        return submit_flow(self, pool, resume=resume, quorum=quorum, policy=policy)

    def run(
        self,
        pool: "Pool | None" = None,
        timeout: float | None = None,
        *,
        resume: bool = False,
        quorum: bool = False,
        policy: str | None = None,
    ) -> FlowRun:
        """Hand the workflow in and wait for its end, with a progress bar on a terminal."""
        run = self.submit(pool, resume=resume, quorum=quorum, policy=policy)
        run.wait(timeout)
        return run


def _wholes(
    task: TaskFunction, place: Place, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a plain call, with what is known of how each handle arrives."""

    def arriving(value: Any, parameter: str, wanted: Shape) -> Any:
        arrival = arrival_of(place, task.name, parameter, value, wanted, is_map=False)
        if arrival is None:
            check_constant(task.name, parameter, value, wanted)
        return arrival or value

    signature = task.signature
    return (
        tuple(arriving(value, *signature.at(at)) for at, value in enumerate(args)),
        {name: arriving(value, name, signature.named(name)) for name, value in kwargs.items()},
    )


def _elements(
    task: TaskFunction, place: Place, args: tuple[Any, ...], constants: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a map: those by place go element by element, those by name are the same for all."""
    signature = task.signature
    by_place = tuple(
        arrival_of(place, task.name, signature.at(at)[0], value, signature.at(at)[1], is_map=True) or value
        for at, value in enumerate(args)
    )
    return by_place, _wholes(task, place, (), constants)[1]


def _column(value: Any) -> Iterable[Any]:
    return repeat(value) if isinstance(value, Arrival) else value


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
    length: float | str | None = None,
    require: str | None = None,
    reuse: bool | None = None,
    env: Mapping[str, str] | None = None,
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
    length: float | str | None = None,
    require: str | None = None,
    reuse: bool | None = None,
    env: Mapping[str, str] | None = None,
) -> TaskFunction | Callable[[Callable[..., Any]], TaskFunction]:
    """Make a function a step of workflows: ``@roost.task``, or ``@roost.task(cpus=2, retries=3)``.

    Outside a workflow it is the plain function. The options are those of ``roost.connect``; with ``reuse`` true the
    function is pure, and a call takes over the result of any earlier one with the same arguments; false: it never does.
    """

    needs = needs_of(cpus, memory, time_limit, require)
    options = Options(needs, priority_of(priority), retries_of(retries), reuse, length_of(length))

    def decorate(decorated: Callable[..., Any]) -> TaskFunction:
        return TaskFunction(decorated, name, options, env)

    return decorate if function is None else decorate(function)
