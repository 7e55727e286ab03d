from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.client.handles import Handle
from roost.client.steps import command, manual, script, value
from roost.client.workflow import Workflow, WorkflowStep, task, workflow
from roost.executors.template import Template
from roost.model.errors import InvalidInput
from roost.model.task import Command, EdgeKind, FieldType, Manual, PortType, Script, Value
from roost.wire.values import decode_item, encode_item
from tests.client.functions import double

DOUBLE = task(double)


@task
def takes_text(x: str) -> str:
    return x


def step(handle: Handle) -> WorkflowStep:
    return handle.flow.steps[handle.name]


def words(handle: Handle) -> tuple[str, ...]:
    work = step(handle).work
    assert isinstance(work, Command)
    return work.argv


def test_a_value_is_there_with_its_shape() -> None:
    with Workflow("w"):
        rows = value([{"a": 1}], name="rows")
    assert (rows.name, rows.gives.type, step(rows).result) == ("rows", PortType.ARRAY, b'[{"a":1}]')
    assert isinstance(step(rows).work, Value)


def test_steps_belong_into_a_workflow() -> None:
    with pytest.raises(InvalidInput, match=r"use it inside 'with roost\.workflow"):
        value(3)
    with pytest.raises(InvalidInput, match="use it inside"):
        command("ls")()
    with pytest.raises(InvalidInput, match="use it inside"):
        script("weevil_main")()


def test_a_command_has_parameters_for_results_and_constants() -> None:
    show = command("show {text} -n {n} {i} {other} ${HOME} '{{n}}'", stdin="{text.out}", outputs={"o": "{n}.txt"})
    with Workflow("w"):
        source = DOUBLE(1)
        shown = show(text=source, n="{i}")
    assert words(shown) == (
        "show", "{needs.text}", "-n", "{{i}}", "{i}", "{{other}}", "${{HOME}}", "{{{{i}}}}",
    )  # fmt: skip
    work = step(shown).work
    assert isinstance(work, Command)
    assert (work.stdin, work.outputs) == ("{needs.text.out}", {"o": "{{i}}.txt"})
    assert [(edge.source, edge.kind, edge.port) for edge in step(shown).edges] == [
        ("double", EdgeKind.BROADCAST, "text")
    ]


def test_a_command_is_mapped_over_items_arrays_and_pools() -> None:
    show = command(["show", "{a}", "{b}", "{c}"], name="view", retries=2)
    with Workflow("w"):
        single, array = DOUBLE(1), DOUBLE.map(range(5))
        items = show.map(a=["x", 2], b=single, c="same")
        each = show.map(a=array, b=range(3), c=1)
        pooled = show.map(a=single.spread() if single.gives.type == "" else value([1]).spread(), b=single, c=0)
    assert words(items) == ("show", "{item.a}", "{needs.b}", "same")
    assert [decode_item(item) for item in step(items).items or ()] == [{"a": "x"}, {"a": 2}]
    assert (step(each).place.length, words(each)) == (3, ("show", "{needs.a}", "{item.b}", "1"))
    assert (pooled.mappers, step(pooled).options.retries) == (("value",), 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: command(""), "the command is empty"),
        (lambda: command("ls | wc"), r"'\|' in 'ls \| wc' needs a shell; write \[\"/bin/sh\", \"-c\""),
        (lambda: command("echo 'a"), "cannot be split into words \\(no closing quotation\\); close the quotes"),
        (lambda: script("function main() {}"), "the script has no function 'weevil_main'; add it, or name the one"),
        (lambda: script("weevil_main ="), "the script is not JavaScript on line 1"),
        (lambda: value(b"x"), "the value 'value' holds bytes, which JSON does not have; use text or a list"),
        (lambda: value({"a": [{1, 2}]}, name="sizes"), "the value 'sizes' holds set"),
        (lambda: command("x {a}")(b=1), r"the command 'x' has no \{b\}; it has a"),
        (lambda: command("x {a}").map(a="text"), "to know how often to run"),
        (lambda: command("x {a}").map(a=[]), "nothing to go through"),
        (lambda: command("x {a} {b}").map(a=value([1]).spread(), b=[1]), "goes through a pool"),
        (lambda: command("x {a}")(a=value([1]).spread()), "use 'x.map'"),
        (lambda: script(""), "a script needs its source"),
        (lambda: script("x", entry="a b"), "a script needs its source"),
        (
            lambda: script("weevil_main", returns="number"),
            "'number' is no type that a script can return; write one of Nu",
        ),
        (lambda: takes_text(script("weevil_main", returns="Number")()), "gives Number, but 'x' of 'takes_text' takes"),
        (lambda: script("weevil_main").map(1), "to know how often to call"),
        (lambda: script("weevil_main").map([1], [2]), "takes one iterable"),
        (lambda: script("weevil_main").map([]), "nothing to go through"),
        (lambda: manual("x").map(), "to know how often to ask"),
        (lambda: manual("x")(a=3), "make it a roost.value"),
        (lambda: manual("x", fields={"a": bytes}), "the field 'a' is"),
        (lambda: manual("x", fields={"a": []}), "the field 'a' is"),
        (lambda: manual("x", fields={"a": ["b"]})()["c"], "gives nothing named 'c'"),
    ],
)
def test_steps_that_cannot_be_are_refused(call: Any, message: str) -> None:
    with Workflow("w"), pytest.raises(InvalidInput, match=message):
        call()


def test_a_script_gets_json_and_results() -> None:
    square = script("function f(x, y) {}", entry="f", name="square")
    with Workflow("w"):
        single = DOUBLE(1)
        once, items = square(single, {"k": [1]}), square.map([1, 2], single)
        pooled = square.map(value([1]).spread())
    work = step(once).work
    assert isinstance(work, Script)
    assert work.arguments is not None
    assert decode_item(step(once).blobs[work.arguments]) == [{"port": "p0"}, {"k": [1]}]
    assert step(once).blobs[work.code] == b"function f(x, y) {}"
    assert [decode_item(item) for item in step(items).items or ()] == [1, 2]
    assert (items.length, pooled.mappers, work.entry) == (2, ("value",), "f")


def test_a_manual_step_shows_what_arrives_and_gives_its_fields() -> None:
    review = manual("Look", fields={"ok": bool, "n": int, "c": ["a", "b"]}, who=["ann"], deadline="2d", name="review")
    with Workflow("w"):
        answer = review(numbers=DOUBLE(1))
        many = review.map(numbers=DOUBLE.map(range(3)))
    work = step(answer).work
    assert isinstance(work, Manual)
    assert (work.title, work.show, work.who, work.deadline_s) == ("Look", ("numbers",), ("ann",), 172800)
    assert [field.type for field in work.fields] == [FieldType.BOOLEAN, FieldType.NUMBER, FieldType.CHOICE]
    assert (answer["ok"].gives.type, answer["c"].gives.type, many.length) == (PortType.BOOLEAN, PortType.STRING, 3)


class Fixed:
    """What the placeholders of one element stand for."""

    index, run, task, item = 7, "run", "task", None

    def values(self, port: str) -> list[str]:
        return [f"<{port}>"]

    def files(self, port: str, name: str) -> list[str]:
        return [f"<{port}/{name}>"]

    def datasets(self, port: str, nth: int) -> list[str]:
        return [f"<{port}#{nth}>"]


@given(
    st.lists(
        st.sampled_from(["{", "}", "{p}", "{c}", "{q}", "{needs.p}", "${p}", "x", "{p.f}", "{{", "{item}"]), max_size=8
    )
)
def test_all_that_is_no_parameter_stays_as_it_is(parts: list[str]) -> None:
    text = "".join(parts)
    written = text.replace("${p}", "\0").replace("{p}", "<p>").replace("{c}", "5").replace("{p.f}", "<p/f>")
    with Workflow("w"):
        handle = command(["x", "{p} {c}", text])(p=DOUBLE(1), c=5)
    work = step(handle).work
    assert isinstance(work, Command)
    expanded = Template(work, False, {"p": EdgeKind.BROADCAST}).expand(Fixed())
    assert expanded.argv[2] == written.replace("\0", "${p}")


def test_a_command_may_hold_any_bytes_and_braces_of_the_environment_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/opt/{x}\udcff")
    show = command(["show", "{name}", "\udcfe"], cwd="/\udc80", env={"A": "\udc81"})
    with workflow("strange") as flow:
        mapped = show.map(name=["a\udc82", "b"])
    made = flow.steps[mapped.name]
    assert isinstance(made.work, Command)
    assert made.work.argv == ("show", "{item.name}", "\U0010fefe")
    assert (made.work.cwd, made.work.env["A"]) == ("/\U0010fe80", "\U0010fe81")
    assert made.work.env["PATH"] == "/opt/{{x}}\U0010feff"
    assert made.items == (encode_item({"name": "a\U0010fe82"}), encode_item({"name": "b"}))


def test_a_mapped_command_that_names_a_folder_leaves_files_that_differ() -> None:
    same = command("make {x}", cwd="/srv", outputs={"o": "o.txt"})
    apart = command("make {x}", cwd="/srv", outputs={"o": "{x}.txt"})
    with Workflow("w"):
        same(x=1)
        apart.map(x=[1, 2])
        with pytest.raises(InvalidInput, match="its elements share the folder '/srv'"):
            same.map(x=[1, 2])
        with pytest.raises(InvalidInput, match="its elements share the folder '/srv'"):
            apart.map(x=[1, 1])
        with pytest.raises(InvalidInput, match="its elements share the folder '/srv'"):
            apart.map(x=value([1, 2]).spread())


def test_a_program_is_not_looked_for_in_a_fresh_folder() -> None:
    with Workflow("w"), pytest.raises(InvalidInput, match="write its full path"):
        command("./train")()
