from typing import Any

import pytest

from roost.languages.trace.beyond import require_plain_commands
from roost.languages.trace.simulation import placeholder_command
from roost.model.errors import InvalidInput


def submission(command: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"tasks": [{"name": "t", "command": command, **more}]}


def test_placeholders_and_single_commands_in_folders_of_their_own_are_fine() -> None:
    require_plain_commands(submission(placeholder_command(1.0, {"x": 5}, [])), "a DAX")
    require_plain_commands(submission({"argv": ["ls"], "outputs": {"x": "x"}}, cpus=2), "a DAX")


def test_the_line_of_a_placeholder_by_hand_is_a_command_like_any_other() -> None:
    by_hand = {"argv": placeholder_command(1.0, {"x": 5}, [])["argv"]}
    with pytest.raises(InvalidInput, match=r"task 't' holds {task}"):
        require_plain_commands(submission(by_hand), "a DAX")


@pytest.mark.parametrize("wish", ["retries", "priority", "memory_bytes", "time_limit_s", "reuse"])
def test_wishes_that_a_trace_does_not_know_are_refused(wish: str) -> None:
    with pytest.raises(InvalidInput, match=r"task 't' .*; a DAX has no words for it, a flow .* has"):
        require_plain_commands(submission({"argv": ["ls"]}, **{wish: 1}), "a DAX")


def test_placeholders_in_variables_and_paths_are_refused() -> None:
    for command in (
        {"argv": ["ls"], "env": {"A": "{task}"}},
        {"argv": ["ls"], "outputs": {"x": "{i}.txt"}},
        {"argv": ["ls"], "env": {"A": "{needs.p.file}"}},
    ):
        with pytest.raises(InvalidInput, match=r"task 't' holds {"):
            require_plain_commands(submission(command), "a DAX")


def test_a_policy_is_nothing_that_a_trace_could_say() -> None:
    with pytest.raises(InvalidInput, match=r"the workflow names a policy; a DAX has no words for it"):
        require_plain_commands(submission({"argv": ["ls"]}) | {"policy": "bfgc"}, "a DAX")
