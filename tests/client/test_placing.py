import pickle

import pytest

from roost.client.handles import Gather, Handle, Spread
from roost.client.placing import Arrival, Place, arrival_in, check_constant, place_of, whole
from roost.client.shapes import ANYTHING, Shape, shape_of
from roost.client.workflow import Workflow
from roost.model.errors import InvalidInput
from roost.model.task import EdgeKind, PortType

FLOW = Workflow("w")
SINGLE = Handle(FLOW, "single", None)
ARRAY = Handle(FLOW, "array", 3)
OUTER = Handle(FLOW, "outer", None, ("single",))
INNER = Handle(FLOW, "inner", None, ("single", "outer"))
OTHER = Handle(FLOW, "other", None, ("else",))
BELOW_ARRAY = Handle(FLOW, "below", 3, ("array",))


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([SINGLE], None),
        ([range(3)], None),
        ([ARRAY], Place(3)),
        ([SINGLE.spread()], Place(None, ("single",))),
        ([ARRAY.spread()], Place(3, ("array",))),
        ([OUTER], Place(None, ("single",))),
        ([OUTER.spread()], Place(None, ("single", "outer"))),
        ([OUTER, INNER], Place(None, ("single", "outer"))),
        ([INNER.gather()], Place(None, ("single",))),
        ([OUTER.gather()], Place(None)),
        ([BELOW_ARRAY.gather()], Place(3)),
        ([ARRAY, BELOW_ARRAY.gather()], Place(3)),
    ],
)
def test_a_map_lies_in_the_innermost_pool_of_its_arguments(values: list[object], place: Place | None) -> None:
    assert place_of("f", values) == place


def test_pools_are_nested_twice_at_most() -> None:
    with pytest.raises(InvalidInput, match="would lie in 3 pools; at most 2"):
        place_of("f", [INNER.spread()])


@pytest.mark.parametrize(
    ("place", "value", "kind"),
    [
        (Place(3), ARRAY, EdgeKind.EACH),
        (Place(2), ARRAY, EdgeKind.EACH),
        (Place(None, ("single",)), SINGLE.spread(), EdgeKind.SPREAD),
        (Place(None, ("single",)), SINGLE, EdgeKind.BROADCAST),
        (Place(None, ("single", "outer")), OUTER, EdgeKind.EACH),
        (Place(None, ("single",)), INNER.gather(), EdgeKind.GATHER),
        (Place(None), INNER.gather(), EdgeKind.GATHER),
        (Place(3, ("array",)), ARRAY, EdgeKind.EACH),
    ],
)
def test_arguments_of_a_map_arrive_element_by_element(
    place: Place, value: Handle | Spread | Gather, kind: EdgeKind
) -> None:
    assert arrival_in(place, "f", "x", value, ANYTHING).kind is kind


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (Place(None, ("single",)), OTHER),
        (Place(None, ("single",)), ARRAY),
        (Place(None, ("single",)), ARRAY.spread()),
        (Place(None, ("single",)), OUTER.gather()),
        (Place(None, ("else",)), INNER.gather()),
        (Place(2), BELOW_ARRAY.gather()),
    ],
)
def test_what_lies_elsewhere_cannot_go_along(place: Place, value: Handle | Spread | Gather) -> None:
    with pytest.raises(InvalidInput, match="cannot go there element by element"):
        arrival_in(place, "f", "x", value, ANYTHING)


def test_all_of_it_arrives_in_a_plain_call() -> None:
    assert whole(Place(), "f", "x", SINGLE, ANYTHING).kind is EdgeKind.BROADCAST
    assert whole(Place(), "f", "x", ARRAY, ANYTHING).kind is EdgeKind.ALL
    assert whole(Place(), "f", "x", INNER, ANYTHING).kind is EdgeKind.ALL
    with pytest.raises(InvalidInput, match="lies in a pool and takes all of 'inner'"):
        whole(Place(None, ("single",)), "f", "x", INNER, ANYTHING)


def giving(annotation: object, length: int | None = None) -> Handle:
    return Handle(FLOW, "maker", length, (), shape_of(annotation))


def test_annotations_that_agree_become_the_ports_type() -> None:
    assert whole(Place(), "f", "x", giving(int), Shape(PortType.NUMBER)).type is PortType.NUMBER
    assert whole(Place(), "f", "x", giving(int, 3), shape_of(list[float])).type is PortType.ANY
    place = Place(None, ("maker",))
    assert arrival_in(place, "f", "x", giving(list[str]).spread(), shape_of(str)).type is PortType.STRING


@pytest.mark.parametrize(
    ("value", "wanted", "message"),
    [
        (giving(str), int, "'maker' gives String, but 'x' of 'f' takes Number; make the two annotations the same"),
        (giving(str, 3), list[int], "'maker' gives String, but 'x' of 'f' takes a list of Number"),
        (giving(int, 3), int, "'x' of 'f' takes Number, but gets the list of all results of 'maker'"),
    ],
)
def test_annotations_that_contradict_each_other_are_refused_with_both_names(
    value: Handle, wanted: object, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        whole(Place(), "f", "x", value, shape_of(wanted))


def test_items_are_looked_at_as_well() -> None:
    with pytest.raises(InvalidInput, match="'maker' gives items of String, but 'x' of 'f' takes Number"):
        arrival_in(Place(None, ("maker",)), "f", "x", giving(list[str]).spread(), shape_of(int))


def test_an_arrival_is_for_the_pickler_of_a_workflow_only() -> None:
    with pytest.raises(TypeError, match="only the pickler"):
        pickle.dumps(Arrival(SINGLE, EdgeKind.EACH))


@pytest.mark.parametrize(
    ("value", "annotation"),
    [(1, float), (True, int), (None, int), ("x", str), ([1], list[str]), ({"a": 1}, dict), (b"x", str), (1, object)],
)
def test_a_constant_passes_that_the_annotation_does_not_rule_out(value: object, annotation: object) -> None:
    check_constant("f", "x", value, shape_of(annotation))


@pytest.mark.parametrize(("value", "annotation"), [("1", int), (1, str), (1, bool), ([1], str), ({}, list)])
def test_a_constant_is_refused_that_the_annotation_rules_out(value: object, annotation: object) -> None:
    with pytest.raises(InvalidInput, match=r"'x' of 'f' takes \w+, but is given .*; pass what it takes, or change"):
        check_constant("f", "x", value, shape_of(annotation))
