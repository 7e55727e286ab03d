"""What is written reads as the same workflow."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.lan.writing import write_lan
from roost.languages.outline import Outline, Reading
from roost.model.errors import InvalidInput
from tests.languages.lan.descriptions import Tasks


def again(tasks: Tasks, reading: Reading) -> Reading:
    """Put what is written in the place of what was read, and read that."""
    for path in tasks.folder.glob("*.xml"):
        path.unlink()
    for name, text in write_lan(reading).items():
        (tasks.folder / name).write_text(text)
    return tasks.read(reading.submission["final"][0])


def without_lines(outline: Outline) -> Outline:
    """Return the outline as if all stood on one line: what is written has other lines than what people wrote."""
    return replace(outline, links=tuple(replace(link, line=1) for link in outline.links))


def test_the_workflow_of_the_document_comes_back(tasks: Tasks) -> None:
    reading = tasks.read("anomaly_detection")
    written = again(tasks, reading)
    assert written.submission == reading.submission
    assert without_lines(written.outline) == without_lines(reading.outline)


def test_an_input_that_only_looks_like_that_of_another_task_is_none(tasks: Tasks) -> None:
    reading = tasks.read("georeferencing")
    before = write_lan(reading)
    *_, task = reading.submission["tasks"]
    port = task["edges"][0]["port"]
    task["command"]["argv"] += ["-i", f"{{{{needs.{port}/1}}}}", "-i", f"{port}/2"]
    assert write_lan(reading) == before


def test_a_description_is_written_as_the_listing_has_it(tasks: Tasks) -> None:
    assert write_lan(tasks.read("georeferencing"))["georeferencing.xml"].splitlines()[:10] == [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<task>",
        "  <name>georeferencing</name>",
        "  <type>georeferencing</type>",
        "  <inputs>",
        "    <input>",
        "      <other_task_type>import</other_task_type>",
        "      <other_nth_output>1</other_nth_output>",
        "    </input>",
        "    <input>",
    ]


@given(st.data())
def test_any_workflow_comes_back(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("lan")
    tasks = Tasks.__new__(Tasks)
    tasks.folder = folder
    count = data.draw(st.integers(1, 6))
    for number in range(count):
        sources = st.integers(0, max(number - 1, 0))
        inputs = data.draw(st.lists(st.tuples(sources, st.integers(1, 3)), max_size=4)) if number else []
        program = data.draw(st.sampled_from([None, "shared"])) if number < count - 1 else None
        tasks.describe(f"task{number}", f"T {number}", tuple(f"T {one}/{nth}" for one, nth in inputs), program)
    reading = tasks.read(f"task{count - 1}")
    assert again(tasks, reading).submission == reading.submission


def test_what_is_not_a_lan_program_is_refused() -> None:
    submission = {"name": "", "final": [], "tasks": [{"name": "a", "value": {"json": 1}}]}
    with pytest.raises(InvalidInput, match="task 'a' is not a LAN program"):
        write_lan(Reading(submission, Outline("", (), (), ()), []))


def test_the_files_are_named_like_the_tasks(tasks: Tasks, tmp_path: Path) -> None:
    assert sorted(write_lan(tasks.read("segmentation"))) == ["georeferencing.xml", "import.xml", "segmentation.xml"]
