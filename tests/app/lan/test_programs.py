"""The programs' folder: what lies there can be run, nothing else, and with the inputs that it says it needs."""

from pathlib import Path

import pytest

from roost.app.lan.programs import GivenInput, Programs
from roost.model.errors import InvalidInput, NotFound
from roost.model.limits import PROGRAMS_MAX
from tests.app.lan.running_lan import add_program

GEOREFERENCING = """<task><name>georeferencing</name><type>G</type><inputs>
<input><other_task_type>I</other_task_type><other_nth_output>1</other_nth_output></input>
<input><other_task_type>I</other_task_type><other_nth_output>2</other_nth_output></input>
</inputs></task>"""


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    programs = Programs(tmp_path / "programs")
    programs.prepare()
    for name in ("import", "georeferencing"):
        add_program(programs.folder, name)
    return programs


def describe(programs: Programs, name: str, text: str) -> None:
    (programs.folder / f"{name}.xml").write_text(text)


def test_a_program_is_found_by_its_name(programs: Programs) -> None:
    assert programs.find("import") == programs.folder / "import"


def test_one_that_is_not_there_is_refused_with_those_that_are(programs: Programs) -> None:
    (programs.folder / "notes").write_text("not executable")
    with pytest.raises(NotFound, match=r"no program 'imprt' in .*; it has georeferencing, import$"):
        programs.find("imprt")
    for number in range(20):
        add_program(programs.folder, f"more{number:02}")
    with pytest.raises(NotFound, match=r"more07 and 12 more$"):
        programs.find("imprt")


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    programs = Programs(tmp_path / "new" / "programs")
    programs.prepare()
    assert programs.folder.stat().st_mode & 0o777 == 0o700
    with pytest.raises(NotFound, match="it has none so far"):
        programs.find("import")


@pytest.mark.parametrize("name", ["../import", "/bin/sh", "sub/import", "..", ".hidden", "-p", "", "a b", "x" * 65])
def test_nothing_outside_the_folder_can_be_named(programs: Programs, name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be a program"):
        programs.find(name)


def test_a_file_that_is_not_executable_is_refused(programs: Programs) -> None:
    (programs.folder / "import").chmod(0o644)
    with pytest.raises(InvalidInput, match=r"not executable; .*chmod \+x"):
        programs.find("import")


def test_a_folder_that_everybody_may_write_to_is_refused(programs: Programs) -> None:
    programs.folder.chmod(0o777)
    with pytest.raises(InvalidInput, match="everybody may write"):
        programs.prepare()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot be used"):
        Programs(tmp_path / "file").prepare()


def test_without_a_description_any_inputs_will_do(programs: Programs) -> None:
    programs.check_inputs("georeferencing", [])
    programs.check_inputs("georeferencing", [GivenInput("import", 3)])


def test_inputs_as_described_are_accepted(programs: Programs) -> None:
    """LAN 4.3: a description says which output of which type of task each input is."""
    describe(programs, "georeferencing", GEOREFERENCING)
    describe(programs, "import", "<task><name>import</name><type>I</type></task>")
    programs.check_inputs("georeferencing", [GivenInput("import", 1), GivenInput("import", 2)])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], r"takes 2 inputs \(the 1st output of I, the 2nd output of I\), but -a was given not at all"),
        ([GivenInput("import", 1)], "but -a was given once"),
        ([GivenInput("import", 1)] * 3, "but -a was given 3 times"),
        (
            [GivenInput("import", 1), GivenInput("import", 3)],
            "the 2nd input of georeferencing is the 2nd output of I, but -a leads to the 3rd output of I",
        ),
        ([GivenInput("other", 1), GivenInput("import", 2)], "but -a leads to the 1st output of other"),
    ],
)
def test_other_inputs_are_refused_with_what_is_needed(
    programs: Programs, given: list[GivenInput], sentence: str
) -> None:
    describe(programs, "georeferencing", GEOREFERENCING)
    describe(programs, "import", "<task><name>import</name><type>I</type></task>")
    with pytest.raises(InvalidInput, match=sentence):
        programs.check_inputs("georeferencing", given)


def test_a_type_is_the_program_s_name_if_nothing_else_is_said(programs: Programs) -> None:
    describe(programs, "georeferencing", GEOREFERENCING.replace(">I<", ">import<"))
    programs.check_inputs("georeferencing", [GivenInput("import", 1), GivenInput("import", 2)])


def test_a_wrong_description_is_told_with_file_and_line(programs: Programs) -> None:
    describe(programs, "import", "<task>\n<name>import</name>\n</task>")
    with pytest.raises(InvalidInput, match=r"import\.xml:1: <task> lacks <type>"):
        programs.check_inputs("import", [])
    (programs.folder / "import.xml").unlink()
    (programs.folder / "import.xml").mkdir()
    with pytest.raises(InvalidInput, match=r"import\.xml cannot be read: Is a directory"):
        programs.check_inputs("import", [])


def test_the_programs_that_a_node_can_run_are_those_that_are_executable(programs: Programs) -> None:
    (programs.folder / "notes.txt").write_text("not executable")
    (programs.folder / "folder").mkdir()
    (programs.folder / "2nd").write_text("no name of a program")
    (programs.folder / "2nd").chmod(0o700)
    here = programs.names()
    assert here == tuple(sorted(here))
    assert {"notes.txt", "folder", "2nd"}.isdisjoint(here)
    assert [programs.find(name).name for name in here] == list(here)
    assert here


def test_of_very_many_programs_the_first_count(tmp_path: Path) -> None:
    for number in range(PROGRAMS_MAX + 5):
        add_program(tmp_path / "many", f"p{number:03}")
    assert Programs(tmp_path / "many").names() == tuple(f"p{number:03}" for number in range(PROGRAMS_MAX))


def test_what_everybody_could_have_put_there_is_not_run_nor_is_what_is_not_there(programs: Programs) -> None:
    programs.folder.chmod(0o707)
    assert programs.names() == ()
    assert Programs(programs.folder / "gone").names() == ()
