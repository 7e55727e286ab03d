"""The step before a LAN program: outputs of earlier tasks become its inputs, and the process becomes the program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from roost.app.lan import hand_over
from roost.app.lan.hand_over import nth_dataset
from tests.app.lan.running_lan import add_program

OUTPUT = "PROGRESS 10\nTERMINATED 5\nreading TERMINATED files\nTERMINATED 11 12 13"


def become(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", hand_over.__file__, *words],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_the_program_gets_its_inputs_in_order_and_all_else_as_it_was(tmp_path: Path) -> None:
    """LAN 5.2.2: ``./task_exec_name [-p path_to_raw_files] [-i input1] ... [-x parameters.xml]``."""
    program = add_program(tmp_path, "echo", '#!/bin/sh\nprintf "%s|" "$@" "$$"\n')
    ended = become(str(program), "-p", "-a", "-a", "2", OUTPUT, "-a", "1", OUTPUT, "-x", "p 1.xml")
    *words, pid, _ = ended.stdout.split("|")
    assert words == ["-p", "-a", "-i", "12", "-i", "11", "-x", "p 1.xml"]
    assert int(pid) != os.getpid()


def test_it_is_the_same_process_so_that_signals_and_messages_reach_the_program(tmp_path: Path) -> None:
    program = add_program(tmp_path, "pid", "#!/bin/sh\necho $$\n")
    with subprocess.Popen(
        [sys.executable, "-I", "-S", hand_over.__file__, str(program)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.communicate(timeout=30)[0] == f"{process.pid}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("/bin/true", "-a", "4", OUTPUT), "ERROR output 4 of the task before is wanted, but it has named 3\n"),
        (("/bin/true", "-a", "1", "hello"), "ERROR output 1 of the task before is wanted, but it has named 0\n"),
    ],
)
def test_an_output_that_is_not_there_is_an_error_in_lan_s_words(words: tuple[str, ...], said: str) -> None:
    ended = become(*words)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, said, "")


def test_a_program_that_is_gone_is_an_error_in_lan_s_words(tmp_path: Path) -> None:
    ended = become(str(tmp_path / "gone"))
    assert ended.returncode == 1
    assert ended.stdout.startswith("ERROR ")
    assert "No such file" in ended.stdout


def test_the_last_word_of_the_task_before_counts() -> None:
    assert [nth_dataset(nth, OUTPUT) for nth in (1, 2, 3)] == ["11", "12", "13"]
