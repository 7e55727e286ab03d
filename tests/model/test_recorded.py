import msgspec
import pytest

from roost.model.errors import InvalidInput
from roost.model.limits import RECORDED_NAME_LENGTH_MAX
from roost.model.recorded import Recorded, Replayed, Staged, check_recorded
from roost.model.task import Command


@pytest.mark.parametrize(
    "told",
    [
        {"type": "replayed", "seconds": -1},
        {"type": "replayed", "seconds": 1, "sizes": {"x": -1}},
        {"type": "replayed", "seconds": 1, "sizes": {"x" * (RECORDED_NAME_LENGTH_MAX + 1): 1}},
        {"type": "replayed", "seconds": 1, "program_at": 3},
        {"type": "staged", "program_at": 0},
        {"type": "staged"},
        {"type": "guessed"},
        {},
    ],
)
def test_what_no_command_can_have_been_is_refused(told: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(told, Recorded)


def test_a_program_is_a_word_of_its_command() -> None:
    for recorded in (Replayed(1.0), Staged(2)):
        check_recorded(recorded, 3)
    with pytest.raises(InvalidInput, match="its program cannot be word 3: the command has 3, from 0"):
        check_recorded(Staged(3), 3)


def test_an_ordinary_command_carries_nothing_of_it() -> None:
    assert msgspec.msgpack.encode(Command(("true",))) == msgspec.msgpack.encode({"type": "command", "argv": ["true"]})
