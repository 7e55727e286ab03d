"""What a task runs, from JSON to what its executor reads."""

import hashlib
import pickle
from io import BytesIO
from typing import Any

import msgspec
import pytest
from msgspec.structs import astuple

from roost.api.requests import TaskAsked
from roost.app.intake.reading import read_body
from roost.app.intake.shared import Shared
from roost.app.intake.work import PreparedWork, blob_hash, prepare
from roost.executors.worker.by_name import CallByName
from roost.model.errors import InvalidInput
from roost.model.limits import SCRIPT_BYTES_MAX
from roost.model.ranges import ONE, RangeSet
from roost.model.recorded import Replayed
from roost.model.task import Command, EdgeKind, Function, Protocol, Script
from roost.wire.values import decode_variables
from tests.app.intake.test_arguments import loaded

FUNCTION = {"call": "math:sqrt"}


def prepared(folder: str | None = None, **fields: Any) -> PreparedWork:
    task = read_body(msgspec.json.encode({"name": "a", **fields}), TaskAsked)
    ports = {edge.port: edge.kind for edge in task.edges if edge.kind is not EdgeKind.AFTER}
    elements = ONE if task.items is None else RangeSet.span(0, len(task.items))
    return prepare(task, elements, folder, "3.11", Shared(), ports)


def refusal_of(folder: str | None = None, **fields: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        prepared(folder, **fields)
    return str(caught.value)


def test_a_command_arrives_with_all_its_parts() -> None:
    asked = {
        "argv": ["draw", "{i}"],
        "cwd": "/data",
        "env": {"A": "1"},
        "stdin": "in",
        "protocol": "plain",
        "outputs": {"out": "a/b.txt"},
    }
    expected = Command(("draw", "{i}"), "/data", {"A": "1"}, "in", Protocol.PLAIN, {"out": "a/b.txt"})
    assert prepared(command=asked) == PreparedWork(expected, None)
    assert prepared(command={"argv": ["lan"], "protocol": "lan"}).work == Command(("lan",), protocol=Protocol.LAN)
    assert prepared(command={"argv": ["a"], "program": "a"}).work == Command(("a",), program="a")


def test_what_a_command_was_goes_with_it() -> None:
    recorded = {"type": "replayed", "seconds": 2, "sizes": {"x": 3}}
    assert prepared(command={"argv": ["a"], "recorded": recorded}).work == Command(
        ("a",), recorded=Replayed(2.0, {"x": 3})
    )
    assert refusal_of(command={"argv": ["a"], "recorded": {"type": "staged", "program_at": 1}}) == (
        "field 'command': its program cannot be word 1: the command has 1, from 0"
    )
    unknown = {"argv": ["a"], "recorded": {"type": "staged", "program_at": 1, "argv": []}}
    assert refusal_of(command=unknown) == "field 'command.recorded': there is no field 'argv'"


@pytest.mark.parametrize("program", ["../a", "a/b", "/bin/sh", "."])
def test_a_program_of_the_nodes_is_named_without_a_path(program: str) -> None:
    refusal = refusal_of(command={"argv": ["a"], "program": program})
    assert refusal == f"field 'command.program': '{program}' cannot name a program; give no path"


@pytest.mark.parametrize(
    ("folder", "cwd", "expected"),
    [
        (None, None, None),
        ("/home/me", None, "/home/me"),
        ("/home/me", "sub", "/home/me/sub"),
        ("/home/me", "/tmp", "/tmp"),
        (None, "{item}/x", "{item}/x"),
    ],
)
def test_a_relative_folder_lies_in_that_of_the_submission(
    folder: str | None, cwd: str | None, expected: str | None
) -> None:
    work = prepared(folder, command={"argv": ["true"], "cwd": cwd}, items=[1]).work
    assert isinstance(work, Command)
    assert work.cwd == expected


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ({"argv": []}, "field 'command': the command is empty; name a program to run"),
        ({"argv": ["a"], "cwd": "sub"}, "field 'command.cwd': 'sub' is not a full path; begin it with /"),
        ({"argv": ["a"], "cwd": "/a\0"}, "field 'command.cwd': a path cannot hold a zero byte"),
        (
            {"argv": ["a", "{needs.x}"]},
            "field 'command': '{needs.x}' names a port that the task does not have; it has none",
        ),
        (
            {"argv": ["a"], "outputs": {"o": "../x"}},
            "field 'command': the output 'o' is at '../x'; give a path inside the task's own folder",
        ),
    ],
)
def test_a_command_that_cannot_run_is_refused(command: dict[str, Any], sentence: str) -> None:
    assert refusal_of(command=command) == sentence


def test_a_command_with_outputs_runs_in_a_fresh_folder_unless_it_names_another() -> None:
    outputs = {"o": "o.txt"}
    fresh = prepared("/home/me", command={"argv": ["./train", "x"], "outputs": outputs}, items=[1, 2]).work
    assert isinstance(fresh, Command)
    assert (fresh.cwd, fresh.argv) == (None, ("/home/me/train", "x"))
    assert refusal_of(command={"argv": ["./train"], "outputs": outputs}) == (
        "field 'command': the program './train' is named from the folder in which it runs, and that is a fresh one, "
        "where it cannot be; write its full path"
    )
    named = {"argv": ["./train"], "outputs": outputs, "cwd": "sub"}
    assert prepared("/home/me", command=named, items=[1]).work == Command(
        ("./train",), "/home/me/sub", outputs={"o": "o.txt"}
    )
    assert "share the folder '/home/me/sub'" in refusal_of("/home/me", command=named, items=[1, 2])


def test_a_placeholder_for_what_arrives_is_known_from_the_edges() -> None:
    edges = [{"source": "b", "kind": "all", "port": "x"}]
    assert prepared(command={"argv": ["cat", "{needs.x}"]}, edges=edges).items is None


def test_an_items_that_is_nested_too_deeply_for_json_is_refused() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    task = TaskAsked(
        "a", command=read_body(b'{"name":"a","command":{"argv":["true"]}}', TaskAsked).command, items=[deep]
    )
    with pytest.raises(InvalidInput, match="field 'items': a value is nested more than"):
        prepare(task, ONE, None, "3.11", Shared(), {})


def test_a_function_by_name_is_a_callable_that_imports_it() -> None:
    work, items, blobs, _ = astuple(
        prepared("/home/me", function={**FUNCTION, "path": ["lib", "/opt"], "arguments": [16]})
    )
    assert isinstance(work, Function)
    assert (work.name, work.python, work.initializer, items) == ("math:sqrt", "3.11", None, None)
    contents = dict(blobs)
    code = pickle.loads(contents[work.code])
    assert isinstance(code, CallByName)
    assert (code.target, tuple(code.path)) == ("math:sqrt", ("/home/me/lib", "/opt"))
    assert work.arguments is not None
    assert loaded(contents[work.arguments]) == ((16,), {})
    assert all(blob == hashlib.blake2b(content, digest_size=16).hexdigest() for blob, content in blobs)


def test_a_function_by_name_can_be_called() -> None:
    work, _, blobs, _ = astuple(prepared(function=FUNCTION))
    assert isinstance(work, Function)
    assert pickle.loads(dict(blobs)[work.code])(16) == 4.0


def test_a_function_gets_the_item_where_it_asks_for_it_and_alone_if_it_asks_for_nothing() -> None:
    work, items, blobs, _ = astuple(prepared(function=FUNCTION, items=[1, 4]))
    assert isinstance(work, Function)
    assert work.arguments is None
    assert [blob for blob, _ in blobs] == [work.code]
    assert items is not None
    assert [loaded(item) for item in items] == [((1,), {}), ((4,), {})]
    asked = {**FUNCTION, "arguments": [{"index": True}], "keywords": {"x": {"item": True}}}
    with_index = prepared(function=asked, items=[7]).items
    assert with_index is not None
    assert loaded(with_index[0]) == (("<index>",), {"x": 7})


def test_a_function_arrives_with_its_variables() -> None:
    work, _, blobs, _ = astuple(prepared(function={**FUNCTION, "env": {"LEVEL": "2", "STRAY": "\U0010feff"}}))
    assert isinstance(work, Function)
    assert work.variables is not None
    assert decode_variables(dict(blobs)[work.variables]) == {b"LEVEL": b"2", b"STRAY": b"\xff"}


def test_a_function_gets_what_arrives_at_its_ports() -> None:
    edges = [{"source": "b", "kind": "each", "port": "x"}, {"source": "c", "kind": "after"}]
    work, _, blobs, _ = astuple(prepared(function={**FUNCTION, "arguments": [{"port": "x"}]}, edges=edges))
    assert isinstance(work, Function)
    assert work.arguments is not None
    assert loaded(dict(blobs)[work.arguments]) == (("<port x>",), {})


@pytest.mark.parametrize("call", ["math", "math:", ":sqrt", "math:sq rt", "ma/th:sqrt", "math.:sqrt", "a:b:c", ""])
def test_a_name_that_names_no_function_is_refused(call: str) -> None:
    sentence = f"field 'function.call': '{call}' does not name a function; write module:function"
    assert refusal_of(function={"call": call}) == sentence


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"function": {**FUNCTION, "arguments": [{"port": "x"}]}},
            "field 'function.arguments': there is no edge with the port 'x'",
        ),
        (
            {"function": {**FUNCTION, "arguments": [{"item": True}]}},
            "field 'function.arguments': it asks for the item, but the task has no 'items'",
        ),
        (
            {"function": {**FUNCTION, "arguments": [1]}, "items": [1]},
            "field 'items': no argument uses them; write {\"item\": true} where the item goes",
        ),
        (
            {"function": {**FUNCTION, "path": ["lib"]}},
            "field 'function.path': 'lib' is not a full path; begin it with /",
        ),
    ],
)
def test_a_function_that_cannot_be_called_is_refused(fields: dict[str, Any], sentence: str) -> None:
    assert refusal_of(**fields) == sentence


def test_equal_content_has_equal_hashes() -> None:
    assert blob_hash(b"a") == blob_hash(BytesIO(b"a").getvalue()) != blob_hash(b"b")
    assert len(blob_hash(b"a")) == 32


CODE = "function weevil_main(x) { return x }"


def test_a_script_arrives_with_its_source_its_arguments_and_its_items() -> None:
    asked = {"code": CODE, "entry": "$main", "arguments": [{"item": True}, {"k": {"index": True}}, 5]}
    work, items, blobs, _ = astuple(prepared(script=asked, items=[1, {"a": None}]))
    assert isinstance(work, Script)
    assert (work.name, work.entry, items) == ("a", "$main", [b"1", b'{"a":null}'])
    assert work.arguments is not None
    assert dict(blobs) == {
        work.code: CODE.encode(),
        work.arguments: b'[{"item":true},{"k":{"index":true}},5]',
    }
    assert all(blob == blob_hash(content) for blob, content in blobs)


def test_a_script_that_asks_for_nothing_gets_its_item_or_nothing() -> None:
    for items, expected in (([1], b'[{"item":true}]'), (None, b"[]")):
        work, _, blobs, _ = astuple(prepared(script={"code": CODE}, items=items))
        assert isinstance(work, Script)
        assert work.entry == "weevil_main"
        assert work.arguments is not None
        assert dict(blobs)[work.arguments] == expected


@pytest.mark.parametrize(
    ("script", "fields", "refusal"),
    [
        ({"code": "a\0b"}, {}, "field 'script.code': it holds a zero character, which no script has"),
        (
            {"code": " " * (SCRIPT_BYTES_MAX + 1)},
            {},
            "field 'script.code': it takes 8,388,609 bytes; the limit is 8,388,608",
        ),
        ({"entry": "a b"}, {}, "field 'script.entry': 'a b' cannot be the name of a function"),
        ({"entry": "f()"}, {}, "field 'script.entry': 'f()' cannot be the name of a function"),
        ({"arguments": [{"port": "x"}]}, {}, "field 'script.arguments': there is no edge with the port 'x'"),
        (
            {"arguments": [{"item": True}]},
            {},
            "field 'script.arguments': it asks for the item, but the task has no 'items'",
        ),
        (
            {"arguments": [1]},
            {"items": [1]},
            "field 'items': no argument uses them; write {\"item\": true} where the item goes",
        ),
        (
            {},
            {"memory_bytes": 1000},
            "field 'memory_bytes': a script needs at least 1.0 MiB; 0 stands for 256.0 MiB",
        ),
    ],
)
def test_a_script_that_cannot_be_is_refused(script: dict[str, Any], fields: dict[str, Any], refusal: str) -> None:
    assert refusal_of(script={"code": CODE, **script}, **fields) == refusal
