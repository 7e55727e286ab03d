"""The timeline of a page."""

import re
from xml.etree import ElementTree as ET

from roost.app.drawing.report.lanes import timeline_html
from tests.app.cli.fake_node import step
from tests.app.drawing.report.made_up import facts, span


def bars(html: str) -> list[ET.Element]:
    pictures = re.findall(r"<svg.*?</svg>", html)
    return [rect for picture in pictures for rect in ET.fromstring(picture).iter("rect")]


def test_every_node_has_its_lanes_and_every_span_its_bar() -> None:
    html = timeline_html(facts(span(0, 5), span(5, 10, lane=7), span(2, 4, node="elm")))
    assert re.findall(r"<figcaption>(.*?)</figcaption>", html) == ["ash", "elm"]
    first, second, third = bars(html)
    assert [(bar.get("x"), bar.get("width")) for bar in (first, second)] == [("0.0", "5000.0"), ("5000.0", "5000.0")]
    assert [bar.get("y") for bar in (first, second, third)] == ["1", "15", "1"]
    assert first.findtext("title") == "echo: element 3, from 0 ms to 5.0 s"


def test_tips_name_ranges_failures_and_mixtures() -> None:
    html = timeline_html(
        facts(span(0, 5, elements=4, last=9, last_path="9", failed=2), span(5, 6, task=None, elements=1_000))
    )
    assert [bar.findtext("title") for bar in bars(html)] == [
        "echo: 4 elements (3 to 9), 2 failed, from 0 ms to 5.0 s",
        "several steps: 1,000 elements, from 5.0 s to 6.0 s",
    ]
    assert [bar.get("class") for bar in bars(html)] == ["c0 bad", "cx"]


def test_steps_have_colours_and_keys_in_their_order() -> None:
    steps = [step(name, done=1) for name in ("make", "use")]
    html = timeline_html(facts(span(0, 1, "5-kedova/use"), span(1, 2, "5-kedova/make"), steps=steps))
    assert re.findall(r'class="key (c\d)".*?data-step="(\w+)"', html) == [("c0", "make"), ("c1", "use")]


def test_many_steps_are_gathered_by_the_stems_of_their_names() -> None:
    steps = [step(f"{kind}_{at}", done=1) for at in range(30) for kind in ("sort", "map")]
    spans = [span(at, at + 1, one["task"]) for at, one in enumerate(steps)]
    html = timeline_html(facts(*spans, steps=steps))
    assert re.findall(r'data-step="(\w+)"><i>', html) == ["sort", "map"]


def test_short_spans_can_be_seen() -> None:
    (bar, _) = bars(timeline_html(facts(span(0, 0.00001), span(0, 1_000))))
    assert float(bar.get("width") or 0) == 1.0


def test_a_run_of_which_nothing_is_remembered_says_so() -> None:
    assert "Nothing has run yet" in timeline_html(facts())
