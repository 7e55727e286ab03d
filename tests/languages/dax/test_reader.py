from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.dax.reader import read_dax
from roost.languages.dax.writer import trace_dax
from roost.languages.trace.recorded import recorded_of
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.trace import Trace
from roost.languages.trace.trace_back import trace_of
from roost.model.errors import InvalidInput
from roost.model.recorded import Replayed
from tests.languages.dax.test_parsing import DIAMOND
from tests.languages.flow.test_flow import check_as_the_node_does
from tests.languages.recorded import refusal, traces
from tests.languages.trace.test_trace_back import alike

EXAMPLES = Path(__file__).parents[3] / "examples" / "traces"


def why(data: bytes, simulation: Simulation | None = None) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read_dax(data, "w.dax", Path("/nowhere"), simulation)
    return str(caught.value).splitlines()


def test_the_example_can_be_replayed() -> None:
    reading = read_dax((EXAMPLES / "mosaic.dax").read_bytes(), "mosaic.dax", EXAMPLES, Simulation(0.1))
    assert reading.warnings == []
    tasks = {task["name"]: task for task in reading.submission["tasks"]}
    assert recorded_of(tasks["overlap_12"]["command"]) == Replayed(0.1, {"fit_12.txt": 300})
    assert [edge["source"] for edge in tasks["add"]["edges"]] == [
        "overlap_12", "overlap_23", "project_1", "project_2", "project_3",
    ]  # fmt: skip
    assert len(reading.outline.nodes) == 6
    check_as_the_node_does(reading.submission)


@pytest.mark.usefixtures("no_programs")
def test_programs_that_are_missing_are_warned_of() -> None:
    reading = read_dax((EXAMPLES / "mosaic.dax").read_bytes(), "mosaic.dax", EXAMPLES)
    assert reading.warnings == [
        "this machine does not have 'project', 'overlap', 'add'; the tasks that run them fail where they are missing"
    ]
    check_as_the_node_does(reading.submission)


def test_mistakes_are_told_with_their_lines() -> None:
    replay = "or replay the workflow with --simulate"
    assert why(DIAMOND) == [
        f"w.dax:10: 'f.a', which task 'A' reads, is not there; put it beside this file, {replay}",
        f"w.dax:12: 'f.d', which task 'A' reads, is not there; put it beside this file, {replay}",
        f"w.dax:18: task 'C' has no command to run; add one, {replay}",
    ]
    unknown = b'<adag>\n<job id="a"/>\n<child ref="a">\n<parent ref="b"/>\n</child>\n</adag>'
    assert why(unknown) == [
        f"w.dax:2: task 'a' has no command to run; add one, {replay}",
        "w.dax:4: task 'a' has the parent 'b', which is not in this file; add it, or remove it from the parents",
    ]
    assert why(b'<adag>\n<job id="a" name="x"/>\n<child ref="z"/>\n</adag>') == [
        "w.dax:3: <child> names 'z', which is no job of this file; add it, or remove this"
    ]


def test_what_was_not_recorded_is_warned_of_with_its_line() -> None:
    reading = read_dax(b"\n\n" + DIAMOND, "w.dax", Path("/nowhere"), Simulation())
    assert reading.warnings == [
        "w.dax:17: the size of 'f.c' was not recorded; the file will be empty",
        "w.dax:20: no runtime of task 'C' was recorded; it will take no time",
    ]
    check_as_the_node_does(reading.submission)


def test_who_only_looks_at_a_published_workflow_needs_none_of_its_files() -> None:
    reading = read_dax(DIAMOND, "w.dax", Path("/nowhere"), to_run=False)
    assert len(reading.outline.nodes) == 3
    assert reading.warnings[0] == (
        "w.dax:10: 'f.a', which task 'A' reads, is not there; put it beside this file, or replay the workflow with "
        "--simulate (1 more like this)"
    )


@given(traces(recorded=True) | traces(recorded=False))
def test_what_is_written_is_read_again(trace: Trace) -> None:
    simulation = None if trace.tasks[0].seconds is None else Simulation()
    submission = read_dax(trace_dax(trace).encode(), "w.dax", None, simulation).submission
    assert read_dax(trace_dax(trace_of(submission)).encode(), "w.dax", None, simulation).submission == submission
    assert alike(trace_of(submission)) == alike(trace)


def test_cores_that_are_no_number_are_warned_of() -> None:
    job = b'<adag><job id="a" name="ls"><profile namespace="pegasus" key="cores">%s</profile></job></adag>'
    assert read_dax(job % b"4").submission["tasks"][0]["cpus"] == 4.0
    for text in (b"many", b"0", b"-3"):
        reading = read_dax(job % text, "w.dax")
        assert "cpus" not in reading.submission["tasks"][0]
        assert reading.warnings == [
            f"w.dax:1: job 'a' asks for '{text.decode()}' cores, and gets one; give a number from 1 on"
        ]


@st.composite
def mutated(draw: st.DrawFn, sound: bytes) -> bytes:
    """Change one to three things somewhere in a sound document."""
    data = bytearray(sound)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data) - 1))
        end = at + draw(st.integers(0, 30))
        words = [
            b"",
            b"<",
            b">",
            b'"',
            b"&",
            b"job",
            b"/>",
            b'ref="A"',
            b"\xff",
            b"\0",
            b"-1",
            b"<argument>",
            b"<file/>",
        ]
        data[at:end] = draw(st.sampled_from(words))
    return bytes(data)


@given(mutated(DIAMOND) | st.binary(max_size=40), st.booleans())
def test_anything_gives_a_reading_or_a_clear_error(data: bytes, simulate: bool) -> None:
    simulation = Simulation() if simulate else None
    told = refusal(lambda: read_dax(data, "w.dax", Path("/nowhere"), simulation))
    assert not told or told.startswith("w.dax")
