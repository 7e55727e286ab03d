"""Graphs in a terminal."""

import time

import pytest

from roost.app.drawing.graph.folding import TIMES
from roost.app.drawing.graph.graph import DrawnStep, Graph, Link
from roost.app.drawing.graph.text import drawn
from tests.app.drawing.graph.shapes import fan_of_chains, graph, random_graph


def picture(found: Graph, width: int = 100) -> str:
    return "\n".join(row.plain for row in drawn(found, width))


DIAMOND = """\
      ┌───────┐
      │ split │
      └───────┘
    ┌─────┴────┐
    ▼          ▼
┌───────┐  ┌───────┐
│ left  │  │ right │
└───────┘  └───────┘
    └─────┬────┘
          ▼
      ┌───────┐
      │ join  │
      └───────┘"""


def test_a_diamond_looks_like_one() -> None:
    assert picture(graph("split > left > join", "split > right > join")) == DIAMOND


def test_states_and_counts_stand_in_the_boxes_and_signs_below() -> None:
    steps = [DrawnStep("a", "make", counts={"done": 2}), DrawnStep("b", "use", counts={"running": 1, "waiting": 3})]
    text = picture(Graph("run", steps, [Link("a", "b")]))
    assert "✓ 2/2" in text
    assert "▶ 0/4" in text
    assert text.splitlines()[-1] == "· waiting  ▶ running  ✓ done"


def test_pools_values_and_steps_for_people_have_shapes_of_their_own() -> None:
    steps = [
        DrawnStep("list", "list"),
        DrawnStep("size", "size", "value", "12"),
        DrawnStep("fit", "fit", pool="list"),
        DrawnStep("look", "look", "manual"),
    ]
    text = picture(graph("list > fit > look", "size > fit", steps=steps))
    assert "┌╌ for each of list ╌" in text
    assert "│ = 12  │" in text
    assert "╭" in text
    assert "║ look" in text


def test_a_pool_whose_size_is_not_known_says_so() -> None:
    text = picture(Graph("run", [DrawnStep("a", "fit", counts=dict.fromkeys(("waiting", "done"), 0))], []))
    assert "· not known yet" in text


@pytest.mark.parametrize("seed", range(8))
def test_thirty_steps_fit_into_a_hundred_columns_each_with_its_name(seed: int) -> None:
    found = random_graph(seed, 30)
    text = picture(found)
    assert max(map(len, text.splitlines())) <= 100
    assert all(f" {step.label} " in text for step in found.steps)


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_drawing_keeps_to_the_width(width: int) -> None:
    for found in (
        random_graph(1, 60),
        fan_of_chains(20),
        graph(*(f"a > a_rather_long_name_{at} > z" for at in range(12))),
    ):
        assert max(len(row) for row in picture(found, width).splitlines()) <= width


def test_long_names_keep_their_ends() -> None:
    text = picture(graph("a_name_that_is_really_much_too_long_to_be_drawn_whole_42"))
    assert "…" in text
    assert "whole_42" in text


def test_a_count_stays_whole_however_short_the_name_gets() -> None:
    steps = [DrawnStep(f"s{at}", f"mutation_overlap_of_{at} {TIMES}1,602") for at in range(5)]
    for width, label in ((100, f"mut… {TIMES}1,602"), (76, f"m…{TIMES}1,602")):
        (row,) = [line.plain for line in drawn(Graph("w", steps, []), width) if TIMES in line.plain]
        assert row.count(label) == 5


def test_before_names_are_cut_they_go_without_what_all_begin_with() -> None:
    names = ["FASTQC", "SKEWER", "UNICYCLER", "PROKKA", "QUAST"]
    wide = picture(Graph("w", [DrawnStep(name, f"NFCORE_BACASS.BACASS.{name}") for name in names], []))
    assert [name for name in names if f"│ {name} " in wide] == names
    narrow = picture(Graph("w", [DrawnStep(name, f"NFCORE.{name}") for name in names[:2]], []))
    assert "NFCORE.FASTQC" in narrow


def test_five_thousand_steps_are_drawn_soon_and_folded() -> None:
    large = random_graph(2, 5_000, (1, 2, 3))
    begin = time.process_time()
    rows = drawn(large)
    assert time.process_time() - begin < 5.0
    assert len(rows) < 300
    assert TIMES in "".join(row.plain for row in rows)


def test_nothing_is_drawn_of_nothing() -> None:
    assert picture(Graph("empty", [], [])) == "nothing to draw"
