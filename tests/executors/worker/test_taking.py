"""What a port takes of a result."""

import pickle
from typing import Any

import pytest

from roost.executors.worker.taking import Taking, fits, list_of, type_of
from roost.model.errors import InvalidInput
from roost.model.pools import POOL_ITEMS_MAX
from roost.model.task import PortType
from roost.wire.values import CommandResult, encode_command_result, encode_item

VALUES: dict[PortType, list[Any]] = {
    PortType.NUMBER: [0, 1.5, -3],
    PortType.STRING: ["", "x"],
    PortType.BOOLEAN: [True, False],
    PortType.ARRAY: [[], (1, 2)],
    PortType.OBJECT: [{}, {"a": 1}],
    PortType.NULL: [None],
}


def printed(text: str) -> bytes:
    return encode_command_result(CommandResult(stdout=text.encode() + b"\n"))


def refusal_of(taking: Taking, data: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        taking.value(data)
    return str(caught.value)


@pytest.mark.parametrize("wanted", list(VALUES))
def test_a_port_takes_values_of_its_type_and_no_others(wanted: PortType) -> None:
    for kind, values in VALUES.items():
        for value in values:
            assert type_of(value) is kind
            assert fits(value, wanted) == (kind is wanted), (value, wanted)


def test_a_port_without_a_type_takes_everything_and_undefined_is_null() -> None:
    assert fits(object(), PortType.ANY)
    assert type_of(object()) is PortType.ANY
    assert not fits(object(), PortType.OBJECT)
    assert fits(None, PortType.UNDEFINED)
    assert not fits(0, PortType.UNDEFINED)


@pytest.mark.parametrize("encoded", [pickle.dumps, encode_item])
def test_a_part_is_picked_by_its_name_or_its_number(encoded: Any) -> None:
    assert Taking("p", "a").value(encoded({"a": [1], "b": 2})) == [1]
    assert Taking("p", "1").value(encoded([5, "x"])) == "x"
    assert Taking("p", "7").value(encoded({"7": "a name, too"})) == "a name, too"


def test_the_type_is_that_of_the_part() -> None:
    taking = Taking("p", "n", PortType.NUMBER)
    assert taking.value(encode_item({"n": 2})) == 2
    assert refusal_of(taking, encode_item({"n": "2"})) == "the port 'p' takes Number, and String ('2') arrived"


@pytest.mark.parametrize("value", [{"b": 1}, [1], "a", None])
def test_a_part_that_is_not_there_is_missed_by_name(value: Any) -> None:
    assert "the port 'p' takes the part 'a', and" in refusal_of(Taking("p", "a"), encode_item(value))


@pytest.mark.parametrize("pick", ["2", "-1", "x"])
def test_an_item_that_a_list_lacks_is_missed(pick: str) -> None:
    assert f"takes the part '{pick}'" in refusal_of(Taking("p", pick), encode_item([1, 2]))


def test_what_a_command_printed_is_text_for_those_who_take_text() -> None:
    assert Taking("p").value(printed("5")) == "5"
    assert Taking("p", wanted=PortType.STRING).value(printed("5")) == "5"


def test_what_a_command_printed_is_json_for_those_who_take_something_else() -> None:
    assert Taking("p", wanted=PortType.NUMBER).value(printed("5")) == 5
    assert Taking("p", "a").value(printed('{"a": [null]}')) == [None]
    assert refusal_of(Taking("p", wanted=PortType.ARRAY), printed("five")) == (
        "the port 'p' takes Array, and the text that arrived, 'five', is not JSON"
    )
    assert "takes the part 'a', and the text that arrived" in refusal_of(Taking("p", "a"), printed("["))
    assert "is not JSON" in refusal_of(Taking("p", "0"), printed("[" * 100_000))


def test_text_of_functions_and_scripts_is_never_read_as_json() -> None:
    for data in (pickle.dumps("5"), encode_item("5")):
        assert "takes Number, and String ('5') arrived" in refusal_of(Taking("p", wanted=PortType.NUMBER), data)


@pytest.mark.parametrize("value", [[], (1, 2), range(3), [[1], {}]])
def test_a_pool_maps_lists(value: Any) -> None:
    assert list_of(pickle.dumps(value)) == list(value)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("", []),
        ("one", ["one"]),
        ("a\nb c", ["a", "b c"]),
        ("[1, [2], null]", [1, [2], None]),
        (" []", []),
        ("[not json", ["[not json"]),
        ('{"a": 1}', ['{"a": 1}']),
    ],
)
def test_of_a_command_a_pool_maps_a_json_array_or_the_lines(text: str, items: list[Any]) -> None:
    assert list_of(printed(text)) == items


@pytest.mark.parametrize("value", [None, 5, "text", {"a": 1}])
def test_what_is_no_list_cannot_be_mapped(value: Any) -> None:
    with pytest.raises(InvalidInput, match="a pool maps it; it must be a list"):
        list_of(pickle.dumps(value))


def test_a_list_that_fills_a_block_is_too_long() -> None:
    assert len(list_of(pickle.dumps(range(POOL_ITEMS_MAX)))) == POOL_ITEMS_MAX
    with pytest.raises(InvalidInput, match="its list has 1,048,576 items; a pool maps at most 1,048,575"):
        list_of(pickle.dumps(range(POOL_ITEMS_MAX + 1)))
