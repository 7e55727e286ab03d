"""What came out of an experiment, for programs."""

import json

from roost.lab.experiment import Row
from roost.lab.reporting.outcome import Outcome, Verdict, as_json, json_text, outcome_of, verdict_of
from roost.lab.running.asked import Asked
from roost.lab.running.runner import Done
from tests.lab.small_experiment import ENTRY, EXPERIMENT, square


def outcome(seed: int = 3) -> Outcome:
    asked = Asked(ENTRY, EXPERIMENT, EXPERIMENT.quick, seed, True)
    done = Done()
    for cell in asked.cells():
        done.add(cell, square(cell.argument))
    return outcome_of(asked, asked.report(done))


def test_an_outcome_says_how_it_can_be_run_again() -> None:
    told = outcome()
    assert (told.name, told.document, told.section, told.is_quick, told.seed) == ("small", "TEST", "1.2", True, 3)
    assert told.parameters == {"up-to": 2, "factor": 1.0, "names": ("a",)}


def test_a_verdict_counts_figures_that_hold_that_differ_and_that_nobody_judged() -> None:
    assert verdict_of(outcome().report.rows) == Verdict(holding=2, differing=1, unjudged=1)
    assert verdict_of(()) == Verdict(0, 0, 0)


def test_json_has_all_rows_in_one_list_with_their_experiment() -> None:
    told = as_json([outcome(), outcome()])
    assert len(told["rows"]) == 8
    assert told["rows"][1] == {
        "experiment": "small",
        "what": "1 squared",
        "published": 1.0,
        "reproduced": 1.0,
        "difference": 0.0,
        "unit": "m²",
        "tolerance": 0.1,
        "error": None,
        "holds": True,
        "reading": "",
    }
    assert told["experiments"][0]["verdict"] == {"holding": 2, "differing": 1, "unjudged": 1}
    assert told["experiments"][0]["figures"][0]["panels"][0]["series"][0]["y"] == (0.0, 1.0)


def test_a_document_of_it_is_json_with_its_title() -> None:
    told = json.loads(json_text([outcome()], "Title", "today"))
    assert (told["title"], told["when"], len(told["rows"])) == ("Title", "today", 4)


def test_infinity_is_told_in_words_that_json_has() -> None:
    row = Row(what="x", published="∞", reproduced=1e23)
    assert json.dumps([row.published, row.reproduced]) == '["\\u221e", 1e+23]'
