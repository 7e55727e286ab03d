"""The arguments of a script, filled for each element."""

import datetime as dt
import json
import pickle
from typing import Any

import pytest

from roost.executors.order import EachPort, SharedInput
from roost.executors.worker.arrivals import Arrivals, Unstarted
from roost.executors.worker.script_arguments import ScriptArguments, json_text
from roost.model.errors import InvalidInput
from roost.model.task import EdgeKind
from roost.wire.values import CommandResult, encode_command_result


def filled(arguments: Any, item: Any = None, each: dict[str, bytes] | None = None, index: int = 7) -> Any:
    each = each or {}
    element: Unstarted = (index, None if item is None else json.dumps(item).encode(), tuple(each.values()))
    ports = Arrivals([EachPort(port, ()) for port in each], [])
    return json.loads(ScriptArguments(json.dumps(arguments).encode(), ports).text(element))


def test_placeholders_are_filled_wherever_they_stand() -> None:
    arguments = [{"item": True}, {"a": [{"index": True}, {"item": True}], "b": {}}, [], "text", None, 1.5]
    assert filled(arguments, {"x": "é😀"}) == [{"x": "é😀"}, {"a": [7, {"x": "é😀"}], "b": {}}, [], "text", None, 1.5]


def test_what_only_looks_like_a_placeholder_is_a_value() -> None:
    arguments = [{"item": 1}, {"item": True, "more": 1}, {"index": "x"}, {"port": 5}]
    assert filled(arguments) == arguments


def test_without_arguments_there_are_none() -> None:
    assert ScriptArguments(None, Arrivals([], [])).text((0, None, ())) == "[]"


def test_results_of_every_kind_of_work_arrive_as_json() -> None:
    each = {
        "function": pickle.dumps({"n": (1, 2)}),
        "command": encode_command_result(CommandResult(stdout=b"a\xff\n")),
        "script": b'{"s":[null]}',
    }
    assert filled([{"port": port} for port in each], each=each) == [{"n": [1, 2]}, "a\udcff", {"s": [None]}]


def test_what_all_elements_share_is_written_once() -> None:
    ports = Arrivals([], [SharedInput("all", EdgeKind.ALL, "key", (b"1", pickle.dumps("x")))])
    arguments = ScriptArguments(b'[{"port": "all"}]', ports)
    assert arguments.text((0, None, ())) == '[[1,"x"]]'
    ports._shared.clear()
    assert arguments.text((1, None, ())) == '[[1,"x"]]'


def test_values_with_a_json_form_of_their_own_have_that() -> None:
    assert json_text("p", {"day": dt.date(2026, 1, 2), 3: {1}}) == '{"day":"2026-01-02","3":[1]}'


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], object(), {(1, 2): 3}, lambda: None])
def test_what_has_no_json_form_is_refused_by_the_name_of_its_port(value: Any) -> None:
    with pytest.raises(InvalidInput, match="what arrives at the port 'p' has no JSON form"):
        json_text("p", value)


def test_a_list_that_holds_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(InvalidInput, match="has no JSON form"):
        json_text("p", value)
