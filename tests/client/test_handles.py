import pickle
from typing import TypedDict

import pytest

from roost.client.handles import Gather, Handle, Spread, handle_in, require_handle
from roost.client.shapes import ANYTHING, Shape, shape_of
from roost.client.workflow import Workflow
from roost.model.errors import InvalidInput
from roost.model.task import PortType


class Row(TypedDict):
    name: str
    sizes: list[int]


FLOW = Workflow("w")


def handle(annotation: object = object, mappers: tuple[str, ...] = ()) -> Handle:
    return Handle(FLOW, "rows", None, mappers, shape_of(annotation))


def test_a_part_of_a_result_is_named_by_a_key_or_a_number() -> None:
    part = handle(Row)["sizes"]
    assert (part.name, part.pick, part.gives.type) == ("rows", "sizes", PortType.ARRAY)
    assert handle(list[str])[2].pick == "2"
    assert handle(list[str])[2].gives == Shape(PortType.STRING)
    assert handle()["any"].gives == ANYTHING


@pytest.mark.parametrize(
    ("annotation", "key", "message"),
    [
        (Row, "nme", "gives nothing named 'nme'; did you mean 'name'?"),
        (int, "a", "gives Number, which has no parts"),
        (object, -1, "-1 cannot name a part"),
        (object, True, "True cannot name a part"),
        (object, slice(1), "cannot name a part"),
        (object, "", "has 1 to 64 characters"),
        (object, "x" * 65, "has 1 to 64 characters"),
    ],
)
def test_parts_that_cannot_be_are_refused(annotation: object, key: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message.replace("?", r"\?")):
        handle(annotation)[key]


def test_a_part_has_no_parts_and_is_no_list_to_spread() -> None:
    part = handle()["a"]
    with pytest.raises(InvalidInput, match="is a part already"):
        part["b"]
    with pytest.raises(InvalidInput, match="return the list by itself"):
        part.spread()


def test_only_a_list_can_be_spread_and_its_items_have_parts() -> None:
    spread = handle(list[Row]).spread()
    assert spread.gives.type is PortType.OBJECT
    assert (spread["name"].pick, spread["name"].gives.type) == ("name", PortType.STRING)
    with pytest.raises(InvalidInput, match="gives nothing named 'nme'"):
        spread["nme"]
    with pytest.raises(InvalidInput, match="only a list can be spread"):
        handle(str).spread()


def test_only_a_pool_can_be_gathered() -> None:
    assert isinstance(handle(mappers=("list",)).gather(), Gather)
    with pytest.raises(InvalidInput, match="is in no pool"):
        handle().gather()


def test_what_stands_for_a_result_cannot_be_gone_through_or_pickled() -> None:
    pooled = handle(mappers=("list",))
    for stand_in in (pooled, handle().spread()):
        with pytest.raises(InvalidInput, match="not there yet"):
            list(stand_in)
    with pytest.raises(InvalidInput, match="the result of 'rows' is not there yet; ask for it inside a function"):
        bool(pooled)
    with pytest.raises(InvalidInput, match="'x' is no result of a step"):
        require_handle("x")
    require_handle(pooled)
    for value in (pooled, pooled.gather(), handle().spread()):
        assert handle_in(value) is not None
        with pytest.raises(TypeError):
            pickle.dumps(value)
    assert handle_in(3) is None
    assert isinstance(handle().spread(), Spread)
    assert repr(pooled["a"]) == "<part 'a' of the result of rows, a pool>"
