import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from roost.app.lan import hand_over
from roost.app.lan.words import PortOutput, command_words, literal
from roost.executors.template import parse


def test_a_program_without_inputs_is_called_as_it_is() -> None:
    """LAN 5.2.2."""
    assert command_words(Path("/p/import"), "/data/{raw}", [], "p.xml") == [
        "/p/import", "-p", "/data/{{raw}}", "-x", "p.xml",
    ]  # fmt: skip
    assert command_words(Path("/p/import"), None, [], None) == ["/p/import"]


def test_inputs_are_filled_in_by_a_helper_that_becomes_the_program() -> None:
    words = command_words(Path("/p/g"), None, [PortOutput(2, "input1"), PortOutput(1, "input1")], "p.xml")
    assert words[:4] == [sys.executable, "-I", "-S", hand_over.__file__]
    assert words[4:] == ["/p/g", "-a", "2", "{needs.input1}", "-a", "1", "{needs.input1}", "-x", "p.xml"]


@given(st.text(st.sampled_from("{}$i.a needs/"), max_size=12))
def test_a_literal_text_reaches_the_program_unchanged(text: str) -> None:
    assert "".join(str(part) for part in parse(literal(text), has_items=True, ports={})) == text
