"""What a report is made of, asked of the node once, within bounds, so that a page has them too."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from roost.client.control import Control, run_path
from roost.client.paging import failures_of
from roost.policy.fairness_measures import jains_index, variance

#: Failures on a page, and how much of each one's output.
FAILURES_SHOWN = 200
DETAIL_SHOWN = 4_000
#: Events in the table of a page.
EVENTS_SHOWN = 200
#: Steps in the table of a page.
STEPS_SHOWN = 500

Json = dict[str, Any]


@dataclass(frozen=True)
class Facts:
    """A run as the API tells of it."""

    detail: Json
    spans: list[Json]
    #: Nodes whose part of the timeline may be missing.
    silent: list[str]
    failures: list[Json]
    nodes: list[Json]
    #: When it was asked for, in seconds since 1970.
    at: float
    #: Nodes that were lost, and what people did.
    happened: list[Json] = field(default_factory=list)

    @cached_property
    def begin(self) -> float:
        """When the timeline begins: with the submission, unless a clock of another node is behind."""
        return float(min([self.detail["submitted_at"], *(span["start"] for span in self.spans)]))

    @cached_property
    def end(self) -> float:
        return float(max([self.detail["finished_at"] or self.at, *(span["end"] for span in self.spans)]))


@dataclass(slots=True)
class Share:
    """What one node did."""

    node: str
    done: int = 0
    attempts: int = 0
    failed: int = 0
    busy_s: float = 0.0
    lanes: set[int] = field(default_factory=set)


def ask(control: Control, run: str) -> Facts:
    timeline = control.get(run_path(run, "timeline"))
    return Facts(
        control.get(run_path(run)),
        timeline["spans"],
        timeline["silent"],
        list(islice(failures_of(control, run), FAILURES_SHOWN)),
        control.get("/v1/nodes")["nodes"],
        time.time(),
        timeline["happened"],
    )


def shares(facts: Facts) -> list[Share]:
    """Return what each node did, the busiest first. Results are counted by what was accepted, times by the timeline."""
    found: dict[str, Share] = {}
    for step in facts.detail["steps"]:
        for node, count in step["done_on"].items():
            found.setdefault(node, Share(node)).done += count
    for span in facts.spans:
        share = found.setdefault(span["node"], Share(span["node"]))
        share.attempts += span["elements"]
        share.failed += span["failed"]
        share.busy_s += span["busy_s"]
        share.lanes.add(span["lane"])
    return sorted(found.values(), key=lambda share: (-share.busy_s, -share.done, share.node))


def evenness(found: list[Share]) -> tuple[Json, Json]:
    """Return how evenly the results, and the seconds, are shared out among the nodes that did something."""
    results, seconds = [share.done for share in found], [share.busy_s for share in found]
    done, busy = ({"jains_index": jains_index(of), "variance": variance(of)} for of in (results, seconds))
    return done, busy


def busy_by_step(spans: Iterable[Json]) -> dict[str, tuple[int, float]]:
    """Return the attempts and the seconds of each task; those that were merged with others are left out."""
    found: dict[str, tuple[int, float]] = {}
    for span in spans:
        if span["task"] is not None:
            attempts, busy_s = found.get(span["task"], (0, 0.0))
            found[span["task"]] = attempts + span["elements"], busy_s + span["busy_s"]
    return found
