from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.outline import Reading
from roost.languages.trace.recorded import recorded_of
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.trace import Trace
from roost.languages.trace.trace_back import trace_of
from roost.languages.wfformat.reader import read_wfformat
from roost.languages.wfformat.writer import trace_document
from roost.model.errors import InvalidInput
from roost.model.recorded import Replayed
from tests.languages.flow.test_flow import check_as_the_node_does
from tests.languages.recorded import TWO, refusal, traces, two, written
from tests.languages.trace.test_trace_back import alike

EXAMPLES = Path(__file__).parents[3] / "examples" / "traces"


def replayed(document: Any) -> Reading:
    return read_wfformat(written(document), "w.json", None, Simulation())


def why(document: Any, simulation: Simulation | None = None) -> str:
    text = document if isinstance(document, str) else written(document)
    with pytest.raises(InvalidInput) as caught:
        read_wfformat(text, "w.json", Path("/nowhere"), simulation)
    return str(caught.value)


def changed(change: Callable[[Any], object]) -> Any:
    document = two()
    change(document["workflow"])
    return document


def test_a_recorded_workflow_becomes_placeholders() -> None:
    reading = replayed(TWO)
    assert reading.warnings == []
    make, count = reading.submission["tasks"]
    assert recorded_of(make["command"]) == Replayed(1.25, {"made.txt": 1000})
    assert recorded_of(count["command"]) == Replayed(2.0, {"count.txt": 0})
    assert count["edges"] == [{"source": "make_1", "kind": "broadcast", "port": "p0"}]
    assert count["command"]["argv"][4:] == ["{needs.p0.made.txt}"]
    check_as_the_node_does(reading.submission)


def test_a_recorded_workflow_can_run_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "start.txt").touch()
    submission = read_wfformat(written(TWO), "w.json", tmp_path).submission
    make, count = submission["tasks"]
    assert make["command"]["argv"][4:] == [
        str(tmp_path / "start.txt"), "start.txt", "--", "cp", "start.txt", "made.txt",
    ]  # fmt: skip
    assert count["command"]["argv"][-3:] == ["wc", "--words", "made.txt"]
    assert count["cpus"] == 2
    check_as_the_node_does(submission)


def test_the_outline_shows_what_is_waited_for() -> None:
    outline = replayed(TWO).outline
    assert [(node.name, node.what) for node in outline.nodes] == [("make_1", "waits 1.25 s"), ("count_1", "waits 2 s")]
    assert [(link.source, link.target, link.kind) for link in outline.links] == [("make_1", "count_1", "broadcast")]


def test_version_16_is_read_alike() -> None:
    assert replayed({**TWO, "schemaVersion": "1.6"}).submission == replayed(TWO).submission


def test_the_version_may_stand_anywhere() -> None:
    document = {"name": "x" * 10_000, "workflow": TWO["workflow"], "schemaVersion": "1.5"}
    assert len(replayed(document).submission["tasks"]) == 2


_SPECIFICATION = "workflow.specification.tasks"
_REPLAY = "or replay the workflow with --simulate"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda w: w["specification"]["tasks"][1]["parents"].append("make_2"),
         "w.json:26: task 'count_1' has the parent 'make_2', which is not in this file; did you mean 'make_1'?"),
        (lambda w: w["specification"]["tasks"][1].update(children=["gone"]),
         "w.json:28: task 'count_1' has the child 'gone', which is not in this file; add it, or remove it here"),
        (lambda w: w["specification"]["tasks"].append(w["specification"]["tasks"][1]),
         "w.json:37: the id 'count_1' is another task's already; give each task its own"),
        (lambda w: w["execution"]["tasks"][1].update(runtimeInSeconds=-4),
         "w.json:68: task 'count_1' would take -4 seconds; mend its runtime"),
        (lambda w: w["execution"]["tasks"][1].update(id="other"),
         "w.json:67: task 'other' was executed, but is not in 'specification'; add it there, or remove it here"),
        (lambda w: w["execution"]["tasks"][1].update(id="make_1"),
         "w.json:67: task 'make_1' stands twice in 'execution'; keep one of them"),
        (lambda w: w["specification"]["files"][1].update(sizeInBytes=1e300),
         "w.json:43: the file 'made.txt' has 1e+300 bytes; give its size"),
        (lambda w: (w["specification"].update(tasks=[]), w.pop("execution")),
         "w.json:6: the workflow has 0 tasks; use 1 to 200,000"),
        (lambda w: w["specification"]["tasks"][1].update(id=[]),
         f"w.json:23: '{_SPECIFICATION}[1].id' is a list; give text"),
        (lambda w: w["specification"]["tasks"][1].pop("id"),
         f"w.json:21: '{_SPECIFICATION}[1]' has no 'id'; add it"),
        (lambda w: w["specification"]["tasks"][1].update(inputFiles=["x", None]),
         f"w.json:30: '{_SPECIFICATION}[1].inputFiles[1]' is nothing; give text"),
        (lambda w: w.pop("specification"), "w.json:4: 'workflow' has no 'specification'; add it"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_lines(change: Callable[[Any], object], told: str) -> None:
    assert why(changed(change), Simulation()).splitlines()[0] == told


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda w: w["specification"]["tasks"][1].update(parents=[]),
         ("w.json:12: 'count_1' is a child of 'make_1', but does not name it among its parents; "
          "'count_1' waits for it")),
        (lambda w: w["specification"]["tasks"][0]["inputFiles"].append("more.txt"),
         ("w.json:16: task 'make_1' reads 'more.txt', which no task writes and whose size was not recorded; "
          "it is taken to be there")),
        (lambda w: w["specification"]["tasks"][1]["outputFiles"].extend(["count.txt", "new.txt"]),
         "w.json:34: the size of 'new.txt' was not recorded; the file will be empty"),
        (lambda w: w["execution"]["tasks"].pop(),
         "w.json:23: no runtime of task 'count_1' was recorded; it will take no time"),
        (lambda w: w.pop("execution"),
         "w.json:9: no runtime of task 'make_1' was recorded; it will take no time (1 more like this)"),
    ],
)  # fmt: skip
def test_what_is_untidy_is_warned_of_with_its_line(change: Callable[[Any], object], told: str) -> None:
    reading = read_wfformat(written(changed(change)), "w.json", None, Simulation())
    assert reading.warnings == [told]
    assert [edge["source"] for edge in reading.submission["tasks"][1]["edges"]] == ["make_1"]
    check_as_the_node_does(reading.submission)


def test_a_negative_size_counts_as_not_recorded() -> None:
    document = changed(lambda w: w["specification"]["files"][1].update(sizeInBytes=-1))
    reading = read_wfformat(written(document), "w.json", None, Simulation())
    assert "w.json:43: the file 'made.txt' has -1 bytes; its size counts as not recorded" in reading.warnings
    assert recorded_of(reading.submission["tasks"][0]["command"]) == Replayed(1.25, {"made.txt": 0})


@pytest.mark.parametrize("simulation", [None, Simulation()])
def test_a_key_that_stands_twice_is_refused_with_both_lines(simulation: Simulation | None) -> None:
    text = written(TWO).replace('"children": [', '"children": [],\n"children": [', 1)
    with pytest.raises(InvalidInput, match=r"w.json:\d+: 'children' stands here again, first on line \d+; remove one"):
        read_wfformat(text, "w.json", Path("/nowhere"), simulation)


@pytest.mark.parametrize("seconds", [-5, 1e12])
def test_who_checks_is_told_of_runtimes_that_cannot_be_replayed(seconds: float) -> None:
    document = changed(lambda w: w["execution"]["tasks"][0].update(runtimeInSeconds=seconds))
    reading = read_wfformat(written(document), "w.json", Path("/nowhere"), to_run=False)
    with pytest.raises(InvalidInput, match=r"w.json:\d+: task 'make_1' would take .* seconds; mend its runtime"):
        assert reading.replay


def test_who_checks_gets_the_replay_as_well() -> None:
    reading = read_wfformat(written(TWO), "w.json", Path("/nowhere"), to_run=False)
    assert reading.replay == read_wfformat(written(TWO), "w.json", None, Simulation()).submission


@pytest.mark.parametrize(
    ("version", "told"),
    [
        ("1.7",
         ["w.json:3: 'schemaVersion' is '1.7', which Roost does not know; the document is read like one of 1.6"]),
        (1.5, []),
        (None, ["w.json:1: no 'schemaVersion' is told; the document is read like one of 1.6"]),
    ],
)  # fmt: skip
def test_the_layout_tells_how_to_read_a_document_of_another_version(version: Any, told: list[str]) -> None:
    document = {**TWO, "schemaVersion": version}
    if version is None:
        del document["schemaVersion"]
    reading = replayed(document)
    assert reading.warnings == told
    assert reading.submission == replayed(TWO).submission


def test_who_only_looks_at_a_published_workflow_needs_none_of_its_files() -> None:
    document = changed(lambda workflow: workflow["execution"]["tasks"][1].pop("command"))
    reading = read_wfformat(written(document), "w.json", Path("/nowhere"), to_run=False)
    assert reading.warnings == [
        f"w.json:15: 'start.txt', which task 'make_1' reads, is not there; put it beside this file, {_REPLAY}",
        f"w.json:66: task 'count_1' has no command to run; add one, {_REPLAY}",
    ]
    assert [node.name for node in reading.outline.nodes] == ["make_1", "count_1"]


def test_a_circle_is_told() -> None:
    def close(workflow: Any) -> None:
        first, second = workflow["specification"]["tasks"]
        first["parents"], second["children"] = ["count_1"], ["make_1"]

    told = "w.json:11: these tasks wait for each other in a circle: make_1 needs count_1 needs make_1; remove one"
    assert why(changed(close), Simulation()).startswith(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "w.json:1: this is not JSON (Input data was truncated); mend it here or on the line before"),
        ('{\n "name":\n "x",\n', "w.json:3: this is not JSON (Input data was truncated)"),
        ('{\n "name": NaN}', "w.json:2: JSON has no NaN and no Infinity; write a number, or null"),
        ('{\n "a": 1,\n}', "w.json:3: this is not JSON (trailing comma in object); mend it here or on the line before"),
        ("[]", "w.json:1: the document is a list; give a map"),
        ("{}", "w.json:1: this is no workflow: a WfFormat trace has a 'workflow', and a flow a map of 'tasks'"),
        ('{"workflow": 1,\n"schemaVersion": "1.0"}', "w.json:1: 'workflow' is a number; give a map"),
        ('{"workflow": {},\n"schemaVersion": []}', "w.json:2: 'schemaVersion' is a list; give a number or text"),
        ('{"workflow": {},\n"schemaVersion": "2.0"}',
         "w.json:2: 'schemaVersion' is '2.0'; Roost reads 1.0 to 1.6, so write one of these"),
        ("[" * 100_000, "w.json:1: the document is a list; give a map"),
        ('{"schemaVersion": "1.5", "x": ' + "[" * 100_000, "w.json:1: lists and maps lie in each other too deep"),
    ],
)  # fmt: skip
def test_what_is_no_document_is_told(text: str, told: str) -> None:
    assert why(text).startswith(told)


def test_without_simulation_commands_and_files_are_wanted() -> None:
    document = changed(lambda workflow: workflow["execution"]["tasks"][1].pop("command"))
    assert why(document).splitlines() == [
        f"w.json:15: 'start.txt', which task 'make_1' reads, is not there; put it beside this file, {_REPLAY}",
        f"w.json:66: task 'count_1' has no command to run; add one, {_REPLAY}",
    ]


def test_many_mistakes_are_told_quickly_and_in_short() -> None:
    tasks = [{"name": "t", "id": f"t{at}", "parents": [f"x{at}"]} for at in range(20_000)]
    told = why({"name": "w", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": tasks}}}, Simulation())
    assert len(told.splitlines()) == 6


def test_the_example_is_sound_both_ways() -> None:
    text = (EXAMPLES / "diamond.json").read_text(encoding="utf-8")
    for simulation in (None, Simulation(0.01)):
        reading = read_wfformat(text, "diamond.json", EXAMPLES, simulation)
        assert reading.warnings == []
        check_as_the_node_does(reading.submission)


@given(traces(recorded=True) | traces(recorded=False))
def test_what_is_written_is_read_again(trace: Trace) -> None:
    simulation = None if trace.tasks[0].seconds is None else Simulation()
    submission = read_wfformat(written(trace_document(trace)), "w.json", None, simulation).submission
    again = read_wfformat(written(trace_document(trace_of(submission))), "w.json", None, simulation).submission
    assert again == submission
    assert alike(trace_of(submission)) == alike(trace)


_PARTS = st.sampled_from([None, 0, -1, 1e400, "", "make_1", "../x", [], {}, ["make_1"], [""], {"id": "x"}, True, "1.4"])
_JSON = st.recursive(_PARTS, st.lists).map(lambda value: msgspec.json.encode(value).decode())


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Change one or two things somewhere in a sound document, or cut its text."""
    document: Any = two()
    for _ in range(draw(st.integers(1, 2))):
        place: Any = document
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = draw(st.sampled_from(keys))
            if not place[key] or not isinstance(place[key], dict | list) or draw(st.integers(0, 4)) == 0:
                break
            place = place[key]
        if draw(st.booleans()) and isinstance(place, dict):
            del place[key]
        else:
            # The next change may lie inside it.
            place[key] = deepcopy(draw(_PARTS))
        if not place:
            break
    text = written(document)
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 5)) == 0 else text


@given(mutated() | st.text(max_size=30) | _JSON, st.booleans())
def test_anything_gives_a_reading_or_a_clear_error(text: str, simulate: bool) -> None:
    simulation = Simulation() if simulate else None
    told = refusal(lambda: read_wfformat(text, "w.json", Path("/nowhere"), simulation))
    assert not told or told.startswith("w.json")
