"""Steps, links, and what is said of them."""

import pytest

from roost.app.drawing.graph.graph import (
    DrawnStep,
    Graph,
    Link,
    joined_counts,
    joined_links,
    stem,
    without_common_beginning,
)
from tests.app.drawing.graph.shapes import graph


@pytest.mark.parametrize(
    ("counts", "state"),
    [
        ({}, ""),
        ({"waiting": 0, "done": 0}, "waiting"),
        ({"done": 3}, "done"),
        ({"done": 3, "waiting": 1}, "waiting"),
        ({"done": 3, "waiting": 1, "running": 1}, "running"),
        ({"done": 3, "running": 1, "failed": 1}, "failed"),
    ],
)
def test_a_step_is_in_the_state_that_a_person_should_look_at(counts: dict[str, int], state: str) -> None:
    assert DrawnStep("a", "a", counts=counts).state == state


def test_links_between_the_same_two_are_drawn_once_and_none_leads_back() -> None:
    links = [Link("a", "b", bare=True), Link("a", "b"), Link("a", "a"), Link("b", "c", bare=True)]
    assert joined_links(links) == [Link("a", "b", bare=False, stands_for=2), Link("b", "c", bare=True)]


def test_counts_add_up() -> None:
    steps = [DrawnStep("a", "a", counts={"done": 1}), DrawnStep("b", "b", counts={"done": 2, "failed": 1})]
    assert joined_counts(steps) == {"done": 3, "failed": 1}


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("project_0012", "project"),
        ("sort-3", "sort"),
        ("ID00042", "ID"),
        ("mProject_ID00042", "mProject"),
        ("split__ID7", "split"),
        ("GRID42", "GRID"),
        ("a1b", "a1b"),
        ("map", "map"),
        ("7", "7"),
    ],
)
def test_names_of_one_kind_have_one_stem(label: str, kind: str) -> None:
    assert stem(label) == kind


def test_neighbours_are_known_in_both_directions() -> None:
    found = graph("a > b > d", "a > c > d")
    assert (found.into["d"], found.out_of["a"], found.into["a"]) == (["b", "c"], ["b", "c"], [])


@pytest.mark.parametrize(
    ("labels", "short"),
    [
        (["NF.QC.FASTQC", "NF.QC.TRIM_2"], ["FASTQC", "TRIM_2"]),
        (["nf:a.b", "nf:c"], ["a.b", "c"]),
        (["make", "merge"], ["make", "merge"]),
        (["pool.", "pool.reducer"], ["pool.", "pool.reducer"]),
        (["a.alone"], ["a.alone"]),
    ],
)
def test_labels_go_without_what_all_begin_with(labels: list[str], short: list[str]) -> None:
    graph = Graph("w", [DrawnStep(label, label) for label in labels], [])
    assert [step.label for step in without_common_beginning(graph).steps] == short
