"""Which elements have the same key, and which do not."""

import pickle
from pathlib import Path

import msgspec

from roost.executors.order import EachPort, Order, SharedInput
from roost.executors.reuse.fingerprints import Keyed, Keys
from roost.model.ids import BlobHash, TaskId
from roost.model.segments import pack
from roost.model.task import Command, EdgeKind, Function, Needs, Priority, Reuse
from roost.wire.values import encode_item
from tests.executors.lab import Orders, script_of

COMMAND = Command(("true",))
FUNCTION, CODE = Function(BlobHash("c"), "3.11", arguments=BlobHash("a")), pickle.dumps(len)


def keys(order: Order) -> list[bytes]:
    return [entry.key for entry in keyed(order).entries.values()]


def keyed(order: Order) -> Keyed:
    return Keys().of_order(order)


def calls(count: int, arguments: bytes = b"", each: tuple[EachPort, ...] = ()) -> Order:
    return Orders().make(FUNCTION, count, each=each, blobs=((BlobHash("c"), CODE), (BlobHash("a"), arguments)))


def test_names_needs_and_attempts_do_not_count() -> None:
    order = Orders().make(COMMAND, 2)
    spec = msgspec.structs.replace(
        order.spec,
        id=TaskId("9-other/name"),
        needs=Needs.of(2.0, 5, 3.0),
        priority=Priority.INTERACTIVE,
        retries=4,
    )
    other = Orders().make(COMMAND, 2, token=7, lane=3)
    assert keys(msgspec.structs.replace(other, spec=spec)) == keys(order)


def test_elements_that_nothing_else_tells_apart_have_their_index() -> None:
    for order in (Orders().make(COMMAND, 3), calls(3)):
        assert len(set(keys(order))) == 3


def test_items_may_change_their_places_unless_the_work_asks_for_the_index() -> None:
    items = [encode_item(word) for word in ("a", "b")]

    def both(command: Command) -> tuple[list[bytes], list[bytes]]:
        return keys(Orders().make(command, 2, items=items)), keys(Orders().make(command, 2, items=items[::-1]))

    before, after = both(COMMAND)
    assert before == after[::-1]
    before, after = both(Command(("true", "{i}")))
    assert len({*before, *after}) == 4


def test_inputs_of_functions_may_change_their_places_unless_they_get_the_index() -> None:
    each = EachPort("p", (pack(0, [b"1", b"1"]),))
    assert len(set(keys(calls(2, each=(each,))))) == 1
    assert len(set(keys(calls(2, b"..index..", (each,))))) == 2


def test_what_arrives_counts() -> None:
    def with_input(value: bytes) -> list[bytes]:
        shared = SharedInput("p", EdgeKind.BROADCAST, value.decode(), (value,))
        return keys(Orders().make(COMMAND, shared=(shared,)))

    assert with_input(b"1") == with_input(b"1") != with_input(b"2")


def test_a_file_that_changes_changes_the_key_and_is_named(tmp_path: Path) -> None:
    tool = tmp_path / "tool.sh"
    order = Orders().make(Command(("sh", "tool.sh"), str(tmp_path)))
    tool.write_text("one")
    first = keyed(order)
    tool.write_text("two")
    second = keyed(order)
    assert first.entries[0].key != second.entries[0].key
    assert first.entries[0].parts["file tool.sh"] != second.entries[0].parts["file tool.sh"]
    assert first.files[str(tool)] != second.files[str(tool)]


def test_files_of_single_elements_are_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    items = [encode_item("a"), encode_item("b")]
    found = keyed(Orders().make(Command(("cat", "{item}"), str(tmp_path)), 2, items=items))
    assert found.own_files[0][f"{tmp_path}/a"] is not None
    assert found.own_files[1] == {f"{tmp_path}/b": None}


def test_the_code_and_the_arguments_of_scripts_count() -> None:
    def key(code: str, *arguments: object) -> bytes:
        work, blobs = script_of(code, *arguments)
        (found,) = keys(Orders().make(work, blobs=blobs))
        return found

    assert len({key("a", 1), key("b", 1), key("a", 2)}) == 3
    assert key("a", 1) == key("a", 1)


def test_a_program_of_the_node_s_own_folder_counts_with_its_content(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("one")
    order = Orders().make(Command(("tool",), program="tool"))
    first = Keys(tmp_path).of_order(order).entries[0]
    (tmp_path / "tool").write_text("two")
    assert Keys(tmp_path).of_order(order).entries[0].key != first.key
    assert "file tool" in first.parts


def by_place(order: Order, workflow: str, task: str = "1-kedova/draw") -> list[bytes]:
    spec = msgspec.structs.replace(order.spec, id=TaskId(task), reuse=Reuse.RESUMED)
    entries = Keys().of_order(msgspec.structs.replace(order, spec=spec), workflow).entries
    return [entry.key for entry in entries.values()]


def test_by_place_no_element_has_the_key_of_another_whatever_its_inputs() -> None:
    order = Orders().make(COMMAND, 2, items=[encode_item("same")] * 2)
    assert len(set(keys(order))) == 1, "by content they are alike"
    one = by_place(order, "pi of flow.yaml")
    assert len(set(one)) == 2
    assert by_place(order, "pi of flow.yaml", "2-lamiso/draw") == one, "the run does not count"
    others = by_place(order, "pi of other.yaml") + by_place(order, "pi of flow.yaml", "1-kedova/roll") + keys(order)
    assert not {*one} & {*others}


def test_by_place_the_inputs_count_as_well() -> None:
    first, second = (Orders().make(COMMAND, 1, items=[encode_item(word)]) for word in ("a", "b"))
    assert by_place(first, "w") != by_place(second, "w")
