"""What people are shown: the results that arrive, as far as they can be shown."""

import base64
import pickle
from typing import Any

from roost.model.ids import RunId, TaskId, task_id
from roost.model.limits import SHOWN_BYTES_MAX, SHOWN_VALUES_MAX
from roost.model.ranges import RangeSet
from roost.wire.values import CommandResult, encode_command_result, encode_item
from tests.app.web.running_api import RunningApi

opened: list[str] = []


def note_opening() -> None:
    opened.append("here")


class Trap:
    def __reduce__(self) -> tuple[Any, ...]:
        return note_opening, ()


def shown(api: RunningApi, source: dict[str, Any], results: dict[int, bytes], **edge: Any) -> dict[str, Any]:
    """Return the port of a manual step to which these results of a source arrive."""
    run = submitted(api, source, **edge)
    for index, data in results.items():
        api.in_loop(api.service.finish, task_id(run, "source"), index, data)
    first, *_ = api.get("/v1/todo").json()["todo"]
    (port,) = first["show"]
    assert isinstance(port, dict)
    return port


def submitted(api: RunningApi, source: dict[str, Any], **edge: Any) -> RunId:
    form = {"title": "Look", "show": ["x"]}
    edges = [{"source": "source", "kind": "broadcast", "port": "x", **edge}]
    return api.submit({"name": "source", **source}, {"name": "look", "manual": form, "edges": edges})


def only(port: dict[str, Any]) -> dict[str, Any]:
    (value,) = port["values"]
    assert isinstance(value, dict)
    return value


def printed(text: str, **more: Any) -> bytes:
    return encode_command_result(CommandResult(text.encode(), **more))


def test_what_a_command_printed_is_text_and_its_files_can_be_fetched(api: RunningApi) -> None:
    (api.service.home / "cafe").write_bytes(b"abc")
    files = {"a picture": ("cafe", 3), "table": ("beef", 2048)}
    value = only(shown(api, {}, {0: printed("two\nlines\n", files=files, datasets=("7", "8"))}))
    assert (value["value"], value["cut"], value["datasets"]) == ("two\nlines", False, ["7", "8"])
    picture = value["files"]["a picture"]
    assert (picture["bytes"], picture["hash"], list(value["files"])) == (3, "cafe", ["a picture", "table"])
    assert api.get(picture["path"]).body == b"abc"


def test_a_picked_file_comes_alone(api: RunningApi) -> None:
    files = {"table": ("beef", 2048), "log": ("cafe", 1)}
    value = only(shown(api, {}, {0: printed("text", files=files)}, pick="table"))
    assert (value["value"], list(value["files"])) == (None, ["table"])


def test_parts_of_json_are_picked(api: RunningApi) -> None:
    value = only(shown(api, {}, {0: printed('{"a": [1, 2]}')}, pick="a"))
    assert value["value"] == [1, 2]


def test_what_has_no_such_part_says_so_and_hides_nothing_else(api: RunningApi) -> None:
    value = only(shown(api, {}, {0: printed("plain")}, pick="a"))
    assert value["problem"] == "the port 'x' takes the part 'a', and the text that arrived, 'plain', is not JSON"


def test_results_of_scripts_and_answers_are_json(api: RunningApi) -> None:
    script = {"script": {"code": "function weevil_main() {}"}}
    assert only(shown(api, script, {0: encode_item({"deep": [None, 1.5]})}))["value"] == {"deep": [None, 1.5]}


def test_a_python_value_is_not_opened(api: RunningApi) -> None:
    data = pickle.dumps(Trap())
    value = only(shown(api, {"function": {"call": "math:sqrt"}}, {0: data}, pick="a"))
    assert (value["value"], value["problem"]) == (None, "")
    assert base64.b64decode(value["pickle"]) == data
    assert opened == []


def test_a_large_python_value_is_named(api: RunningApi) -> None:
    data = pickle.dumps(b"x" * SHOWN_BYTES_MAX)
    value = only(shown(api, {"function": {"call": "math:sqrt"}}, {0: data}))
    assert value["problem"] == f"a Python value of {len(data):,} bytes; 'roost get' prints it"


def test_a_long_value_is_cut(api: RunningApi) -> None:
    value = only(shown(api, {}, {0: printed("x" * (SHOWN_BYTES_MAX + 9))}))
    assert (len(value["value"]), value["cut"]) == (SHOWN_BYTES_MAX, True)


def test_long_json_becomes_the_beginning_of_its_text(api: RunningApi) -> None:
    script = {"script": {"code": "function weevil_main() {}"}}
    value = only(shown(api, script, {0: encode_item(list(range(SHOWN_BYTES_MAX)))}))
    assert value["value"].startswith("[0,1,2,")
    assert (len(value["value"]), value["cut"]) == (SHOWN_BYTES_MAX, True)


def test_of_all_results_the_first_are_shown(api: RunningApi) -> None:
    many = SHOWN_VALUES_MAX + 5
    results = {index: printed(f"result {index}\n") for index in range(1, many + 1)}
    port = shown(api, {"array": f"1-{many}"}, results, kind="all")
    assert [value["index"] for value in port["values"]] == list(range(1, SHOWN_VALUES_MAX + 1))
    assert port["values"][1]["value"] == "result 2"
    assert port["more"] == 5


def test_what_is_on_another_node_is_brought_and_if_it_is_away_that_is_said(api: RunningApi) -> None:
    run = submitted(api, {"array": "1-2"}, kind="all")
    source = task_id(run, "source")
    for index in (1, 2):
        api.in_loop(api.service.finish, source, index, printed(f"{index}"))
    api.service.far[source] = RangeSet.of([2])
    assert [value["value"] for value in values(api)] == ["1", "2"]
    assert brought(api) == [source]
    api.service.far[source], api.service.is_away = RangeSet.of([2]), True
    assert [value["value"] for value in values(api)] == ["1", None]
    assert values(api)[1]["problem"] == f"the results of {source} are on elm, which is away"


def values(api: RunningApi) -> list[dict[str, Any]]:
    first, *_ = api.get("/v1/todo").json()["todo"]
    found: list[dict[str, Any]] = first["show"][0]["values"]
    return found


def brought(api: RunningApi) -> list[TaskId]:
    return [task for task, _ in api.service.brought]


def test_each_item_of_a_list_goes_to_its_element(api: RunningApi) -> None:
    form = {"title": "Look", "show": ["x"]}
    spread = {"source": "source", "kind": "spread", "port": "x"}
    run = api.submit(
        {"name": "source", "value": {"json": ["a", "b"]}}, {"name": "look", "manual": form, "edges": [spread]}
    )
    api.in_loop(api.service.finish, task_id(run, "source"), 0, encode_item(["a", "b"]))
    api.in_loop(api.service.ranges[task_id(run, "look")].update, {"ready": RangeSet.of([0, 1])})
    told = api.get("/v1/todo").json()["todo"]
    assert [only(one["show"][0])["value"] for one in told] == ["a", "b"]
