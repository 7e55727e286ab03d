"""A run as JSON lines."""

import json
from itertools import groupby

from roost.app.drawing.report.lines import json_lines
from tests.app.drawing.report.made_up import facts, failure, large, span


def test_every_line_is_an_object_with_a_type() -> None:
    told = [json.loads(line) for line in json_lines(facts(span(0, 1)), [failure(2)])]
    assert [line["type"] for line in told] == [
        "run",
        "node",
        "evenness",
        "step",
        "span",
        "failure",
        "element",
        "element",
        "element",
    ]
    assert "steps" not in told[0]
    assert told[2]["done"] == told[2]["busy_s"] == {"jains_index": 1.0, "variance": None}
    assert told[-1] == {"type": "element", "task": "5-kedova/echo", "index": 2, "path": "2", "state": "failed"}


def test_all_elements_are_there_however_many() -> None:
    kinds = (json.loads(line)["type"] for line in json_lines(large(20_000), []))
    assert {kind: len(list(group)) for kind, group in groupby(kinds)}["element"] == 20_000
