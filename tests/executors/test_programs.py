"""Programs that a task names are found in the folder of the node that runs it."""

from pathlib import Path

from roost.executors.programs import located
from roost.executors.template import parse
from roost.model.task import Command, Protocol


def test_a_named_program_is_this_node_s_own_and_runs_in_its_folder() -> None:
    command = Command(("import", "-i", "{needs.a/1}"), env={"A": "b"}, protocol=Protocol.LAN, program="import")
    here = located(command, Path("/srv/lan {i}"))
    assert here == Command(
        ("/srv/lan {{i}}/import", "-i", "{needs.a/1}"), "/srv/lan {{i}}", {"A": "b"}, protocol=Protocol.LAN
    )
    assert parse(here.argv[0], has_items=False, ports={}) == ("/srv/lan {i}/import",)


def test_any_other_command_stays_as_it_is() -> None:
    command = Command(("import",), "/work")
    assert located(command, Path("/srv/lan")) is command
    named = Command(("import",), program="import")
    assert located(named, None) is named
