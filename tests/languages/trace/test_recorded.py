import pytest

from roost.languages.trace.recorded import own_words, recorded_json, recorded_of
from roost.model.recorded import Recorded, Replayed, Staged


@pytest.mark.parametrize(
    ("recorded", "own"),
    [(Replayed(1.5, {"x": 3}), []), (Staged(2, "in", outside=["in"]), ["c"]), (None, ["a", "b", "c"])],
)
def test_a_command_says_what_it_was_and_which_words_are_its_own(recorded: Recorded | None, own: list[str]) -> None:
    argv = ["a", "b", "c"]
    command = {"argv": argv, "env": {}, "recorded": None if recorded is None else recorded_json(recorded)}
    assert recorded_of(command) == recorded
    assert own_words(argv, recorded) == own


def test_most_commands_were_never_recorded() -> None:
    assert recorded_of({"argv": ["a"]}) is None
