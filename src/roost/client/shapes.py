"""What a function takes and returns, as its annotations say: the types that ports of a workflow have.

Only what JSON knows too has a type. An annotation that says nothing of the kind, or cannot be understood, is anything.
"""

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NewType, is_typeddict

from roost.executors.worker.taking import type_of
from roost.model.errors import InvalidInput
from roost.model.task import PortType

#: How deep annotations are looked into.
_DEPTH_MAX: Final = 4
#: In this order: a truth value is a number in Python, and an enumeration may be text.
_CLASSES: Final[tuple[tuple[type | tuple[type, ...], PortType], ...]] = (
    (type(None), PortType.NULL),
    (bool, PortType.BOOLEAN),
    ((int, float), PortType.NUMBER),
    (str, PortType.STRING),
    ((list, tuple), PortType.ARRAY),
    (Mapping, PortType.OBJECT),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """The type of a value, and as far as it is known that of its items or fields."""

    type: PortType = PortType.ANY
    items: "Shape | None" = None
    fields: Mapping[str, "Shape"] | None = None
    #: Whether the node can see the type too; an object of a class is nothing that it knows.
    is_seen: bool = True

    @property
    def port_type(self) -> PortType:
        """What a port for it takes."""
        return self.type if self.is_seen else PortType.ANY

    def part(self, key: str) -> "Shape":
        """Return the shape of a field, or of an item."""
        if self.fields is not None and key in self.fields:
            return self.fields[key]
        return self.items or ANYTHING

    def accepts(self, given: "Shape") -> bool:
        """Whether a value of the given shape may be what this one asks for, as far as both are known."""
        return PortType.ANY in (self.type, given.type) or self.type == given.type


ANYTHING: Final = Shape()


class Signature:
    """The shapes of a function's parameters and of what it returns."""

    def __init__(self, function: Callable[..., Any]) -> None:
        hints = _hints(function)
        self.returns = shape_of(hints["return"]) if "return" in hints else ANYTHING
        self._by_name: dict[str, Shape] = {}
        self._by_place: list[tuple[str, Shape]] = []
        self._rest: tuple[str, Shape] | None = None
        self._other = ANYTHING
        self._signature = _signature(function)
        for parameter in self._signature.parameters.values() if self._signature is not None else ():
            self._take(parameter, shape_of(hints[parameter.name]) if parameter.name in hints else ANYTHING)

    def _take(self, parameter: inspect.Parameter, shape: Shape) -> None:
        match parameter.kind:
            case inspect.Parameter.VAR_POSITIONAL:
                self._rest = (parameter.name, shape)
            case inspect.Parameter.VAR_KEYWORD:
                self._other = shape
            case kind:
                self._by_name[parameter.name] = shape
                if kind is not inspect.Parameter.KEYWORD_ONLY:
                    self._by_place.append((parameter.name, shape))

    def check(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Raise InvalidInput if the function cannot be called like this: it would fail far from here, and later."""
        if self._signature is None:
            return
        try:
            self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise InvalidInput(f"'{name}' cannot be called so: {error}; it is {name}{self._signature}") from None

    def at(self, place: int) -> tuple[str, Shape]:
        """Return the name and the shape of a parameter by its place."""
        if place < len(self._by_place):
            return self._by_place[place]
        return self._rest or (f"argument {place + 1}", ANYTHING)

    def named(self, name: str) -> Shape:
        return self._by_name.get(name, self._other)


def shape_of(annotation: Any, depth: int = 0) -> Shape:
    """Return what an annotation says."""
    if depth > _DEPTH_MAX:
        return ANYTHING
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return shape_of(inner[0], depth + 1)
    if origin is typing.Literal:
        return _common(shape_of_value(value) for value in inner)
    if origin in (typing.Union, types.UnionType):
        return _common(shape_of(one, depth + 1) for one in inner)
    if isinstance(annotation, NewType):
        return shape_of(annotation.__supertype__, depth + 1)
    return _shape_of_class(origin or annotation, inner, depth)


def shape_of_value(value: Any) -> Shape:
    """Return the shape of a value that is there."""
    match value:
        case Mapping():
            return Shape(PortType.OBJECT, fields={str(key): Shape(type_of(inner)) for key, inner in value.items()})
        case list() | tuple():
            return Shape(PortType.ARRAY, _common(Shape(type_of(inner)) for inner in value))
        case _:
            return Shape(type_of(value))


def _shape_of_class(kind: Any, inner: tuple[Any, ...], depth: int) -> Shape:
    if kind is None:
        return Shape(PortType.NULL)
    if not isinstance(kind, type):
        return ANYTHING
    if is_typeddict(kind):
        hints = _hints(kind)
        return Shape(PortType.OBJECT, fields={name: shape_of(hint, depth + 1) for name, hint in hints.items()})
    for classes, found in _CLASSES:
        if issubclass(kind, classes):
            items = _items(inner, depth) if found is PortType.ARRAY else None
            return Shape(found, items)
    return Shape(PortType.OBJECT, is_seen=False) if dataclasses.is_dataclass(kind) else ANYTHING


def _items(inner: tuple[Any, ...], depth: int) -> Shape | None:
    return _common(shape_of(one, depth + 1) for one in inner if one is not Ellipsis) if inner else None


def _common(shapes: Iterable[Shape]) -> Shape:
    """Return the shape that all have, or anything."""
    found = list(shapes)
    if len({(shape.type, shape.is_seen) for shape in found}) != 1:
        return ANYTHING
    return found[0] if len(found) == 1 else Shape(found[0].type, is_seen=found[0].is_seen)


def _hints(annotated: Any) -> dict[str, Any]:
    """Return the annotations; those that name what is not there say nothing."""
    try:
        return typing.get_type_hints(annotated)
    except (NameError, TypeError, AttributeError, SyntaxError, ValueError):
        return {}


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        # Some functions written in C do not tell.
        return None
