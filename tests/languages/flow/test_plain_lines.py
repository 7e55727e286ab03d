import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roost.languages.flow.nodes import MapNode
from roost.languages.flow.plain_lines import read_plain
from roost.languages.flow.reader import check_text, read_with_yaml
from roost.model.errors import InvalidInput
from roost.model.limits import FLOW_DEPTH_MAX

PLAIN = """\
# A comment.
name: word count
tasks:
  make:
    command: seq {i} --flag a:b c#d   x
    after: [first, second , 3]
    env:
      LANG: 'C'
      EMPTY: ""
    items:
    - red
    - 3.5
    - [a, b]
    - ["{i}: x", 'y, #', z]

  # Another.
  nothing:
  last:
    needs:
      - make
    retries: 007
result: last
"""

_KEYS = st.sampled_from(["a", "b", "tasks", "x-y", "_1", "a.b", "no", "1a", "a b", "'q'", "<<", "?", "-", ""])
_TEXTS = st.sampled_from(
    ["", "x", "two words", "a  b ", "a:b", "a: b", "a:", "a #c", "a#c", "#", "[x, y]", "[x,y ]", "[]", "[ ]", "[x, ]",
     "[x y]", "[1, 2]", "[-1]", "{a: 1}", "'q'", "'it''s'", '"q"', '"\\n"', "'a' b", "- x", "-1", "-", "--", "---",
     "-n", "~", "null", "|", "> x", "&a x", "*a", "!t x", "@x", "%x", "`x`", "=", "<", "(x)", "$HOME", "ä", "x ä", "\t",
     "x\ty", "? x", ": x", ", x", "] x", "} x", "x, y", "x]", "...", '["a b", c]',
     '["a" "b"]', "['it''s']", '["a",]', '[, "a"]', '["a"', '["\\n"]', '["a": b]', '["a", [b]]', "['a' ]x"]
)  # fmt: skip
_PLAIN_TEXTS = st.sampled_from(
    ["x", "two  words ", "a:b", "a#c", "[x, y]", "[]", "'q'", '"q"', "-n", "007", "~", "$HOME", "x ä", "x, y", "x {i}",
     '["a b", c]', "['x, y' ,\"{z}\" ]", "['', \"]\", 007]"]
)  # fmt: skip
_LINES = st.one_of(
    st.builds(lambda indent, key, text: f"{' ' * indent}{key}: {text}", st.integers(0, 6), _KEYS, _TEXTS),
    st.builds(lambda indent, key: f"{' ' * indent}{key}:", st.integers(0, 6), _KEYS),
    st.builds(lambda indent, text: f"{' ' * indent}- {text}", st.integers(0, 6), _TEXTS),
    st.builds(lambda indent, text: f"{' ' * indent}{text}", st.integers(0, 4), _TEXTS),
    st.sampled_from(["", "  ", "# c", "   # c", "---", "...", "\r", "-", "a:\r"]),
)


@st.composite
def _blocks(draw: st.DrawFn, indent: int = 0, depth: int = 0) -> list[str]:
    """Make the lines of a map, as people and programs write them."""
    lines: list[str] = []
    for key in draw(st.lists(st.sampled_from(["a", "b", "c-d", "_e", "f.g"]), min_size=1, max_size=3, unique=True)):
        lines += draw(st.lists(st.sampled_from(["", "# c", " " * indent, f"{' ' * indent}# c"]), max_size=1))
        kind = draw(st.sampled_from(["text", "text", "list", "map", "nothing"]))
        if kind == "text" or depth == 3:
            lines.append(f"{' ' * indent}{key}:{' ' * draw(st.integers(1, 2))}{draw(_PLAIN_TEXTS)}")
            continue
        lines.append(f"{' ' * indent}{key}:{' ' * draw(st.integers(0, 1))}")
        if kind == "list":
            inner = indent + draw(st.integers(0, 3))
            lines += [f"{' ' * inner}- {text}" for text in draw(st.lists(_PLAIN_TEXTS, min_size=1, max_size=3))]
        elif kind == "map":
            lines += draw(_blocks(indent + draw(st.integers(1, 4)), depth + 1))
    return lines


@st.composite
def _changed(draw: st.DrawFn) -> str:
    """Make a plain document, perhaps with one line too many, too few or moved to the side."""
    lines = draw(_blocks())
    at = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(["as it is", "moved", "left out", "repeated", "other"])):
        case "moved":
            lines[at] = draw(st.sampled_from([f" {lines[at]}", f"  {lines[at]}", lines[at].removeprefix(" ")]))
        case "left out":
            del lines[at]
        case "repeated":
            lines.insert(at, lines[at])
        case "other":
            lines.insert(at, draw(_LINES))
    return "\n".join(lines)


def test_plain_lines_give_what_yaml_gives() -> None:
    plain = read_plain(PLAIN)
    assert plain is not None
    assert plain == read_with_yaml(PLAIN, "f.yaml")
    assert plain.key_lines == {"name": 2, "tasks": 3, "result": 22}


@given(_changed() | st.lists(_LINES, max_size=8).map("\n".join) | st.text(max_size=60))
@example("a:\n  b: 1\n c: 2")
@example("a: x\n  b: y")
@example("a:\n- x\n- y\nb: z")
@example("a:\n- x\n  y\n")
@example("a:\n  - x\n- y")
@example("a: x\n# c\n  y")
@example("a:\n\n\n  b:\n\nc:")
@example("a:\nb: 1\na: 2")
@example("  a: 1\n  b: 2")
@example("a: 'x\ty'")
@example("a: x \n")
def test_whatever_is_taken_for_plain_is_read_as_yaml_reads_it(text: str) -> None:
    try:
        check_text(text, "f.yaml")
    except InvalidInput:
        return
    plain = read_plain(text)
    if plain is not None:
        assert plain == read_with_yaml(text, "f.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only this",
        "- x",
        "a: {b: c}",
        "a: &x b",
        "a: |\n  b",
        "a: b: c",
        "a: 1\na: 2",
        "a:\n\tb: 1",
        "a: b\r\n",
        "--- x",
    ],
)
def test_what_a_line_does_not_say_by_itself_is_left_to_yaml(text: str) -> None:
    assert read_plain(text) is None


def test_depth_has_a_limit() -> None:
    def nested(depth: int) -> str:
        return "\n".join(f"{' ' * level}a:" for level in range(depth))

    assert isinstance(read_plain(nested(FLOW_DEPTH_MAX)), MapNode)
    assert read_plain(nested(FLOW_DEPTH_MAX + 1)) is None
