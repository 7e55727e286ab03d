"""Placeholders: a table of examples, what is refused, and what holds for any text."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roost.executors.template import Template, check_template, fill, literal, parse, text_of
from roost.model.errors import InvalidInput
from roost.model.limits import COMMAND_BYTES_MAX, COMMAND_WORD_BYTES_MAX, COMMAND_WORDS_MAX, STDIN_BYTES_MAX
from roost.model.task import Command, EdgeKind, Protocol

PORTS = {"left": EdgeKind.EACH, "all.of.it": EdgeKind.ALL, "": EdgeKind.AFTER, "later": EdgeKind.AFTER}
NOTHING: dict[str, EdgeKind] = {}


class Given:
    """What the placeholders of these tests stand for."""

    index = 7
    run = "3-kedova"
    task = "3-kedova/resize"

    def __init__(self, item: Any = None) -> None:
        self.item = item

    def values(self, port: str) -> list[str]:
        return {"left": ["L"], "all.of.it": ["one", "two"]}[port]

    def files(self, port: str, name: str) -> list[str]:
        return [f"/in/{port}/{name}/{position}" for position in range(len(self.values(port)))]

    def datasets(self, port: str, nth: int) -> list[str]:
        return [f"{value}{nth}" for value in self.values(port)]


@pytest.mark.parametrize(
    ("text", "item", "expected"),
    [
        ("plain", "x", "plain"),
        ("frame-{i}.png", None, "frame-7.png"),
        ("{run} {task}", None, "3-kedova 3-kedova/resize"),
        ("{}", "a b", "a b"),
        ("{item}", 12.5, "12.5"),
        ("{item}", {"a": [1, None]}, '{"a":[1,null]}'),
        ("{item}", True, "true"),
        ("{item.name}-{item.size.0}", {"name": "x", "size": [3, 4]}, "x-3"),
        ("{item.1}", ["a", "b"], "b"),
        ("{.}", "dir/photo.tar.gz", "dir/photo.tar"),
        ("{/}", "dir/photo.jpg", "photo.jpg"),
        ("{//}", "dir/photo.jpg", "dir"),
        ("{//}", "photo.jpg", "."),
        ("{/.}", "dir/photo.jpg", "photo"),
        ("{item.1/.} {item.1.}", ["a", "dir/photo.jpg"], "photo dir/photo"),
        ("{item.x//}", {"x": "dir/photo.jpg"}, "dir"),
        ("<{needs.left}>", None, "<L>"),
        ("{needs.all.of.it}", None, "one\ntwo"),
        ("{needs.left.out.csv}", None, "/in/left/out.csv/0"),
        ("{needs.all.of.it.f}", None, "/in/all.of.it/f/0\n/in/all.of.it/f/1"),
        ("{needs.left/2}", None, "L2"),
        ("{needs.all.of.it/1}", None, "one1\ntwo1"),
        # Braces of others.
        ("awk '{print $1}' {foo} {1..3} {", "x", "awk '{print $1}' {foo} {1..3} {"),
        ("for i in 1 2; do echo ${i} ${item}; done", "x", "for i in 1 2; do echo ${i} ${item}; done"),
        ('{"a": {"b": 1}}', "x", '{"a": {"b": 1}}'),
        ('{"a": {item}}', 5, '{"a": 5}'),
        ("{{i}} {{}} {{item}}", "x", "{i} {} {item}"),
        ("{{{i}}}", None, "{7}"),
        ('{{"a":{"b":{i}}}}', None, '{"a":{"b":7}}'),
        ("}} {i}", None, "}} 7"),
        ("{ i } {item .a}", "x", "{ i } {item .a}"),
    ],
)
def test_a_text_is_filled(text: str, item: Any, expected: str) -> None:
    assert fill(parse(text, item is not None, PORTS), Given(item)) == expected


@pytest.mark.parametrize("text", ["find . -exec cat {} ;", "f() {}", "{.} {/} {//} {/.}"])
def test_short_forms_stay_as_they_are_if_there_are_no_items(text: str) -> None:
    assert fill(parse(text, False, NOTHING), Given()) == text


def test_a_word_that_is_nothing_but_a_port_becomes_as_many_words_as_values() -> None:
    command = Command(("cat", "{needs.all.of.it}", "-{needs.all.of.it}", "{needs.all.of.it.f}"))
    expanded = Template(command, False, PORTS).expand(Given())
    files = ["/in/all.of.it/f/0", "/in/all.of.it/f/1"]
    assert expanded.argv == ["cat", "one", "two", "-one\ntwo", *files]


def test_all_parts_of_a_command_are_filled() -> None:
    command = Command(("x",), cwd="/d/{i}", env={"A": "{item}"}, stdin="<{i}>", outputs={"f": "out-{i}.csv"})
    expanded = Template(command, True, NOTHING).expand(Given("it"))
    assert expanded.argv == ["x"]
    assert (expanded.cwd, expanded.env, expanded.stdin) == ("/d/7", {b"A": b"it"}, "<7>")
    assert expanded.outputs == {"f": "out-7.csv"}


def test_an_item_that_is_named_nowhere_is_the_last_word() -> None:
    template = Template(Command(("gzip", "-k")), True, NOTHING)
    assert template.expand(Given("a.txt")).argv == ["gzip", "-k", "a.txt"]
    assert template.expand(Given("b.txt")).argv == ["gzip", "-k", "b.txt"]


@pytest.mark.parametrize(
    ("command", "has_items", "message"),
    [
        (Command(("echo", "{item}")), False, "'{item}' stands for an item, but the task has no items"),
        (Command(("echo",), env={"A": "{item.x}"}), False, "'{item.x}' stands for an item"),
        (Command(("echo", "{needs.right}")), False, "'{needs.right}' names a port that the task does not have"),
        (Command(("echo", "{needs.later}")), False, "it has all.of.it, left"),
        (Command(()), False, "the command is empty"),
        (Command(("",)), False, "the command is empty"),
        (Command(("a",) * (COMMAND_WORDS_MAX + 1)), False, "words; the limit is"),
        (Command(("a" * (COMMAND_BYTES_MAX + 1),)), False, "longer than the limit"),
        (
            Command(("a", "ä" * (COMMAND_WORD_BYTES_MAX // 2 + 1))),
            False,
            "ä'... is longer than the limit of 131,071 bytes",
        ),
        (Command(("a",), env={"B": "c" * (COMMAND_WORD_BYTES_MAX - 1)}), False, "the word 'B=cc"),
        (Command(("a",), stdin="x" * (STDIN_BYTES_MAX + 1)), False, "text for standard input is longer than the limit"),
        (Command(("a\0b",)), False, "zero byte"),
        (Command(("a",), env={"B=": "c"}), False, "name of a variable"),
        (Command(("a",), outputs={"f": "/etc/passwd"}), False, "inside the task's own folder"),
        (Command(("a",), outputs={"f": "a/../../b"}), False, "inside the task's own folder"),
        (Command(("a",), outputs={"": "x"}), False, "cannot name an output"),
        (Command(("a",), protocol=Protocol.LAN, stdin="x"), False, "hears CANCEL on its standard input"),
    ],
)
def test_a_command_that_cannot_work_is_refused(command: Command, has_items: bool, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_template(command, has_items, PORTS)
    assert message in str(caught.value)


def test_a_command_that_can_work_is_accepted() -> None:
    command = Command(("sh", "-c", "echo ${i} {i} {item.a} {needs.left}"), cwd="/", outputs={"f": "a/b.csv"})
    check_template(command, True, PORTS)


_PIECES = ["{", "}", "{{", "}}", "$", "needs.", "left", "later", "all.of.it", ".f", "/2", "item", ".x", "i", " ", "-"]


@given(pieces=st.lists(st.sampled_from(_PIECES)), has_items=st.booleans())
@example(pieces=["{", "needs.", "all.of.it", ".f", "}"], has_items=False)
@example(pieces=["{", "needs.", "left", "/2", "}", "{", "item", "}"], has_items=True)
def test_a_command_is_refused_if_its_placeholders_cannot_be_found(pieces: list[str], has_items: bool) -> None:
    text = "".join(pieces)
    try:
        parse(text, has_items, PORTS)
    except InvalidInput as error:
        with pytest.raises(InvalidInput, match=re.escape(str(error))):
            check_template(Command(("x", text)), has_items, PORTS)
    else:
        check_template(Command(("x", text)), has_items, PORTS)


@pytest.mark.parametrize("text", ["{item.b}", "{item.a.b}", "{item.0}"])
def test_an_item_without_the_field_says_so(text: str) -> None:
    with pytest.raises(InvalidInput, match="asks for a field that the item"):
        fill(parse(text, True, NOTHING), Given({"a": 1}))


def test_a_value_without_a_text_form_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="a value of type object has no text form"):
        text_of(object())


@given(st.text())
def test_any_text_without_braces_stays_as_it_is(text: str) -> None:
    plain = text.replace("{", "(").replace("}", ")")
    assert fill(parse(plain, True, PORTS), Given("x")) == plain


@given(st.text(alphabet="{}abi./ ${needs"))
def test_any_text_can_be_read_and_is_filled_the_same_way_twice(text: str) -> None:
    try:
        parts = parse(text, True, PORTS)
    except InvalidInput:
        return
    assert fill(parts, Given("x")) == fill(parts, Given("x"))


@given(st.text(alphabet="abc{i}"), st.text(alphabet="xyz "))
def test_what_is_filled_in_is_not_searched_for_placeholders(text: str, item: str) -> None:
    assert fill(parse("{item}", True, NOTHING), Given(text + item)) == text + item


@given(
    st.recursive(st.text(alphabet="abci ."), lambda inner: st.tuples(inner, inner).map(lambda t: f"{{{t[0]}}}{t[1]}"))
)
def test_doubled_braces_are_literal_braces(text: str) -> None:
    escaped = text.replace("{", "{{").replace("}", "}}")
    assert fill(parse(escaped, True, PORTS), Given("x")) == text


def test_the_files_that_placeholders_name_are_known_by_their_ports() -> None:
    command = Command(
        ("join", "{needs.left.a}", "x{needs.all.of.it.b.txt}", "{needs.left}"),
        env={"MORE": "{needs.left.a} {needs.left.c}"},
    )
    assert Template(command, False, PORTS).files() == {"left": ("a", "c"), "all.of.it": ("b.txt",)}
    assert Template(Command(("true",)), False, PORTS).files() == {}


@pytest.mark.parametrize("nth", ["0", "x", "", "-1", "1000000"])
def test_datasets_are_counted_from_one(nth: str) -> None:
    with pytest.raises(InvalidInput, match=r"write '\{needs\.left/1\}' for the first"):
        parse(f"{{needs.left/{nth}}}", has_items=False, ports=PORTS)


@given(st.text(st.sampled_from("{}$i.a needs/"), max_size=12))
def test_a_literal_text_reaches_the_program_unchanged(text: str) -> None:
    assert "".join(str(part) for part in parse(literal(text), has_items=True, ports={})) == text


def test_words_that_need_nothing_that_arrives_are_known_before() -> None:
    command = Command(("cat", "a.txt", "{item}", "{needs.p}"), "/x/{i}", {"A": "b", "C": "{item}", "D": "{needs.p}"})
    template = Template(command, True, {"p": EdgeKind.EACH})
    assert template.words(own=False) == [("cat",), ("a.txt",)]
    assert len(template.words(own=True)) == 1
    assert template.variables(own=False) == [("b",)]
    assert len(template.variables(own=True)) == 1
    assert template.folder() is not None
    assert template.program() == ("cat",)
    assert Template(Command(("{needs.p}",), "{needs.p}"), False, {"p": EdgeKind.EACH}).program() is None
    assert Template(Command(("{needs.p}",), "{needs.p}"), False, {"p": EdgeKind.EACH}).folder() is None


def test_it_is_known_whether_the_run_or_the_index_is_named() -> None:
    plain, run, index = (Template(Command(("echo", word)), False, {}) for word in ("x", "{run}", "{i}"))
    assert [one.names_run for one in (plain, run, index)] == [False, True, False]
    assert [one.names_index for one in (plain, run, index)] == [False, False, True]


def test_stray_bytes_of_texts_and_items_become_bytes_and_what_arrives_stays_as_it_is() -> None:
    class Arriving(Given):
        def values(self, port: str) -> list[str]:
            return ["\U0010feff"]

    command = Command(("echo", "\U0010feff{i}", "{}", "{needs.left}"), env={"A\U0010fe80": "{.}"})
    expanded = Template(command, has_items=True, ports=PORTS).expand(Arriving("\U0010fefe.x"))
    assert expanded.argv == ["echo", "\udcff7", "\udcfe.x", "\U0010feff"]
    assert expanded.env == {b"A\x80": b"\xfe"}
