from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.commands.reader import read_commands
from roost.languages.commands.writer import write_commands
from roost.model.errors import InvalidInput
from roost.model.limits import RANGES_MAX
from roost.model.stray import carried, native_bytes
from tests.growth import assert_linear
from tests.languages.recorded import refusal


def task_of(text: str) -> dict[str, Any]:
    tasks: list[dict[str, Any]] = read_commands(text, "jobs.txt", Path("/some/{i}/folder")).submission["tasks"]
    assert len(tasks) == 1
    return tasks[0]


def why(text: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read_commands(text, "jobs.txt")
    return str(caught.value).splitlines()


def test_every_line_is_an_element_that_has_the_lines_number() -> None:
    task = task_of("# a comment\necho one | wc -c\n\n  echo 'two words' > {i}.txt\r\n#echo no\necho $HOME")
    assert (task["array"], task["items"]) == ("2,4,6", ["echo one | wc -c", "echo 'two words' > {i}.txt", "echo $HOME"])
    assert (task["command"]["argv"], task["command"]["cwd"]) == (["/bin/sh", "-c", "{item}"], "/some/{{i}}/folder")


def test_the_run_is_named_after_the_file() -> None:
    reading = read_commands("true", "some/jobs.txt")
    assert reading.submission["name"] == "jobs"
    assert [node.what for node in reading.outline.nodes] == ["/bin/sh -c '{item}'"]
    assert read_commands("true", "x\ny.txt").submission["name"] == "commands"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "jobs.txt:1: there is no command in this file; write one on a line"),
        ("#x\n\n", "jobs.txt:1: there is no command in this file; write one on a line"),
        ("true\necho a \\\n  b", "jobs.txt:2: the line ends with '\\', but every line is a command of its own"),
        ("true\necho 'a", "jobs.txt:2: a shell cannot read 'echo 'a' ("),
        ("echo a |", "jobs.txt:1: a shell cannot read 'echo a |' ("),
        ("echo $(a", "jobs.txt:1: a shell cannot read 'echo $(a' ("),
        ("cat <<'END'\nhello\nEND", "jobs.txt:1: '<<' takes the lines that follow, but every line is a command"),
        ("for i in 1 2\ndo\n  echo $i\ndone", "jobs.txt:1: a shell cannot read 'for i in 1 2' ("),
        ("if true; then echo x", "jobs.txt:1: a shell cannot read 'if true; then echo x' ("),
        ("echo a; }", "jobs.txt:1: a shell cannot read 'echo a; }' ("),
        ("true\n" + "x" * 200_000, "jobs.txt:2: this command has 200,000 characters; put it into a script of its own"),
        ("echo \0", "jobs.txt:1: a command cannot hold a zero byte; remove it"),
        ("true\n\n" * (RANGES_MAX + 1), "jobs.txt has more than 100,000 gaps between its commands; remove blank lines"),
    ],
)  # fmt: skip
def test_what_no_shell_can_read_is_refused_before_anything_runs(text: str, told: str) -> None:
    assert why(text)[0].startswith(told)


@pytest.mark.parametrize(
    "line",
    [
        "echo it\\'s", 'echo "$(echo ")")"', "a b # it's", "echo \\\\", "for i in 1 2; do echo $i; done", "echo `date`",
        "if true; then echo x; fi", "echo if then", "echo $((1<<3)) 'a <<b'", "{ echo a; echo b; }", "echo {} {1..3}",
    ],
)  # fmt: skip
def test_what_only_looks_open_is_accepted(line: str) -> None:
    assert task_of(line)["items"] == [line]


def test_lines_may_end_as_on_old_computers() -> None:
    assert task_of("echo one\recho two\r")["items"] == ["echo one", "echo two"]


def test_tens_of_thousands_of_lines_take_linear_time() -> None:
    def read(count: int) -> None:
        text = "".join(f"convert 'picture {number}.png' -resize 50% small-{number}.png\n" for number in range(count))
        assert len(task_of(text)["items"]) == count

    assert_linear(read, 50_000)


@given(st.lists(st.sampled_from(["", "# c", "echo x", "  ls | wc", "echo 'a b' \\\\", "true &", " "]), max_size=12))
def test_what_is_written_is_read_again(lines: list[str]) -> None:
    try:
        submission = read_commands("\n".join(lines)).submission
    except InvalidInput:
        assert not any(line.strip() and not line.startswith("#") for line in lines)
        return
    assert read_commands(write_commands(submission)).submission == submission


@given(st.text(max_size=30))
def test_anything_gives_a_reading_or_a_clear_error(text: str) -> None:
    told = refusal(lambda: read_commands(text, "jobs.txt"))
    assert not told or told.startswith("jobs.txt")


def test_lines_may_hold_bytes_that_are_no_text_and_come_back_as_they_were() -> None:
    line = carried(b"cat 'caf\xe9'")
    task = task_of(f"{line}\n")
    assert [native_bytes(item) for item in task["items"]] == [b"cat 'caf\xe9'"]
    back = write_commands(read_commands(f"{line}\n", "jobs.txt").submission)
    assert back.encode(errors="surrogateescape") == b"cat 'caf\xe9'\n"
    (told,) = why(carried(b"echo 'caf\xe9"))
    assert told.startswith("jobs.txt:1: a shell cannot read 'echo 'caf\\xe9' (")
