"""From one description to the whole workflow: programs, inputs, what is passed on, and what is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.lan.reading import read_lan
from roost.model.errors import InvalidInput
from tests.languages.lan.descriptions import Tasks, description

EXAMPLE = Path(__file__).parents[3] / "examples" / "inspection"


def test_the_workflow_of_the_document_comes_from_its_last_description(tasks: Tasks) -> None:
    """LAN table 4.1."""
    submission = tasks.read("anomaly_detection").submission
    assert [task["name"] for task in submission["tasks"]] == [
        "import", "georeferencing", "segmentation", "anomaly_detection",
    ]  # fmt: skip
    assert submission["final"] == ["anomaly_detection"]
    assert [task["edges"] for task in submission["tasks"]] == [
        [],
        [{"source": "import", "kind": "broadcast", "port": "input1"}],
        [
            {"source": "import", "kind": "broadcast", "port": "input1"},
            {"source": "georeferencing", "kind": "broadcast", "port": "input2"},
        ],
        [{"source": "segmentation", "kind": "broadcast", "port": "input1"}],
    ]
    commands = [task["command"] for task in submission["tasks"]]
    assert {(command["protocol"], command["cwd"]) for command in commands} == {("lan", str(tasks.folder))}


def test_inputs_are_outputs_of_the_tasks_before_by_number(tasks: Tasks) -> None:
    assert tasks.words("georeferencing") == [
        "-i", "{needs.input1/1}", "-i", "{needs.input1/2}", "-i", "{needs.input1/3}",
    ]  # fmt: skip
    assert tasks.words("segmentation") == [
        "-i", "{needs.input1/1}", "-i", "{needs.input2/1}", "-i", "{needs.input2/2}",
    ]  # fmt: skip


def test_the_raw_files_go_to_the_import_and_the_parameters_to_all_others(tasks: Tasks) -> None:
    (tasks.folder / "raw").mkdir()
    (tasks.folder / "parameters.xml").write_text("<parameters/>")
    assert tasks.words("import") == ["-p", "raw"]
    assert tasks.words("anomaly_detection") == ["-i", "{needs.input1/1}", "-x", "parameters.xml"]


def test_both_can_be_named_from_outside(tasks: Tasks) -> None:
    assert tasks.words("import", raw="/data/{flight} 7", parameters="p.xml") == ["-p", "/data/{{flight}} 7"]
    assert tasks.words("anomaly_detection", parameters="p.xml")[-2:] == ["-x", "p.xml"]


def test_a_task_without_inputs_gets_the_parameters_if_there_are_no_raw_files(tasks: Tasks) -> None:
    assert tasks.words("import", parameters="p.xml") == ["-x", "p.xml"]


def test_what_else_is_named_from_outside_is_refused(tasks: Tasks) -> None:
    assert tasks.told("import", parameter="p.xml") == (
        "--set 'parameter' is not known to task descriptions; did you mean 'parameters'?"
    )
    assert tasks.told("import", x="1") == ("--set 'x' is not known to task descriptions; there are raw and parameters")


def test_a_program_may_be_one_that_is_installed(tasks: Tasks) -> None:
    (tasks.folder / "true.xml").write_text(description("true", "T"))
    (task,) = tasks.read("true").submission["tasks"]
    assert task["command"]["argv"][0].endswith("/true")


def test_blanks_in_a_name_are_underscores_in_the_program(tasks: Tasks) -> None:
    (tasks.folder / "ad.xml").write_text(description("anomaly detection", "A2"))
    (task,) = tasks.read("ad").submission["tasks"]
    assert task["name"] == "anomaly_detection"
    assert task["command"]["argv"] == [f"{tasks.folder}/anomaly_detection"]


@pytest.mark.usefixtures("no_programs")
def test_a_program_that_cannot_be_run_is_told_at_its_name(tasks: Tasks) -> None:
    (tasks.folder / "import").chmod(0o644)
    assert tasks.told("segmentation") == (
        "import.xml:3: the program 'import' is not executable; change that with 'chmod +x import'"
    )
    (tasks.folder / "import").unlink()
    (tasks.folder / "import.xml").write_text(description("no-such-program", "I"))
    assert tasks.told("segmentation") == (
        "import.xml:3: there is no program 'no-such-program' in this folder, nor on the PATH; put it beside this file"
    )
    (tasks.folder / "import.xml").write_text(description("../import", "I"))
    assert tasks.told("segmentation") == "import.xml:3: '../import' names a path; give a program's name alone"


def test_tasks_that_wait_for_each_other_are_told(tasks: Tasks) -> None:
    tasks.describe("import", "I", ("AD/1",))
    assert tasks.told("segmentation") == (
        "segmentation.xml:6: these nodes wait for each other in a circle: "
        "segmentation -> anomaly_detection -> import -> segmentation; remove one of these edges"
    )
    tasks.describe("import", "I", ("G/2",))
    assert tasks.told("segmentation").startswith("georeferencing.xml:6: these nodes wait for each other in a circle: ")


def test_one_program_may_run_several_types_of_tasks(tasks: Tasks) -> None:
    tasks.describe("left", "L", (), program="sensor")
    tasks.describe("right", "R", (), program="sensor")
    tasks.describe("both", "B", ("L/1", "R/1"))
    assert [task["name"] for task in tasks.read("both").submission["tasks"]] == ["L", "R", "both"]


def test_the_outline_names_programs_and_inputs(tasks: Tasks) -> None:
    outline = tasks.read("segmentation").outline
    assert [(node.name, node.kind, node.what) for node in outline.nodes] == [
        ("import", "command", "import"),
        ("georeferencing", "command", "georeferencing"),
        ("segmentation", "command", "segmentation"),
    ]
    assert [(link.source, link.target, link.port) for link in outline.links] == [
        ("import", "georeferencing", "input1"),
        ("import", "segmentation", "input1"),
        ("georeferencing", "segmentation", "input2"),
    ]
    assert outline.final == ("segmentation",)


def test_the_example_is_the_automatic_part_of_the_inspection() -> None:
    """LAN 1.1: the six automatic tasks, in their order."""
    path = EXAMPLE / "report.xml"
    reading = read_lan(path.read_bytes(), path, {})
    assert [task["name"] for task in reading.submission["tasks"]] == [
        "import", "georeferencing", "segmentation", "anomaly_detection", "aggregation", "report",
    ]  # fmt: skip
    assert reading.warnings == []


SEGMENTATION = description("segmentation", "S", ("I/1", "G/1")).encode()


@given(st.binary(max_size=40), st.integers(0, len(SEGMENTATION)), st.integers(0, 40))
def test_any_damage_gives_a_reading_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, piece: bytes, at: int, gone: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "segmentation.xml"
    with pytest.raises(InvalidInput, match=r"segmentation\.xml:\d+: "):
        read_lan(SEGMENTATION[:at] + piece + SEGMENTATION[at + gone :], path, {})


@given(st.binary(max_size=200))
def test_arbitrary_bytes_give_a_clear_error(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"^x\.xml:\d+: "):
        read_lan(data, Path("x.xml"), {})
