import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.executors.template import parse
from roost.languages.placeholders import placeholders_in, replace_placeholders, slip_in, whole_placeholder


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("python make.py {i} {needs.make.text}", ["i", "needs.make.text"]),
        ("{values.count}-{inputs.script}", ["values.count", "inputs.script"]),
        ("awk '{print $1}' {x} {print}", []),
        ("${i} ${item}", []),
        ("{{i}} {{{i}}}", ["i"]),
        ('{"a": {"i": 1}}', []),
        ("{i.x} {run.x}", []),
        ("{run}/{task}", ["run", "task"]),
    ],
)
def test_placeholders_are_found_among_other_braces(text: str, names: list[str]) -> None:
    assert [placeholder.name for placeholder in placeholders_in(text)] == names


def test_the_short_forms_stand_for_the_item_only_if_there_are_items() -> None:
    assert list(placeholders_in("{} {/.}")) == []
    assert [placeholder.root for placeholder in placeholders_in("{} {/.}", has_items=True)] == ["item", "item"]


def test_a_placeholder_has_a_root_and_a_path() -> None:
    placeholder = whole_placeholder("{needs.make.text}")
    assert placeholder is not None
    assert (placeholder.root, placeholder.path, str(placeholder)) == ("needs", ("make", "text"), "{needs.make.text}")
    assert whole_placeholder("x{needs.make}") is None
    assert whole_placeholder("{{needs.make}}") is None


def test_only_placeholders_are_replaced() -> None:
    assert replace_placeholders("{i} {x} {{i}}", lambda found: f"<{found.name}>") == "<i> {x} {{i}}"


@pytest.mark.parametrize(
    ("text", "slip"),
    [
        ("{need.make}", ("{need.make}", "{needs.make}")),
        ("{value.x}", ("{value.x}", "{values.x}")),
        ("{index}", ("{index}", "{i}")),
        ("{items}", ("{items}", "{item}")),
        ("{{index}}", None),
        ("${index}", None),
        ("{print} {x.y}", None),
    ],
)
def test_what_must_be_a_slip_is_noticed(text: str, slip: tuple[str, str] | None) -> None:
    assert slip_in(text) == slip


@given(
    st.lists(st.sampled_from(["{", "}", "{{", "}}", "$", "i", "item", "run", ".", "{i}", "{item}", "x", "{}"])).map(
        "".join
    )
)
def test_braces_are_found_where_the_node_finds_them(text: str) -> None:
    node_finds = sum(not isinstance(part, str) for part in parse(text, has_items=True, ports={}))
    assert len(list(placeholders_in(text, has_items=True))) == node_finds
