from hypothesis import given
from hypothesis import strategies as st

from roost.app.lan.words import PortOutput, command_words, literal
from roost.executors.template import parse


def test_a_program_without_inputs_is_called_as_it_is() -> None:
    """LAN 5.2.2."""
    assert command_words("/p/import", "/data/{raw}", [], "p.xml") == [
        "/p/import", "-p", "/data/{{raw}}", "-x", "p.xml",
    ]  # fmt: skip
    assert command_words("/p/import", None, [], None) == ["/p/import"]


def test_inputs_are_datasets_of_earlier_tasks_by_number() -> None:
    """LAN 4.4."""
    words = command_words("/p/g", None, [PortOutput(2, "input1"), PortOutput(1, "input1")], "p.xml")
    assert words == ["/p/g", "-i", "{needs.input1/2}", "-i", "{needs.input1/1}", "-x", "p.xml"]


@given(st.text(st.sampled_from("{}$i.a needs/"), max_size=12))
def test_a_literal_text_reaches_the_program_unchanged(text: str) -> None:
    assert "".join(str(part) for part in parse(literal(text), has_items=True, ports={})) == text
