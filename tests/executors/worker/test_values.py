"""What the bytes of earlier results mean."""

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.executors.template import text_of
from roost.executors.worker.values import dataset_of, file_of, files_of, is_pickle, value_of
from roost.model.errors import InvalidInput
from roost.wire.values import CommandResult, encode_command_result, encode_item, is_json


@given(st.recursive(st.none() | st.integers() | st.text() | st.binary(), st.lists), st.integers(2, 5))
def test_a_pickle_is_known_and_opened(value: Any, protocol: int) -> None:
    data = pickle.dumps(value, protocol)
    assert is_pickle(data)
    assert not is_json(data)
    assert value_of(data) == value


@given(st.builds(CommandResult, stdout=st.binary(), stderr=st.binary(), duration_s=st.floats(0, 9)))
def test_a_commands_result_is_known_and_its_bytes_survive(result: CommandResult) -> None:
    data = encode_command_result(result)
    assert not is_pickle(data)
    assert value_of(data).encode(errors="surrogateescape") == result.stdout.removesuffix(b"\n")


def test_a_scripts_result_is_plain_values() -> None:
    assert value_of(b'{"a":[1,null,"x"]}') == {"a": [1, None, "x"]}
    assert value_of(b"-1.5") == -1.5


def _text(data: bytes) -> str:
    return text_of(value_of(data))


def test_text_is_itself_and_other_values_are_json() -> None:
    assert _text(pickle.dumps("a b")) == "a b"
    assert _text(pickle.dumps((1, None))) == "[1,null]"
    assert _text(b'"a b"') == "a b"
    assert _text(b'{"a":[1,null]}') == '{"a":[1,null]}'
    assert _text(encode_command_result(CommandResult(stdout=b"a\n\n"))) == "a\n"


def test_output_that_is_not_whole_is_no_input() -> None:
    cut = encode_command_result(CommandResult(stdout=b"a", stdout_whole=("ab", 9)))
    with pytest.raises(InvalidInput, match="longer than 64 KiB; hand it on as a file"):
        value_of(cut)


def test_a_file_that_a_person_handed_in_is_found_by_the_name_of_its_field() -> None:
    content = "ab" * 16
    picture = {"file": "pear.jpg", "content": content, "bytes": 7}
    answer = {"picture": picture, "good": True, "other": None}
    assert files_of(encode_item(answer)) == {"picture": (content, 7)}
    assert file_of(encode_item(answer), "picture") == content
    for wrong in ({"content": "../secret"}, {"bytes": -1}, {"more": 1}):
        assert files_of(encode_item({"picture": {**picture, **wrong}})) == {}
    assert files_of(b"[1]") == {}


def test_a_file_is_found_by_its_name() -> None:
    data = encode_command_result(CommandResult(files={"x": ("abc", 3)}))
    assert file_of(data, "x") == "abc"
    with pytest.raises(InvalidInput, match="leaves no file named 'y'; its files: x"):
        file_of(data, "y")
    with pytest.raises(InvalidInput, match="its files: none"):
        file_of(pickle.dumps(1), "y")
    with pytest.raises(InvalidInput, match="its files: none"):
        file_of(b'{"y":1}', "y")
    assert files_of(data) == {"x": ("abc", 3)}


def test_a_dataset_is_found_by_its_number() -> None:
    """LAN 4.4: the n-th output of a task is the n-th dataset after its TERMINATED."""
    data = encode_command_result(CommandResult(datasets=("11", "12")))
    assert [dataset_of(data, nth) for nth in (1, 2)] == ["11", "12"]
    with pytest.raises(InvalidInput, match="dataset 3 of the task before is wanted, but it has named 2"):
        dataset_of(data, 3)
    with pytest.raises(InvalidInput, match="it has named 0"):
        dataset_of(pickle.dumps(1), 1)
