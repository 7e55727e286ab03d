"""Where a step of a workflow lies: once, in an array, or in a pool; and by which edges its arguments arrive there."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from roost.client.handles import Gather, Handle, Spread
from roost.client.shapes import Shape
from roost.executors.worker.taking import type_of
from roost.model.errors import InvalidInput
from roost.model.pools import POOL_DEPTH_MAX
from roost.model.task import EdgeKind, PortType


class Place(msgspec.Struct, frozen=True, gc=False):
    """As with handles: ``length`` is that of an array, or of the outermost mapper; None is one element."""

    length: int | None = None
    mappers: tuple[str, ...] = ()


#: The place of a single step.
ONCE: Final = Place()


class Arrival(msgspec.Struct, frozen=True):
    """How an argument arrives; the pickler puts a port in its place."""

    handle: Handle
    kind: EdgeKind
    pick: str = ""
    type: PortType = PortType.ANY

    def __reduce__(self) -> str:
        raise TypeError("only the pickler of a workflow takes this")


def place_of(name: str, values: Iterable[object]) -> Place | None:
    """Return where a map over these arguments lies: in the innermost of their pools, else in an array.

    None if they say nothing, for then there are only single results and plain items.
    """
    arguments = list(values)
    pools = [(_around(value), handle.length) for value in arguments if (handle := _pooled(value)) is not None]
    if pools:
        mappers, length = max(pools, key=lambda pool: len(pool[0]))
        if len(mappers) > POOL_DEPTH_MAX:
            raise InvalidInput(f"'{name}' would lie in {len(mappers)} pools; at most {POOL_DEPTH_MAX} may be nested")
        if mappers:
            return Place(length, mappers)
    arrays = [value.length for value in arguments if isinstance(value, Handle) and value.length is not None]
    gathered = [value.handle.length for value in arguments if isinstance(value, Gather)]
    if arrays or gathered:
        lengths = [length for length in (*arrays, *gathered) if length is not None]
        return Place(min(lengths) if lengths else None)
    return None


def _pooled(value: object) -> Handle | None:
    if isinstance(value, Spread | Gather):
        return value.handle
    return value if isinstance(value, Handle) and value.mappers else None


def _around(value: object) -> tuple[str, ...]:
    """Return the pools in which a call with this argument lies, as far as the argument says."""
    match value:
        case Spread(handle=handle):
            return (*handle.mappers, handle.name)
        case Gather(handle=handle):
            return handle.mappers[:-1]
        case Handle():
            return value.mappers
    return ()


def arrival_of(
    place: Place, name: str, parameter: str, value: object, wanted: Shape, *, is_map: bool
) -> Arrival | None:
    """Return how an argument of a plain call or of a map arrives; None for what is no result of another step."""
    if not isinstance(value, Handle | Spread | Gather):
        return None
    if is_map:
        return arrival_in(place, name, parameter, value, wanted)
    if not isinstance(value, Handle):
        raise InvalidInput(f"'{value.handle.name}' goes item by item; use '{name}.map'")
    return whole(place, name, parameter, value, wanted)


def arrival_in(place: Place, name: str, parameter: str, value: Handle | Spread | Gather, wanted: Shape) -> Arrival:
    """Return how an argument of a map arrives. Raise InvalidInput if it cannot, or is not what is wanted."""
    match value:
        case Spread(handle=handle, pick=pick):
            kind, fits = EdgeKind.SPREAD, handle.mappers == place.mappers[:-1] and handle.length == place.length
        case Gather(handle=handle):
            kind, pick, depth = EdgeKind.GATHER, handle.pick, len(place.mappers)
            fits = depth < len(handle.mappers) and handle.mappers[:depth] == place.mappers
            fits = fits and handle.length == place.length
        case Handle(mappers=(), length=None):
            return whole(place, name, parameter, value, wanted)
        case handle:
            kind, pick = EdgeKind.EACH, handle.pick
            fits = handle.mappers == place.mappers[: len(handle.mappers)]
            fits = fits and (not place.mappers or handle.length == place.length)
    if not fits:
        raise InvalidInput(
            f"'{handle.name}' does not lie where '{name}' would, and cannot go there element by element; gather it by "
            "passing it to a plain call first"
        )
    return _checked(value, Arrival(handle, kind, pick, wanted.port_type), name, parameter, wanted)


def whole(place: Place, name: str, parameter: str, handle: Handle, wanted: Shape) -> Arrival:
    """Return how a result arrives in a plain call, or wherever all of it is wanted: as it is, or as the list of all."""
    if handle.mappers and place.mappers:
        raise InvalidInput(
            f"'{name}' lies in a pool and takes all of '{handle.name}', which does, too; gather it by passing it to a "
            "plain call first"
        )
    single = handle.length is None and not handle.mappers
    kind = EdgeKind.BROADCAST if single else EdgeKind.ALL
    return _checked(handle, Arrival(handle, kind, handle.pick, wanted.port_type), name, parameter, wanted)


def check_constant(name: str, parameter: str, value: Any, wanted: Shape) -> None:
    """Raise InvalidInput for a constant that the annotation of its parameter rules out.

    None passes everywhere, because many write ``x: int = None``, and Python counts truth values as numbers.
    """
    if wanted.type is PortType.ANY:
        return
    given = type_of(value)
    is_usual = given is PortType.NULL or (given is PortType.BOOLEAN and wanted.type is PortType.NUMBER)
    if not is_usual and not wanted.accepts(Shape(given)):
        raise InvalidInput(
            f"'{parameter}' of '{name}' takes {wanted.type}, but is given {value!r:.40}; pass what it takes, or change "
            "its annotation"
        )


def _checked(value: Handle | Spread | Gather, arrival: Arrival, name: str, parameter: str, wanted: Shape) -> Arrival:
    """Raise InvalidInput if the annotations of the two functions contradict each other."""
    is_list = arrival.kind in {EdgeKind.ALL, EdgeKind.GATHER}
    given = value.handle.gives if isinstance(value, Gather) else value.gives
    takes = wanted
    if is_list:
        if wanted.type not in {PortType.ANY, PortType.ARRAY}:
            raise InvalidInput(
                f"'{parameter}' of '{name}' takes {wanted.type}, but gets the list of all results of "
                f"'{arrival.handle.name}'; let it take a list, or use map()"
            )
        # The node looks at each result, and the type of a list says nothing about those.
        takes = wanted.items or Shape()
        arrival = Arrival(arrival.handle, arrival.kind, arrival.pick)
    if not takes.accepts(given):
        what = f"items of {given.type}" if arrival.kind is EdgeKind.SPREAD else str(given.type)
        many = "a list of " if is_list else ""
        raise InvalidInput(
            f"'{arrival.handle.name}' gives {what}, but '{parameter}' of '{name}' takes {many}{takes.type}; make the "
            "two annotations the same"
        )
    return arrival
