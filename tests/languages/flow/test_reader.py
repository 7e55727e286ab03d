import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.flow.nodes import ListNode, MapNode, to_json
from roost.languages.flow.reader import read_nodes
from roost.model.errors import InvalidInput
from roost.model.limits import FLOW_BYTES_MAX, FLOW_DEPTH_MAX


def why(text: str) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_nodes(text, "f.yaml")
    return str(caught.value)


def value(text: str) -> object:
    node = read_nodes(text, "f.yaml")
    assert node is not None
    return to_json(node)


def test_every_value_knows_its_line() -> None:
    root = read_nodes("a: 1\nb:\n  - x\n  - y\n", "f.yaml")
    assert isinstance(root, MapNode)
    items = root.entries["b"]
    assert isinstance(items, ListNode)
    assert root.key_lines == {"a": 1, "b": 2}
    assert [item.line for item in items.items] == [3, 4]


def test_an_empty_file_has_no_value() -> None:
    assert read_nodes("# nothing\n", "f.yaml") is None


def test_anchors_aliases_and_merges_are_understood() -> None:
    text = "base: &base {a: 1, b: 2}\nuse: {<<: *base, b: 3}\nboth: {<<: [*base, {c: 4}]}\nagain: *base\n"
    assert value(text) == {
        "base": {"a": 1, "b": 2},
        "use": {"b": 3, "a": 1},
        "both": {"a": 1, "b": 2, "c": 4},
        "again": {"a": 1, "b": 2},
    }


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a: 1\na: 2\n", 2, "'a' stands here again, first on line 1"),
        ("a:\n\t- b\n", 2, "indent with spaces, not with tabs"),
        ("a: b: c\n", 1, "put text that holds ': ' in quotes"),
        ("a: [1, 2\nb: 3\n", 2, "close every '['"),
        ("a: 'x\n", 2, "close the quotes"),
        ("a: {item} x\n", 1, "wholly in quotes"),
        ("a: @x\n", 1, "put the text in quotes"),
        ("a: 1\n---\nb: 2\n", 2, "a second document begins here"),
        ("a: !!python/object:os.system x\n", 1, "is not used in flow files"),
        ("a: !thing [1]\n", 1, "the tag '!thing' is not used"),
        ("a: *x\n", 1, "'*x' stands for nothing"),
        ("a: &a [*a]\n", 1, "'*a' stands for nothing"),
        ("? [a]\n: b\n", 1, "a key must be a word"),
        ("a: {<<: 3}\n", 1, "'<<' takes a map"),
        ("a: 1\nb: x\x00\n", 2, "U+0000 cannot stand in a flow file"),
        ("a: x\ud800\n", 1, "U+D800 cannot stand in a flow file"),
        ('a: "x\\0"\n', 1, "zero bytes"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, part: str) -> None:
    message = why(text)
    assert message.startswith(f"f.yaml:{line}: ")
    assert part in message


@pytest.mark.parametrize("deep", ["[" * 100_000, "- " * 100_000, "{a: " * 100_000, "a: " + "[" * FLOW_DEPTH_MAX])
def test_deep_nesting_is_refused_quickly(deep: str) -> None:
    assert f"nested more than {FLOW_DEPTH_MAX} deep" in why(deep)


def test_depth_is_not_hidden_behind_aliases() -> None:
    lines = ["a0: &a0 [1]"] + [f"a{at}: &a{at} [*a{at - 1}]" for at in range(1, 100)]
    assert "nested more than" in why("\n".join(lines))


def test_aliases_cannot_grow_without_end() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, 20)]
    assert "copy too much" in why("\n".join(lines))


def test_a_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(InvalidInput, match="larger than 32 MiB"):
        read_nodes(" " * (FLOW_BYTES_MAX + 1), "f.yaml")


def test_lines_of_a_further_file_are_counted_on_and_told_as_its_own() -> None:
    root = read_nodes("a: 1\nb: [x]\n", "f.yaml", 100)
    assert isinstance(root, MapNode)
    assert (root.line, root.key_lines, root.entries["b"].line) == (101, {"a": 101, "b": 102}, 102)
    with pytest.raises(InvalidInput, match=r"f\.yaml:2: 'a' stands here again, first on line 1"):
        read_nodes("a: 1\na: 2\n", "f.yaml", 100)


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("\t\n :-[]{}&*!|>'\"#?,%@`~<")))
def test_any_text_gives_a_value_or_one_clear_refusal(text: str) -> None:
    try:
        read_nodes(text, "f.yaml")
    except InvalidInput as error:
        assert str(error).startswith("f.yaml:")  # noqa: PT017 - a value is right as well
