"""The rows of htc-2.5."""

from roost.lab.experiments.htc_2_5 import EXPERIMENT
from roost.lab.store_queue.findings import Found
from roost.lab.store_queue.rows import all_rows
from roost.lab.store_queue.settings import Settings
from tests.lab.store_queue.test_findings import Two


def rows() -> dict[str, str]:
    return {row.what: row.reading for row in all_rows(Found(Settings(EXPERIMENT.quick, 1), Two()))}


def test_what_the_document_says_in_words_is_judged() -> None:
    # Half of all tasks collide in these results, each of which is made up.
    assert rows()["collisions without the table, 20 nodes, load 0.2"] == "holds"
    assert rows()["collisions, 20 nodes, load 0.2"] == "does not hold"
    assert rows()["most collisions above load 1.0, tasks of up to 2 s"] == "does not hold"
    assert rows()["longest scheduling time, 80 nodes, loads above 1.0"] == "holds"
    assert rows()["cells of figure 2.2 with a slowdown below 2"] == "does not hold"


def test_figures_of_the_table_have_a_tolerance() -> None:
    judged = [row for row in all_rows(Found(Settings(EXPERIMENT.quick, 1), Two())) if row.tolerance is not None]
    assert len(judged) == 80
    by_name = {row.what: row.holds for row in judged}
    assert by_name["table 2.4, 20 nodes, load 1: utilisation"] is True
    assert by_name["table 2.4, 20 nodes, load 0.2: utilisation"] is False
