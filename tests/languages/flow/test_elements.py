from pathlib import Path

import pytest

from roost.languages.flow.elements import Elements, Room
from roost.model.errors import InvalidInput
from roost.model.limits import FLOW_ITEMS_MAX
from tests.languages.flow.flow_texts import refused_tasks, tasks_of


def test_an_array_names_its_indices() -> None:
    assert tasks_of("t: {command: a, array: '1-10:3'}")["t"]["array"] == "1,4,7,10"


def test_a_single_task_has_no_array() -> None:
    task = tasks_of("t: {command: a}")["t"]
    assert (task["array"], task["items"]) == (None, None)


def test_items_keep_their_types() -> None:
    task = tasks_of("t: {command: 'echo {item}', items: [a, 1, 2.5, '3', [x], {k: v}, no]}")["t"]
    assert task["items"] == ["a", 1, 2.5, "3", ["x"], {"k": "v"}, "no"]
    assert task["array"] is None


def test_items_may_have_indices_of_their_own() -> None:
    assert tasks_of("t: {command: 'echo {item}', items: [a, b], array: 5-6}")["t"]["array"] == "5-6"


def test_a_matrix_makes_every_combination_the_last_name_fastest() -> None:
    items = tasks_of("t: {command: 'x {item.a} {item.b}', matrix: {a: [1, 2], b: [x, y]}}")["t"]["items"]
    assert items == [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}, {"a": 2, "b": "y"}]


@pytest.mark.parametrize(
    ("name", "content", "items"),
    [
        ("names.txt", "ann\r\n\nbob \n", ["ann", "bob "]),
        ("bom.txt", "\ufeffann", ["ann"]),
        ("sizes.json", '[1, {"a": 2}]', [1, {"a": 2}]),
        ("rows.jsonl", '{"a": 1}\n\n"b"\n', [{"a": 1}, "b"]),
    ],
)
def test_items_come_from_a_file_beside_the_flow(tmp_path: Path, name: str, content: str, items: list[object]) -> None:
    (tmp_path / name).write_bytes(content.encode())
    assert tasks_of(f"t: {{command: 'x {{item}}', items_from: {name}}}", tmp_path)["t"]["items"] == items


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("no.txt", None, "there is no file 'no.txt'; names begin at the flow file's folder"),
        ("bad.txt", b"a\n\xff\n", "line 2 of 'bad.txt' is not UTF-8 text"),
        ("bad.json", b"[1,", "'bad.json' is not JSON"),
        ("deep.json", b"[" * 100_000, "'deep.json' is not JSON"),
        ("map.json", b"{}", "'map.json' holds no list"),
        ("bad.jsonl", b"1\nx\n", "line 2 of 'bad.jsonl' is not JSON"),
        ("empty.txt", b"\n\n", "is empty; an array needs at least one element"),
    ],
)
def test_a_file_of_items_that_cannot_be_used_is_refused(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    told = refused_tasks(f"t: {{command: 'x {{item}}', items_from: {name}}}", tmp_path)
    assert told.startswith("flow.yaml:2: 'items_from' of task 't'")
    assert message in told


@pytest.mark.parametrize("name", ["../names.txt", "/etc/passwd", "~/names.txt"])
def test_a_file_of_items_lies_in_the_folder_or_below(tmp_path: Path, name: str) -> None:
    (tmp_path / "names.txt").write_text("a\n")
    (tmp_path / "sub").mkdir()
    told = refused_tasks(f"t: {{command: 'x {{item}}', items_from: {name}}}", tmp_path / "sub")
    assert told.startswith(f"flow.yaml:2: 'items_from' of task 't': '{name}' leads out of the flow's folder")


def test_a_folder_is_no_file_of_items(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    assert "cannot be read" in refused_tasks("t: {command: 'x {item}', items_from: sub}", tmp_path)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("array: 200", "'array: 200' of task 't' is a single index; write 1-200 for 200 elements"),
        ("array: x-y", "'array' of task 't': 'x-y' is not a set of indices"),
        ("array: 9-1", "counts downwards"),
        ("array: 0-99999999999999999999", "is too large"),
        ("array: 0-999999999", "at most 100,000,000 are allowed"),
        ("array: [1]", "'array' of task 't' is a list; give the indices, for example 1-100"),
        ("items: abc", "'items' of task 't' is text; give a list"),
        ("items: []", "'items' of task 't' is empty"),
        ("items: [{item}]", "items are plain values"),
        ("items: [a], matrix: {a: [1]}", "task 't' has both 'items' and 'matrix'; keep one of them"),
        ("items: [a, b], array: 1-3", "task 't' has 3 indices but 2 items"),
        ("matrix: [1]", "'matrix' of task 't' is a list; give a map of lists"),
        ("matrix: {a: 1}", "give a list for 'a'"),
        ("matrix: {a b: [1]}", "'a b' cannot be a name"),
        ("matrix: {a: [1], b: []}", "is empty; an array needs at least one element"),
    ],
)
def test_elements_that_cannot_be_are_refused(task: str, message: str) -> None:
    told = refused_tasks(f"t: {{command: a, {task}}}")
    assert told.startswith("flow.yaml:2: ")
    assert message in told


def test_a_matrix_cannot_grow_without_end() -> None:
    axes = ", ".join(f"a{at}: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]" for at in range(12))
    assert "split it" in refused_tasks(f"t: {{command: a, matrix: {{{axes}}}}}")


def test_the_tasks_of_a_file_share_the_room_for_items() -> None:
    room = Room()
    room.take(FLOW_ITEMS_MAX, 0)
    with pytest.raises(InvalidInput, match="more than 1,000,000 items"):
        room.take(1, 0)


def test_only_keys_that_every_item_has_are_its_keys() -> None:
    assert Elements(items=[{"a": 1, "b": 2}, {"a": 3}]).item_keys == {"a"}
    assert Elements(items=[{"a": 1}, 3]).item_keys is None
    assert Elements().item_keys is None
