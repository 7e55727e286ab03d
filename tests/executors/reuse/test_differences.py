"""What differs between two elements, in words."""

import msgspec

from roost.executors.reuse.differences import part_differences, work_differences
from roost.executors.reuse.entries import Entry
from roost.model.ids import BlobHash
from roost.model.task import Command, Function, Script

COMMAND = Command(("run", "a b"), "/x", {"A": "1", "B": "2"})
FUNCTION = Function(BlobHash("1"), "3.11")


def changed(**fields: object) -> list[str]:
    return work_differences(COMMAND, msgspec.structs.replace(COMMAND, **fields))


def test_a_changed_command_is_shown_as_it_was_and_is() -> None:
    assert changed(argv=("run", "c")) == ["the command changed (was 'run 'a b'', is 'run c')"]
    assert changed(cwd="/y") == ["the folder changed (was /x, is /y)"]
    assert changed(stdin="x") == ["what it reads from standard input changed"]
    assert changed(outputs={"o": "p"}) == ["the files that it declares to leave changed"]
    assert changed() == []


def test_variables_are_named_without_their_values() -> None:
    assert changed(env={"A": "secret", "C": "3"}) == [
        "the environment variable A changed",
        "the environment variable B was removed",
        "the environment variable C was added",
    ]


def test_long_commands_are_cut() -> None:
    (sentence,) = changed(argv=("run", "x" * 10_000))
    assert len(sentence) < 400


def test_functions_and_scripts_say_what_changed() -> None:
    other = msgspec.structs.replace(FUNCTION, code=BlobHash("2"), arguments=BlobHash("3"))
    assert work_differences(FUNCTION, other) == ["the function changed", "its arguments changed"]
    script = Script(BlobHash("1"), "a")
    assert work_differences(script, Script(BlobHash("2"), "a")) == ["the script changed"]
    assert work_differences(COMMAND, FUNCTION) == ["it was a command and is a function"]


def test_parts_that_differ_are_named() -> None:
    was = Entry(parts={"input a": b"1", "file x.py": b"1", "item": b"1", "program sh": b"1", "file same": b"1"})
    now = Entry(parts={"input a": b"2", "file y.py": b"1", "item": b"2", "program sh": b"2", "file same": b"1"})
    assert part_differences(was, now) == [
        "the file x.py was removed",
        "the file y.py was added",
        "the input at port 'a' changed",
        "its item changed",
        "the program sh changed",
    ]
