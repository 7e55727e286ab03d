"""The work of a what-if: a run of the cluster, with what was measured then.

Rules
- What an element takes is what its result says, or else the timeline (languages/wfformat/runtimes.py). One of which
  that is not known takes as long as the others of its task do on average, or what a person says.
- That was on the node where it ran. How fast nodes are follows from arrays that several of them did, reckoned as nodes
  reckon it (policy/expected_length.py), and lengths are those on a node of speed 1.
- Nodes are told what was stated when it was handed in, and no more.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from roost.client.control import Control, run_path
from roost.client.paging import failures_of, results_of
from roost.lab.what_if.work import Lengths, Link, Measured, Task, Uniform, Work
from roost.languages.wfformat.runtimes import Runtimes
from roost.model.errors import InvalidInput
from roost.model.limits import WHAT_IF_ELEMENTS_MAX
from roost.model.order import in_order
from roost.model.paths import read_ranges
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import EdgeKind, Needs, Priority
from roost.policy.expected_length import NOTHING_SEEN, Logs, log_ratio, speed_of

Json = Mapping[str, Any]
#: What nobody runs: it comes with the submission, or a person answers.
_UNRUN: Final = frozenset({"value", "manual"})
#: An element counts at least so long where logarithms are taken.
_LEAST_S: Final = 1e-3


class PastRun(NamedTuple):
    work: Work
    #: How long it took then, if it has ended.
    make_span_s: float | None
    #: How fast its nodes were, as far as it shows.
    speeds: dict[str, float]
    name: str


class _Took(NamedTuple):
    element: int
    node: str
    seconds: float


def past_run(control: Control, run: str, length_s: float | None, *, is_pure: bool) -> PastRun:
    """Ask for a run. Raise InvalidInput if it is too large, or nothing is known of how long it takes."""
    detail = control.get(run_path(run))
    if detail["counts"]["total"] > WHAT_IF_ELEMENTS_MAX:
        many = f"run {run} has {detail['counts']['total']:,} elements"
        raise InvalidInput(f"{many}, and at most {WHAT_IF_ELEMENTS_MAX:,} are lived through; ask about a smaller one")
    runtimes = Runtimes(control.get(run_path(run, "timeline"))["spans"])
    took = {step["task"]: list(_took(control, run, step, runtimes)) for step in detail["steps"]}
    speeds = speeds_seen(took.values())
    ended = detail["finished_at"]
    return PastRun(
        Work(_tasks(detail, took, speeds, length_s, is_pure=is_pure)),
        None if ended is None else ended - detail["submitted_at"],
        speeds,
        f"{detail['run']} ({detail['name']})",
    )


def _took(control: Control, run: str, step: Json, runtimes: Runtimes) -> Iterable[_Took]:
    if step["kind"] in _UNRUN:
        return
    for ended in chain(results_of(control, run, step["name"], None), failures_of(control, run, step["name"])):
        seconds = runtimes.seconds(step, ended)
        if seconds is not None and ended["node"] is not None:
            yield _Took(ended["index"], ended["node"], seconds)


def speeds_seen(arrays: Iterable[Sequence[_Took]]) -> dict[str, float]:
    """Return how fast nodes are, by how long each took for elements of arrays that several of them worked on."""
    seen: dict[str, Logs] = defaultdict(lambda: NOTHING_SEEN)
    for array in arrays:
        if len({one.node for one in array}) < 2:
            continue
        usual_s = math.exp(math.fsum(math.log(max(one.seconds, _LEAST_S)) for one in array) / len(array))
        for one in array:
            seen[one.node] = seen[one.node].plus(log_ratio(max(one.seconds, _LEAST_S), usual_s))
    return {node: speed_of(logs) for node, logs in sorted(seen.items())}


def _tasks(
    detail: Json,
    took: Mapping[str, Sequence[_Took]],
    speeds: Mapping[str, float],
    given_s: float | None,
    *,
    is_pure: bool,
) -> tuple[Task, ...]:
    by_name = {step["task"]: step for step in detail["steps"]}
    waits = {task: [edge["source"] for edge in step["edges"]] for task, step in by_name.items()}
    steps = [by_name[task] for task in in_order(waits)]
    places = {step["task"]: at for at, step in enumerate(steps)}
    elements = [_elements(step) for step in steps]
    tasks = []
    for step, own in zip(steps, elements, strict=True):
        sources = [
            (places[edge["source"]], EdgeKind(edge["kind"])) for edge in step["edges"] if edge["source"] in places
        ]
        links = [Link(source, kind, _pools(kind, own, elements[source])) for source, kind in sources]
        tasks.append(
            Task(
                step["name"],
                own.bounds,
                _lengths(step, own, took[step["task"]], speeds, given_s),
                tuple(links),
                Needs.of(step["cpus"], step["memory_bytes"], condition=step["require"]),
                is_run=step["kind"] not in _UNRUN,
                stated_s=step["length_s"],
                owner=detail["owner"],
                is_pure=is_pure,
                priority=Priority(step["priority"]),
            )
        )
    return tuple(tasks)


def _elements(step: Json) -> RangeSet:
    elements = EMPTY
    for ranges in step["ranges"].values():
        elements = elements | read_ranges(ranges)
    return elements


def _pools(kind: EdgeKind, own: RangeSet, source: RangeSet) -> int:
    """Return how many pools lie between a task and its source: indices in a pool name the whole way down."""
    if kind == EdgeKind.SPREAD:
        return 1
    inner, outer = (own, source) if kind == EdgeKind.EACH else (source, own)
    pools = 0
    while kind in (EdgeKind.EACH, EdgeKind.GATHER) and inner and outer and inner.last // POOL_BLOCK**pools > outer.last:
        pools += 1
    return pools


def _lengths(
    step: Json, own: RangeSet, took: Sequence[_Took], speeds: Mapping[str, float], given_s: float | None
) -> Lengths:
    if step["kind"] in _UNRUN or not own:
        return Uniform(0.0, 0.0)
    known = {one.element: one.seconds * speeds.get(one.node, 1.0) for one in took if one.element in own}
    else_s = math.fsum(known.values()) / len(known) if known else given_s or step["length_s"]
    if else_s is None:
        raise InvalidInput(
            f"nobody knows how long '{step['name']}' takes, of which nothing has ended; say it with --length 20m"
        )
    return Measured(tuple(known.get(index, else_s) for index in own))
