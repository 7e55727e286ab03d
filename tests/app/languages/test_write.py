"""One workflow in several languages: what is written reads as what it was, or is refused in a sentence."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from roost.app.flows.renaming import flow_names
from roost.app.languages.read import read_workflow
from roost.app.languages.simulation import Placeholder, Simulation, placeholder_of
from roost.app.languages.write import written
from roost.model.errors import InvalidInput

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def converted(file: Path, out: Path) -> list[dict[str, Any]]:
    """Write a workflow under another name, and return the tasks that are read from there."""
    for path, text in written(read_workflow(file, {}), out).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    tasks: list[dict[str, Any]] = read_workflow(out, {}).submission["tasks"]
    return tasks


def shape(tasks: list[dict[str, Any]]) -> tuple[list[str], list[tuple[str, str, str]]]:
    """The names of the tasks as a flow would have them, and who gets what of whom."""
    names = flow_names(task["name"] for task in tasks)
    links = [
        (names[task["name"]], names[edge["source"]], edge["kind"]) for task in tasks for edge in task.get("edges") or ()
    ]
    return sorted(names.values()), sorted(links)


@pytest.mark.parametrize(
    ("example", "name"),
    [
        ("weevil/pi.xml", "pi.yaml"),
        ("weevil/pi.xml", "again.xml"),
        ("inspection/report.xml", "report.yaml"),
        ("inspection/report.xml", "report.xml"),
        ("traces/diamond.json", "diamond.yaml"),
        ("traces/diamond.json", "diamond.dax"),
        ("traces/mosaic.dax", "mosaic.json"),
        ("pool/flow.yaml", "pool.yaml"),
    ],
)
def test_the_same_tasks_and_links_are_read_again(example: str, name: str, tmp_path: Path) -> None:
    # Beside the new file lies what the old one refers to: programs, data, functions.
    folder = tmp_path / "new"
    shutil.copytree((EXAMPLES / example).parent, folder)
    before = read_workflow(EXAMPLES / example, {}).submission["tasks"]
    after = converted(EXAMPLES / example, folder / name)
    assert shape(after) == shape(before)


def test_commands_stay_a_command_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("echo one\n\necho two\n")
    converted(tmp_path / "a.txt", tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text() == "echo one\n\necho two\n"


@pytest.mark.parametrize(
    ("task", "name", "wrong"),
    [
        ("{value: 3}", "x.json", "task 't' is no command; a trace has no words for it, a flow .* has"),
        ("{array: 1-3, command: ls}", "x.dax", "task 't' has many elements; a DAX has no words"),
        ("{command: cat, stdin: a}", "x.dax", "task 't' reads results from its standard input; a DAX has no words"),
        ("{command: ls, protocol: lan}", "x.json", "task 't' is a LAN program; a trace has no words"),
        ("{command: ls, protocol: lan}", "x.xml", "a LAN description is named after its type; write .*t.xml"),
        ("{command: ls}", "x.xml", "task 't' is neither a value nor a JavaScript job"),
        ("{command: ls}", "x.txt", "was not made of a file of commands"),
        ("{command: ls}", "x.toml", "cannot be told from its name; name it .yaml"),
    ],
)
def test_what_a_language_has_no_words_for_is_refused(task: str, name: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(f"tasks:\n  t: {task}\n")
    with pytest.raises(InvalidInput, match=wrong):
        written(read_workflow(tmp_path / "flow.yaml", {}), tmp_path / name)


def test_traces_keep_what_was_recorded_in_each_others_language(tmp_path: Path) -> None:
    dax = tmp_path / "w.dax"
    dax.write_text(
        '<adag name="w"><job id="ID1" name="make" runtime="2.5"><argument>-n 3</argument>'
        '<uses file="in" link="input" size="7"/><uses file="out" link="output" size="9"/></job>'
        '<dax id="ID2" file="inner.dax"/><child ref="ID2"><parent ref="ID1"/></child></adag>'
    )
    for name in ("w.json", "again.dax"):
        out = tmp_path / name
        for path, text in written(read_workflow(dax, {}, to_run=False), out).items():
            path.write_text(text)
        dax = out
        make, inner = read_workflow(out, {}, Simulation()).submission["tasks"]
        assert placeholder_of(make["command"]) == Placeholder(2.5, {"out": 9})
        assert (make["name"], inner["name"]) == ("make_ID1", "inner.dax_ID2")
        trace = read_workflow(out, {}, to_run=False).trace
        assert trace is not None
        assert trace.tasks[0].argv == ["make", "-n", "3"]
        assert trace.sizes == {"in": 7, "out": 9}
