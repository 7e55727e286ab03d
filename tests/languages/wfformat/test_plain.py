from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.trace.simulation import Simulation
from roost.languages.trace.trace import Trace
from roost.languages.wfformat import read_wfformat
from roost.languages.wfformat.plain import replayed_plainly
from roost.languages.wfformat.writer import trace_document
from tests.languages.recorded import TWO, traces, two, written
from tests.languages.wfformat.test_reader import mutated


def carefully_replayed(text: str, simulation: Simulation) -> Any:
    """Return the submission and the warnings of the careful way, which whoever does not mean to run it gets."""
    reading = read_wfformat(text, "w.json", None, simulation, to_run=False)
    return reading.submission, reading.warnings


@pytest.mark.parametrize("simulation", [Simulation(), Simulation(0.1, 2.5)])
def test_a_document_becomes_what_the_careful_way_makes_of_it(simulation: Simulation) -> None:
    made = replayed_plainly(written(TWO), simulation)
    assert made is not None
    assert made == carefully_replayed(written(TWO), simulation)
    assert replayed_plainly(written(TWO).encode(), simulation) == made


def test_a_long_document_does_too() -> None:
    document = two()
    specification, execution = document["workflow"]["specification"], document["workflow"]["execution"]
    for at in range(1_200):
        own, before = f"t{at}", [f"t{at - step}" for step in (3, 1) if at >= step]
        children = [f"t{at + step}" for step in (3, 1) if at + step < 1_200]
        files = {"inputFiles": [f"f{parent}" for parent in before], "outputFiles": [f"f{own}"]}
        specification["tasks"].append({"name": "t", "id": own, "parents": before, "children": children, **files})
        specification["files"].append({"id": f"f{own}", "sizeInBytes": at})
        execution["tasks"].append({"id": own, "runtimeInSeconds": at / 7})
    made = replayed_plainly(written(document), Simulation())
    assert made is not None
    assert made == carefully_replayed(written(document), Simulation())


@pytest.mark.parametrize(
    "change",
    [
        lambda of: of["specification"]["tasks"].reverse(),
        lambda of: of["execution"]["tasks"].reverse(),
        lambda of: of["execution"]["tasks"].pop(),
        lambda of: of["execution"]["tasks"][0].update(command="cp"),
        lambda of: of["specification"]["tasks"][0].pop("children"),
        lambda of: of["specification"]["tasks"][0].update(children=[]),
        lambda of: of["specification"]["tasks"][1].update(parents=[]),
        lambda of: of["specification"]["tasks"][1].update(children=["make_1"]),
        lambda of: of["specification"]["tasks"][1].update(children=["somebody"]),
        lambda of: of["specification"]["tasks"][1].update(outputFiles=["of.no.size"]),
        lambda of: of["specification"]["tasks"][1].update(inputFiles=["of.no.size"]),
        lambda of: of["specification"]["files"].append({"id": "made.txt", "sizeInBytes": 5}),
        lambda of: of["specification"]["files"].append({"id": "more.txt", "sizeInBytes": 0.5}),
        lambda of: of["specification"]["files"].append({"id": "more.txt", "sizeInBytes": -1}),
        lambda of: of["specification"].pop("files"),
        lambda of: of.pop("execution"),
    ],
)
def test_what_is_not_plain_is_left_to_the_careful_way(change: Callable[[Any], object]) -> None:
    document = two()
    change(document["workflow"])
    assert replayed_plainly(written(document), Simulation()) is None


def test_other_versions_and_what_is_no_json_are_left_to_the_careful_way() -> None:
    for version in ("1.4", "1.7", ""):
        assert replayed_plainly(written({**TWO, "schemaVersion": version}), Simulation()) is None
    assert replayed_plainly(written(TWO)[:-3], Simulation()) is None
    assert replayed_plainly("[" * 100_000, Simulation()) is None


def test_a_list_that_is_there_twice_is_left_to_the_careful_way() -> None:
    for key in ("tasks", "files", "\\u0074asks"):
        text = written(TWO).replace('"specification": {', f'"specification": {{\n"{key}": [0],')
        for document in (text, text.encode()):
            assert replayed_plainly(document, Simulation()) is None


def test_scales_that_make_no_numbers_of_sizes_are_left_to_the_careful_way() -> None:
    for scale in (float("inf"), float("nan"), 1e308, 1e30):
        assert replayed_plainly(written(TWO), Simulation(1.0, scale)) is None


@given(traces(recorded=True))
def test_what_is_written_is_plain(trace: Trace) -> None:
    text = written(trace_document(trace))
    made = replayed_plainly(text, Simulation())
    assert (made is None) == (trace.sizes is None)
    assert made is None or made == carefully_replayed(text, Simulation())


@given(mutated() | st.text(max_size=30))
def test_both_ways_agree_about_anything(text: str) -> None:
    made = replayed_plainly(text, Simulation())
    assert made is None or made == carefully_replayed(text, Simulation())
