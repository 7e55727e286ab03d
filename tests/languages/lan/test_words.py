from roost.languages.lan.words import PortOutput, command_words


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
