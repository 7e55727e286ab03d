import pytest

from tests.languages.flow.flow_texts import accepted, refused

FLOW = """
values:
  count: 3
  name: rook
  code: "007"
  fast: true
  sizes: [1, 2]
  more: {a: 1}
tasks:
  t:
    items: "{values.sizes}"
    function: json:dumps
    arguments: ["{item}", "{values.count}", "{values.name}-{values.count}", "{values.code}", "{values.more}"]
"""


def arguments(**overrides: str) -> list[object]:
    found: list[object] = accepted(FLOW, **overrides)["tasks"][0]["function"]["arguments"]
    return found


def test_a_value_that_stands_alone_keeps_its_type_and_inside_text_becomes_text() -> None:
    assert arguments() == [{"item": True}, 3, "rook-3", "007", {"a": 1}]
    assert accepted(FLOW)["tasks"][0]["items"] == [1, 2]


def test_values_are_replaced_from_the_command_line_in_the_kind_of_their_default() -> None:
    assert arguments(count="5", name="12", code="08", more="{b: 2}") == [{"item": True}, 5, "12-5", "08", {"b": 2}]
    assert accepted(FLOW, sizes="7,8,9")["tasks"][0]["items"] == [7, 8, 9]
    assert accepted(FLOW, sizes="[7]")["tasks"][0]["items"] == [7]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("count", "many", "flow.yaml:3: --set count=many cannot replace the number 3"),
        ("fast", "1", "flow.yaml:6: --set fast=1 cannot replace the truth value true"),
        ("cuont", "1", "--set 'cuont' is not among the 'values' of this file; did you mean 'count'?"),
        ("sizes", "[1", "flow.yaml:7: --set sizes:2: this is not YAML"),
        ("more", "1", "flow.yaml:8: --set more must give a map"),
        ("name", "{values.count}", "give a plain value"),
        ("name", "x\ud800", "give a plain value"),
        ("name", "x\0", "give a plain value"),
    ],
)
def test_a_replacement_that_does_not_fit_is_refused(name: str, text: str, message: str) -> None:
    assert message in refused(FLOW, overrides={name: text})


def test_a_value_without_default_must_be_set() -> None:
    flow = "values: {host: }\ntasks:\n  t: {command: 'ping {values.host}'}\n"
    assert refused(flow) == "flow.yaml:1: the value 'host' has no default; set it with --set host=..."
    assert accepted(flow, host="nest")["tasks"][0]["command"]["argv"] == ["ping", "nest"]


def test_values_with_blanks_stay_one_word_of_a_command() -> None:
    flow = "values: {who: two words}\ntasks:\n  t: {command: 'echo {values.who}!'}\n"
    assert accepted(flow)["tasks"][0]["command"]["argv"] == ["echo", "two words!"]


@pytest.mark.parametrize(
    ("values", "argument", "message"),
    [
        ("{a: 1}", "{values.b}", "flow.yaml:3: {values.b} is not among the 'values' of this file"),
        ("{count: 1}", "{values.cuont}", "did you mean 'count'?"),
        ("{a: [1]}", "x{values.a}", "{values.a} is a list and cannot stand inside text"),
        ("{a: 1, b: '{values.a}'}", "x", "values cannot be made of each other"),
        ("{a.b: 1}", "x", "cannot be the name of a value"),
        ("[1]", "x", "'values' of the flow is a list"),
    ],
)
def test_what_is_wrong_with_values_is_told(values: str, argument: str, message: str) -> None:
    flow = f"values: {values}\ntasks:\n  t: {{function: 'json:dumps', arguments: ['{argument}']}}\n"
    assert message in refused(flow)


def test_values_cannot_grow_a_file_without_end() -> None:
    words = " ".join(["{values.long}"] * 40_000)
    flow = f"values: {{long: {'x' * 4000}}}\ntasks:\n  t: {{command: [echo, '{words}']}}\n"
    assert "add up to too much" in refused(flow)
