import subprocess
from pathlib import Path
from typing import Any

import pytest

from roost.executors.template import OwnInputs
from roost.languages.trace.simulation import Simulation, placeholder_command
from roost.languages.trace.staging import Staging
from roost.languages.trace.trace import Trace, TraceProblems, TraceTask
from roost.languages.wfformat.ran import RanCommand, UnknownInputError
from roost.model.errors import InvalidInput
from roost.model.stray import carried
from roost.model.task import EdgeKind


def ran(*words: str, **more: Any) -> RanCommand:
    given = {"argv": list(words), "has_items": False, "cwd": None, "env": {}, "stdin": None, "outputs": {}, **more}
    return RanCommand("say", given, {"m": EdgeKind.EACH})


def test_words_are_those_of_the_element() -> None:
    assert ran("echo", "{{i}} {i}").words(OwnInputs(3)) == ["echo", "{i} 3"]
    assert ran("echo", has_items=True).words(OwnInputs(0, "a b")) == ["echo", "a b"]


def test_variables_that_stand_for_placeholders_are_told_in_the_text_of_the_shell() -> None:
    command = ran("/bin/sh", "-ec", 'echo "${roost_item}"', "sh", has_items=True, env={"roost_item": "{item}"})
    words = command.words(OwnInputs(0, "it's $HOME"))
    assert subprocess.run(words, env={}, capture_output=True, check=True).stdout == b"it's $HOME\n"


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"stdin": "a text"}, r"a standard input \('a text'\)"),
        ({"env": {"LEVEL": "2", "MODE": "x"}}, r"variables of its own \('LEVEL, MODE'\)"),
        ({"env": {"roost_item": "1"}}, r"variables of its own \('roost_item'\)"),
    ],
)
def test_what_the_format_has_no_words_for_is_refused_with_the_way_out(more: dict[str, Any], what: str) -> None:
    with pytest.raises(InvalidInput, match=rf"task 'say' has {what}, for which WfFormat has no words; .*--jsonl"):
        ran("cat", **more)


def test_words_that_are_no_text_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"no UTF-8 \('a\\xff'\)"):
        ran("cat", carried(b"a\xff")).words(OwnInputs(0))


def test_what_did_not_arrive_is_not_known() -> None:
    command = ran("wc", "{needs.m.text}", "{needs.m.text}")
    assert command.files() == {"m": ("text",)}
    with pytest.raises(UnknownInputError):
        command.words(OwnInputs(0))


def test_placeholders_of_a_replay_ran_nothing() -> None:
    assert ran(**placeholder_command(1.0, {}, ["{needs.m.text}"])).words(OwnInputs(0)) == []


def test_the_same_line_by_hand_is_told_as_it_ran() -> None:
    argv = placeholder_command(1.0, {"x": 0}, [])["argv"]
    assert ran(argv=argv).words(OwnInputs(0)) == argv


def test_who_says_that_a_command_was_something_else_changes_no_word_of_what_ran() -> None:
    command = ran("nice", "-n", "5", "wc", "{i}", recorded={"type": "staged", "program_at": 3, "outside": ["rm"]})
    assert command.words(OwnInputs(7)) == ["wc", "7"]


def test_staged_programs_are_told_without_their_staging(tmp_path: Path) -> None:
    def staged(task: TraceTask) -> RanCommand:
        trace = Trace("w", [task], None)
        staging = Staging(trace, tmp_path, TraceProblems("w.json", Simulation(), lambda place: 1))
        command = staging.work(0, task, [], {"in.txt": "{needs.m.text}"}, [])["command"]
        return ran(argv=command["argv"], stdin=command.get("stdin"), recorded=command["recorded"])

    program = TraceTask("say", argv=["wc", "in.txt"], inputs=["in.txt"])
    assert staged(program).words(OwnInputs(0)) == ["wc", "in.txt"]
    assert staged(program).files() == {"m": ("text",)}
    with pytest.raises(InvalidInput, match=r"a standard output \('out.txt'\)"):
        staged(TraceTask("say", argv=["wc", "in.txt"], inputs=["in.txt"], stdout="out.txt"))
