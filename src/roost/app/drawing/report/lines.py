"""A run as JSON lines: the run, its nodes, how evenly they shared it, steps, elements, spans, events and failures.

Each is an object with a type.
"""

from collections.abc import Iterable, Iterator

import msgspec

from roost.app.drawing.report.facts import Facts, Json, evenness, shares
from roost.core.telling.views import STATES
from roost.model.paths import read_ranges, shown_index


def json_lines(facts: Facts, failures: Iterable[Json]) -> Iterator[bytes]:
    """Yield the lines; ``failures`` are all of them, not only those that a page shows."""
    for record in _records(facts, failures):
        yield msgspec.json.encode(record) + b"\n"


def _records(facts: Facts, failures: Iterable[Json]) -> Iterator[Json]:
    detail = facts.detail
    yield {"type": "run", **{name: value for name, value in detail.items() if name != "steps"}}
    found = shares(facts)
    for share in found:
        yield {
            "type": "node",
            "node": share.node,
            "done": share.done,
            "attempts": share.attempts,
            "failed": share.failed,
            "busy_s": share.busy_s,
            "lanes": len(share.lanes),
        }
    done, busy = evenness(found)
    yield {"type": "evenness", "of": "nodes", "done": done, "busy_s": busy}
    for step in detail["steps"]:
        yield {"type": "step", **step}
    for span in facts.spans:
        yield {"type": "span", **span}
    for event in facts.happened:
        yield {"type": "event", **event}
    for failure in failures:
        yield {"type": "failure", **failure}
    for step in detail["steps"]:
        for state in STATES:
            for index in read_ranges(step["ranges"][state]) if state in step["ranges"] else ():
                path = shown_index(index, step["parts"])
                yield {"type": "element", "task": step["task"], "index": index, "path": path, "state": state}
