"""Results and items of commands come out as they went in; other bytes blame the peer."""

import contextlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import InvalidInput, PeerError
from roost.wire.values import (
    CommandResult,
    decode_command_result,
    decode_item,
    decode_variables,
    encode_command_result,
    encode_item,
    encode_variables,
    is_json,
    what_matters,
)

results = st.builds(
    CommandResult,
    st.binary(max_size=20),
    st.binary(max_size=20),
    st.none() | st.tuples(st.text(max_size=5), st.integers(0, 2**60)),
    st.none() | st.tuples(st.text(max_size=5), st.integers(0, 2**60)),
    st.floats(0, 1e6),
    st.integers(0, 2**60),
    st.lists(st.text(max_size=5), max_size=3).map(tuple),
    st.dictionaries(st.text(max_size=5), st.tuples(st.text(max_size=5), st.integers(0, 2**60)), max_size=2),
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(results)
def test_a_commands_result_is_read_back(result: CommandResult) -> None:
    assert decode_command_result(encode_command_result(result)) == result


def test_an_empty_result_is_tiny() -> None:
    assert encode_command_result(CommandResult()) == b"\x80"


def test_of_a_command_all_matters_that_others_can_take_and_nothing_else() -> None:
    made = CommandResult(b"42\n", b"slow", ("a", 9), ("b", 9), 0.5, 100, ("d",), {"f": ("c", 3)})
    same = CommandResult(b"42\n", b"", ("a", 9), None, 0.7, 200, ("d",), {"f": ("c", 3)})
    assert what_matters(encode_command_result(made)) == what_matters(encode_command_result(same))
    for change in ({"stdout": b"43\n"}, {"stdout_whole": ("e", 9)}, {"datasets": ()}, {"files": {"f": ("d", 3)}}):
        other = msgspec.structs.replace(made, **change)
        assert what_matters(encode_command_result(other)) != what_matters(encode_command_result(made))


@given(json_values)
def test_an_item_is_read_back(item: Any) -> None:
    assert decode_item(encode_item(item)) == item


@given(json_values, results)
def test_json_is_told_from_the_results_of_commands(value: Any, result: CommandResult) -> None:
    assert is_json(encode_item(value))
    assert not is_json(encode_command_result(result))
    assert not is_json(b"")


@given(st.binary(max_size=40))
def test_arbitrary_bytes_raise_only_peer_error(data: bytes) -> None:
    for read in (decode_command_result, decode_item):
        with contextlib.suppress(PeerError):
            read(data)


@pytest.mark.parametrize("data", [b"", b"\x91" * 10_000, b"[" * 100_000, b"\x81\xa6stdout\x01", b'"\xff"', b"1 2"])
def test_hostile_bytes_blame_the_peer(data: bytes) -> None:
    for read in (decode_command_result, decode_item):
        with pytest.raises(PeerError):
            read(data)


@pytest.mark.parametrize("item", ["\ud800", {(1, 2): 3}, object()])
def test_an_item_that_json_cannot_hold_is_refused(item: Any) -> None:
    with pytest.raises(InvalidInput, match="cannot be written as JSON"):
        encode_item(item)


def test_variables_come_out_as_they_went_in_and_their_order_does_not_count() -> None:
    variables = {b"B": b"\xff", b"A": b""}
    assert decode_variables(encode_variables(variables)) == variables
    assert encode_variables(variables) == encode_variables(dict(reversed(variables.items())))
    for strange in (b"", b"\x81\xa1A\x01", b"\xff", encode_item("text")):
        with pytest.raises(PeerError, match="not variables"):
            decode_variables(strange)


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({b"": b"x"}, "cannot be set"),
        ({b"A=B": b"x"}, "cannot be set"),
        ({b"A": b"\0"}, "cannot be set"),
        ({b"A": b"x" * 2**20}, "the limit is 1,048,576"),
    ],
)
def test_variables_that_no_environment_can_hold_are_refused(variables: dict[bytes, bytes], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        encode_variables(variables)
