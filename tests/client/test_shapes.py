from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, NewType, TypedDict, TypeVar

import pytest

from roost.client.shapes import ANYTHING, Shape, Signature, shape_of, shape_of_value
from roost.model.errors import InvalidInput
from roost.model.task import PortType

T = TypeVar("T")
Metres = NewType("Metres", float)


class Row(TypedDict):
    name: str
    sizes: list[int]


@dataclass
class Point:
    x: float


class Pair(NamedTuple):
    left: int


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("annotation", "found"),
    [
        (int, "Number"), (float, "Number"), (bool, "Boolean"), (str, "String"), (None, "null"), (list, "Array"),
        (tuple, "Array"), (list[int], "Array"), (tuple[int, str], "Array"), (dict, "Object"),
        (dict[str, int], "Object"),
        (Mapping[str, int], "Object"), (Row, "Object"), (Point, "Object"), (Pair, "Array"), (Colour, "String"),
        (Metres, "Number"), (Annotated[int, "m"], "Number"), (Literal["a", "b"], "String"), (Literal["a", 1], ""),
        (int | float, "Number"), (int | None, ""), (Any, ""), (T, ""), (object, ""), (bytes, ""),
        (Iterable[int], ""), (Sequence[int], ""), (set, ""), (complex, ""), (Callable[[], int], ""), ("text", ""),
    ],
)  # fmt: skip
def test_an_annotation_says_what_json_knows_too(annotation: Any, found: str) -> None:
    assert shape_of(annotation).type == found


def test_items_and_fields_are_known_as_far_as_they_are_annotated() -> None:
    assert shape_of(list[str]).items == Shape(PortType.STRING)
    assert shape_of(tuple[int, ...]).items == Shape(PortType.NUMBER)
    assert shape_of(tuple[int, str]).items == ANYTHING
    assert shape_of(list).items is None
    assert shape_of(Row).part("name") == Shape(PortType.STRING)
    assert shape_of(Row).part("sizes").items == Shape(PortType.NUMBER)
    assert shape_of(list[str]).part("0") == Shape(PortType.STRING)
    assert shape_of(list[list[list[list[list[list[int]]]]]]).type is PortType.ARRAY


def test_objects_of_a_class_are_nothing_that_the_node_sees() -> None:
    assert (shape_of(Point).type, shape_of(Point).port_type) == (PortType.OBJECT, PortType.ANY)
    assert shape_of(Row).port_type is PortType.OBJECT


def test_values_have_shapes_too() -> None:
    assert shape_of_value([1, 2.5]).items == Shape(PortType.NUMBER)
    assert shape_of_value([1, "a"]).items == ANYTHING
    assert shape_of_value([]).items == ANYTHING
    assert shape_of_value({"a": [1]}).part("a").type is PortType.ARRAY
    assert shape_of_value(None).type is PortType.NULL


def plain(a: int, /, b: str, *rest: float, c: bool = True, **others: dict[str, int]) -> list[int]:
    return [a]


def test_parameters_are_known_by_place_and_by_name() -> None:
    signature = Signature(plain)
    assert signature.at(0) == ("a", Shape(PortType.NUMBER))
    assert signature.at(1) == ("b", Shape(PortType.STRING))
    assert signature.at(7) == ("rest", Shape(PortType.NUMBER))
    assert signature.named("c").type is PortType.BOOLEAN
    assert signature.named("d").type is PortType.OBJECT
    assert signature.returns.items == Shape(PortType.NUMBER)


@pytest.mark.parametrize("function", [sum, len, print, dict, partial(plain, 1), Signature])
def test_functions_that_say_nothing_take_anything(function: Any) -> None:
    assert Signature(function).at(0)[1] == ANYTHING


def test_annotations_that_name_what_is_not_there_say_nothing() -> None:
    def lost(x: "Nowhere") -> "Nothing":  # type: ignore[name-defined]  # noqa: F821 - that is what is tested
        return x

    assert Signature(lost).at(0) == ("x", ANYTHING)
    assert Signature(lost).at(3) == ("argument 4", ANYTHING)


def test_a_call_that_the_function_cannot_take_is_refused_with_how_it_is_called() -> None:
    def add(a: int, b: int = 2, *, scale: float = 1) -> float:
        return (a + b) * scale

    signature = Signature(add)
    signature.check("add", (1, 2), {"scale": 3})
    for args, kwargs, told in (
        ((), {}, "missing a required argument: 'a'"),
        ((1, 2, 3), {}, "too many positional arguments"),
        ((1,), {"c": 3}, "got an unexpected keyword argument 'c'"),
    ):
        with pytest.raises(InvalidInput) as caught:
            signature.check("add", args, kwargs)
        assert str(caught.value) == (
            f"'add' cannot be called so: {told}; it is add(a: int, b: int = 2, *, scale: float = 1) -> float"
        )
    Signature(type).check("type", (1, 2, 3, 4), {})
