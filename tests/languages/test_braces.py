from hypothesis import example, given
from hypothesis import strategies as st

from roost.languages.braces import literal, plain


def test_text_without_placeholders_stays_as_it_is() -> None:
    for text in ("", "plain", "{ x }", "${HOME}", "awk '{print $1}'", "}", "a}b{"):
        assert literal(text) == text


def test_what_looks_like_a_placeholder_is_doubled() -> None:
    assert literal("a {i} b") == "a {{i}} b"


@given(st.text("{}a.i$ ", max_size=12))
@example("}}{i}")
@example("{i}}}")
@example("${i}{i}")
@example("{{i}")
def test_the_node_reads_back_what_was_written(text: str) -> None:
    assert plain(literal(text)) == text
