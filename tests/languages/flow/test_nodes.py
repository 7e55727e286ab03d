import pytest

from roost.languages.flow.nodes import NODE_COST, ScalarNode, kind_of, list_node, map_node, to_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"), ("on", "on"), ("Yes", "Yes"), ("true", True), ("False", False), ("null", None), ("~", None),
        ("", None), ("12", 12), ("-3", -3), ("1_000", 1000), ("0", 0), ("007", "007"), ("0x1F", "0x1F"),
        ("1:30", "1:30"), ("1.5", 1.5), (".5", 0.5), ("2.", 2.0), ("1e3", 1000.0), ("1e999", "1e999"), (".", "."),
        ("9" * 25, "9" * 25), ("9" * 5000, "9" * 5000), ("2026-11-15", "2026-11-15"), ("1.2.3", "1.2.3"),
        (".inf", ".inf"),
    ],
)  # fmt: skip
def test_plain_words_are_numbers_truth_values_nothing_or_text(text: str, value: object) -> None:
    found = ScalarNode(1, text, plain=True).value
    assert (type(found), found) == (type(value), value)


def test_quoted_words_are_always_text() -> None:
    assert ScalarNode(1, "12").value == "12"


def test_nodes_become_plain_values() -> None:
    number, text = ScalarNode(1, "1", plain=True), ScalarNode(1, "1")
    node = map_node(1, {"a": list_node(1, (number, text))}, {"a": 1})
    assert to_json(node) == {"a": [1, "1"]}


def test_size_and_height_count_what_is_inside() -> None:
    node = list_node(1, (list_node(1, (ScalarNode(1, "abc"),)), ScalarNode(1, "")))
    assert node.height == 2
    assert node.size == 4 * NODE_COST + 3


@pytest.mark.parametrize(
    ("text", "words"), [("", "nothing"), ("3", "the number 3"), ("true", "the truth value true"), ("x", "text")]
)
def test_what_stands_there_has_a_name(text: str, words: str) -> None:
    assert kind_of(ScalarNode(1, text, plain=True)) == words
    assert kind_of(list_node(1, ())) == "a list"
    assert kind_of(map_node(1, {}, {})) == "a map"
