import msgspec

from roost.api.handed_in import Commands, TaskCommand
from roost.model.ids import TaskId
from roost.model.recorded import Replayed


def test_what_a_command_was_is_told_with_its_kind() -> None:
    command = TaskCommand(TaskId("1-kedova/t"), ["true"], False, None, {}, None, {}, Replayed(1.5))
    told = msgspec.json.encode(Commands([command]))
    assert msgspec.json.decode(told)["commands"][0]["recorded"] == {"type": "replayed", "seconds": 1.5}
    assert msgspec.json.decode(told, type=Commands) == Commands([command])
