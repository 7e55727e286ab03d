"""One workflow in several languages: what is written reads as what it was, or is refused in a sentence."""

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roost.languages.flow.renaming import flow_names
from roost.languages.outline import Reading
from roost.languages.read import read_workflow
from roost.languages.trace.names import telling_ids
from roost.languages.trace.recorded import recorded_of
from roost.languages.trace.simulation import Simulation
from roost.languages.write import written
from roost.model.errors import InvalidInput
from roost.model.limits import COMMAND_WORDS_MAX
from roost.model.recorded import Replayed

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


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
        ("traces/mosaic.dax", "mosaic.yaml"),
        ("traces/mosaic.dax", "again.dax"),
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
        ("{value: 3}", "x.json", "task 't' is no command; WfFormat has no words for it, a flow .* has"),
        ("{array: 1-3, command: ls}", "x.dax", "task 't' has many elements; a DAX has no words"),
        ("{command: cat, stdin: a}", "x.dax", "task 't' reads results from its standard input; a DAX has no words"),
        ("{command: ls, protocol: lan}", "x.json", "task 't' is a LAN program; WfFormat has no words"),
        ("{command: ls}", "x.json", "task 't' runs in a folder that is not its own"),
        ("{command: ls, cwd: scratch, retries: 2}", "x.json", "task 't' is tried again when it fails; WfFormat"),
        ("{command: ls, cwd: scratch, env: {A: b}}", "x.json", "has variables of its own .'A'., for which WfFormat"),
        ('{command: ls, cwd: scratch, env: {A: " b"}}', "x.dax", "variable 'A' of job 't' begins or ends with blanks"),
        ('{command: [ls, "\\x01"], cwd: scratch}', "x.dax", "holds the sign '.x01', which XML cannot hold"),
        ('{command: "ls {i}", cwd: scratch}', "x.json", "task 't' holds {i}; WfFormat has no words"),
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


def test_files_of_other_tasks_are_named_as_they_lie_beside_the_program(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(
        "tasks:\n"
        "  make: {command: make x, outputs: {text: some/x.txt}}\n"
        "  more: {command: make y, outputs: {text: y.txt}}\n"
        "  count:\n"
        "    needs: [make, more]\n"
        "    command: 'wc --files={needs.make.text},{needs.more.text} {{needs.make.text}}'\n"
        "    cwd: scratch\n"
        "    env: {LC_ALL: C}\n"
    )
    (text,) = written(read_workflow(tmp_path / "flow.yaml", {}), tmp_path / "x.dax").values()
    (tmp_path / "x.dax").write_text(text)
    trace = read_workflow(tmp_path / "x.dax", {}, to_run=False).trace
    assert trace is not None
    *_, count = trace.tasks
    assert count.argv == ["wc", "--files=some/x.txt,y.txt", "{needs.make.text}"]
    assert (count.inputs, count.env) == (["some/x.txt", "y.txt"], {"LC_ALL": "C"})


@pytest.mark.parametrize(
    ("rest", "wrong"),
    [
        (
            "  a: {command: ls, cwd: scratch}\n  b: {needs: a, command: 'x {needs.a}', cwd: scratch}\n",
            "holds {needs.a}",
        ),
        ("  a: {command: x, outputs: {f: o}}\n  b: {command: x, outputs: {f: o}}\n", "leaves a file 'o', as another"),
        ("  a: {command: x, cwd: scratch}\nquorum: true\n", "the workflow wants a quorum; WfFormat has no words"),
        (
            "  a: {command: x, cwd: scratch}\n  b: {after: a, command: x, cwd: scratch}\nresult: a\n",
            "the workflow names its result; WfFormat has no words",
        ),
    ],
)
def test_what_tasks_say_together_is_refused_if_a_trace_cannot_say_it(rest: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(f"tasks:\n{rest}")
    with pytest.raises(InvalidInput, match=wrong):
        written(read_workflow(tmp_path / "flow.yaml", {}), tmp_path / "x.json")


@pytest.mark.parametrize(
    ("inside", "wrong"),
    [
        ('<stdin name="in"/>', "task 'a' has a standard input .'in'., for which WfFormat has no words"),
        ('<stdout name="out"/>', "a standard output .'out'."),
        ('<stderr name="err"/>', "a standard error .'err'."),
        ('<profile namespace="env" key="LANG">C</profile>', "variables of its own .'LANG'."),
        ('<uses name="far" link="input"/>', "an input whose place is told .'far'."),
    ],
)
def test_what_wfformat_cannot_say_of_a_dax_is_told_and_a_dax_keeps_it(inside: str, wrong: str, tmp_path: Path) -> None:
    dax = tmp_path / "w.dax"
    dax.write_text(
        '<adag name="w"><file name="far"><pfn url="file:///data/far"/></file>'
        f'<job id="a" name="ls">{inside}</job></adag>'
    )
    reading = read_workflow(dax, {}, to_run=False)
    with pytest.raises(InvalidInput, match=wrong):
        written(reading, tmp_path / "w.json")
    if "far" in inside:
        return
    dax.write_text(written(reading, dax)[dax])
    again = read_workflow(dax, {}, to_run=False).trace
    assert reading.trace is not None
    assert again is not None
    assert again.tasks == reading.trace.tasks


def test_programs_whose_place_is_known_are_named_by_it(tmp_path: Path) -> None:
    dax = tmp_path / "w.dax"
    dax.write_text(
        '<adag><executable name="sim"><pfn url="file:///opt/sim"/></executable><job id="a" name="sim"/></adag>'
    )
    (text,) = written(read_workflow(dax, {}, to_run=False), tmp_path / "w.json").values()
    assert '"program": "/opt/sim"' in text


@pytest.mark.parametrize("file", ["/73/6323/x.tsv", "../x.tsv", "a/../../x"])
def test_outputs_that_lie_elsewhere_are_no_flow(file: str, tmp_path: Path) -> None:
    """Nextflow names files by their full paths."""
    trace = {
        "name": "nf", "schemaVersion": "1.5",
        "workflow": {
            "specification": {"tasks": [{"id": "a", "name": "a", "parents": [], "outputFiles": [file]}]},
            "execution": {"tasks": [{"id": "a", "runtimeInSeconds": 1, "command": {"program": "ls"}}]},
        },
    }  # fmt: skip
    path = tmp_path / "nf.json"
    path.write_bytes(msgspec.json.encode(trace))
    with pytest.raises(InvalidInput, match=r"out of the folder|cannot be written as a flow: it leaves"):
        written(read_workflow(path, {}, to_run=False), tmp_path / "nf.yaml")


def test_whatever_a_flow_would_not_take_is_not_written(tmp_path: Path) -> None:
    words = [f"{number}" for number in range(COMMAND_WORDS_MAX + 1)]
    reading = Reading({"name": "w", "tasks": [{"name": "a", "command": {"argv": words, "env": {}}}]}, None, [])
    with pytest.raises(InvalidInput, match=r"could not run, so nothing is written: .*too long"):
        written(reading, tmp_path / "x.yaml")


@pytest.mark.parametrize("example", ["diamond.json", "mosaic.dax"])
def test_a_flow_that_was_made_of_a_trace_becomes_the_same_trace_again(example: str, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "traces", tmp_path / "new")
    file, flow, back = tmp_path / "new" / example, tmp_path / "new" / "flow.yaml", tmp_path / "new" / "back.dax"
    converted(file, flow)
    converted(flow, back)
    before, after = (read_workflow(path, {}, to_run=False).trace for path in (file, back))
    assert before is not None
    assert after is not None
    names = flow_names(telling_ids(before.tasks)).values()
    for was, task, name in zip(before.tasks, after.tasks, names, strict=True):
        assert (task.id, task.argv) == (name, was.argv)
        assert sorted(task.inputs) == sorted(was.inputs)
        assert (task.outputs, task.stdin, task.stdout, task.stderr) == (was.outputs, was.stdin, was.stdout, was.stderr)


def test_a_placeholder_in_a_flow_becomes_the_task_that_it_stands_for(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(
        "tasks:\n"
        "  make:\n"
        "    command: [/bin/sh, -ec, 'sleep 2.500; echo {task} > some.txt']\n"
        "    outputs: {text: some.txt}\n"
        "    recorded: {type: replayed, seconds: 2.5, sizes: {some.txt: 9}}\n"
    )
    (text,) = written(read_workflow(tmp_path / "flow.yaml", {}), tmp_path / "x.dax").values()
    (tmp_path / "x.dax").write_text(text)
    trace = read_workflow(tmp_path / "x.dax", {}, to_run=False).trace
    assert trace is not None
    assert (trace.tasks[0].seconds, trace.tasks[0].outputs, trace.sizes) == (2.5, ["some.txt"], {"some.txt": 9})


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
        assert recorded_of(make["command"]) == Replayed(2.5, {"out": 9})
        assert (make["name"], inner["name"]) == ("make_ID1", "inner.dax_ID2")
        trace = read_workflow(out, {}, to_run=False).trace
        assert trace is not None
        assert trace.tasks[0].argv == ["make", "-n", "3"]
        assert trace.sizes == {"in": 7, "out": 9}
