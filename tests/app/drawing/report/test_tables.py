"""The tables of a page."""

from typing import Any

from roost.app.drawing.report.facts import DETAIL_SHOWN, STEPS_SHOWN
from roost.app.drawing.report.tables import events_html, failures_html, nodes_html, steps_html, summary_html
from tests.app.cli.fake_node import step
from tests.app.drawing.report.made_up import BEGIN, facts, failure, span


def test_the_summary_has_state_time_and_counts_in_words() -> None:
    html = summary_html(facts(span(0, 5), span(0, 10)))
    assert "✗ failed" in html
    assert "10.0 s" in html
    assert "15.0 s in all, 1.5 lanes busy on average" in html
    assert "✓ 2 done" in html
    assert "3 in 1 step<" in html


def test_a_run_that_goes_on_has_taken_so_long_until_now() -> None:
    html = summary_html(facts(finished_at=None))
    assert "has taken" in html
    assert "12.0 s" in html


def test_nodes_have_their_shares() -> None:
    html = nodes_html(facts(span(0, 4), span(0, 8, node="elm", failed=1)))
    assert html.index("elm") < html.index("ash")
    assert "100%" in html
    assert "8.0 s" in html
    assert "No node" in nodes_html(facts(steps=[step(ready=1)]))


def test_how_evenly_nodes_shared_a_run_is_said_if_there_were_several() -> None:
    html = nodes_html(facts(span(0, 4), span(0, 8, node="elm")))
    # Results 2 and 0: 4 / (2 · 4), and (1 + 1) / 1. Seconds 4 and 8: 144 / (2 · 80), and (4 + 4) / 1.
    assert "Jain&#x27;s index 0.5 and variance 2 of results" in html
    assert "Jain&#x27;s index 0.9 and variance 8 of busy seconds" in html
    assert "evenly" not in nodes_html(facts(span(0, 4)))


def test_steps_have_times_and_what_went_wrong() -> None:
    html = steps_html(facts(span(0, 4, elements=2)))
    assert "2 of 3" in html
    assert "2.0 s" in html
    assert "✗ 1 failed" in html
    assert "ash 2" in html


def test_steps_beyond_the_bound_are_counted() -> None:
    many = [step(f"s{at}", done=1) for at in range(STEPS_SHOWN + 3)]
    html = steps_html(facts(steps=many))
    assert html.count("<tr>") == STEPS_SHOWN + 1
    assert "and 3 more steps" in html


def test_failures_can_be_opened_and_long_ones_keep_their_ends() -> None:
    html = failures_html(
        facts(failures=[failure(7, detail="begin" + "x" * DETAIL_SHOWN + "end"), failure(8, detail="")])
    )
    assert "echo element 7: exit code 3" in html
    assert "begin" not in html
    assert "xend</pre>" in html
    assert "It left no output." in html
    assert "Nothing failed." in failures_html(facts())


def event(kind: str, who: str, what: str, took_s: float | None = None) -> dict[str, Any]:
    return {"at": BEGIN, "kind": kind, "who": who, "what": what, "where": ["echo 1-2"], "elements": 2, "took_s": took_s}


def test_events_tell_who_did_what_why_and_how_long_it_took() -> None:
    found = facts()
    found.happened.extend([
        event("node lost", "elm", "ready again: elm fell silent"),
        event("answered", "anna", "done by anna", 90.0),
        event("answered", "ben", "done by ben", 30.0),
        event("sent back", "<ben>", "sent back by <ben> from check: not level"),
    ])  # fmt: skip
    html = events_html(found)
    assert "ready again: elm fell silent" in html
    assert "People answered after 1 min 00 s on average." in html
    assert "&lt;ben&gt; from check: not level" in html
    assert "1 min 30 s" in html
    assert "No node was lost" in events_html(facts())
    found.happened[:] = [event("node lost", "elm", "ready again: elm fell silent")]
    assert "elm fell silent" in events_html(found), "though nobody answered anything"


def test_what_was_taken_over_is_in_the_summary_and_the_steps() -> None:
    found = facts(taken_over=2, steps=[step(done=3) | {"taken_over": 2}])
    assert "2 taken over" in summary_html(found)
    assert "3 of 3, 2 taken over" in steps_html(found)
    assert "taken over" not in summary_html(facts())
