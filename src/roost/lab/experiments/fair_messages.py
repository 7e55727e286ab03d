"""FAIR 4.1: how many messages the gossip about performances takes."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from roost.lab.experiment import Cell, Experiment, Report, Results, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.mobile.gossip import Gossip, asked_and_answered, told_of_changes
from roost.lab.mobile.live import live
from roost.lab.mobile.setting import Outcome, Surroundings, setting_of
from roost.lab.mobile.words import paragraphs
from roost.model.ids import NodeId
from roost.policy.fairness import STRATEGIES

PUBLISHED: Final = {2: 6680, 10: 49_432, 20: 102_872}
#: How much two counts of the same may differ: FAIR's simulation need not end with a whole round.
_SAME: Final = 0.001
#: How often Roost's nodes ask each other (core/mesh/performance/performance_gossip.py).
REFRESH_S: Final = 30.0


class Parameters(Surroundings, frozen=True, kw_only=True):
    pass


def _cell(parameters: Parameters, seed: int, strategy: str, group: int, **fields: Any) -> Cell[tuple[Outcome, ...]]:
    setting = setting_of(parameters, seed, **{"strategy": strategy, "group": group, **fields})
    return Cell(f"{strategy}, groups of {group}", live, setting)


def _plugged_in(parameters: Parameters, seed: int, strategy: str, group: int) -> Cell[tuple[Outcome, ...]]:
    """Return the world in which performances change with work only."""
    return _cell(parameters, seed, strategy, group, battery="mains", weighs="lanes")


_Kind: TypeAlias = Callable[[Parameters, int, str, int], Cell[tuple[Outcome, ...]]]
#: What is lived through with each strategy.
_KINDS: Final[tuple[_Kind, ...]] = (_cell, _plugged_in)


def _of_roost(parameters: Parameters, seed: int, group: int) -> Cell[tuple[Outcome, ...]]:
    return _cell(parameters, seed, "not-best", group, rule="usual", weighs="roost", tells="at-once", order="fixed")


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[tuple[Outcome, ...]]]:
    return [
        *(kind(parameters, seed, strategy, group) for group in PUBLISHED for strategy in STRATEGIES for kind in _KINDS),
        *(_of_roost(parameters, seed, group) for group in PUBLISHED),
    ]


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    def mean(kind: _Kind, group: int) -> float:
        found = [results.of(kind(parameters, seed, strategy, group))[0] for strategy in STRATEGIES]
        return sum(one.messages for one in found) / len(found)

    measured = {group: mean(_cell, group) for group in PUBLISHED}
    plugged_in = {group: mean(_plugged_in, group) for group in PUBLISHED}
    roosts = {group: _in_roost(parameters, seed, results, group) for group in PUBLISHED}
    return Report(
        rows=(*_rows(parameters, measured), _on_a_line()),
        figures=(_figure(parameters, measured, roosts),),
        tables=(
            Table(
                title=f"Messages in {parameters.until_s:g} s",
                columns=(
                    "size of group",
                    "published",
                    "n N a round",
                    "a quarter of one left",
                    "measured here",
                    "on mains, only what changes",
                    "Roost, nothing to do",
                    "Roost, with these jobs",
                ),
                rows=tuple(
                    (
                        group,
                        published,
                        _rounds(parameters) * parameters.workers * group,
                        _with_a_quarter(parameters, group),
                        measured[group],
                        plugged_in[group],
                        *map(round, roosts[group]),
                    )
                    for group, published in PUBLISHED.items()
                ),
            ),
        ),
        findings=_FINDINGS,
    )


_FINDINGS: Final = paragraphs(
    """
The three published numbers lie on one line exactly: M = 5344 n - 4008, that is 5344 (n - 3/4), and 5344 is 20 devices
times 267.2 rounds; 8000 s have 266.7 rounds of 30 s. So of the n messages of a device in a round, three quarters of
one are left out on average, whatever n is: all n - 1 others are told in every round, and of the n-th message every
fourth remains. FAIR does not say what that one is; it may be the one to itself, or to the super-peer.

So omitting what brings no new data saves nothing among the others in FAIR. That is what comes out here as well:
charges fall all the time, so in each round everybody has something new for everybody, N (n - 1) messages a round in
267 rounds. FAIR's count is above that by the quarter of a message, which here is none.

Where devices are on mains and only what they work on counts, nearly all messages bring nothing new, and are left out:
about 120 changes a run, each told to n - 1 others.

Roost's own rule, as far as it can be reckoned without its core: a node asks each of its group every 30 s and tells its
own performance with that, and the answer asks back, so that a pair takes two messages in 30 s; and a change is told
within a second to those who asked. Groups of an even size are not quite mutual, for they have one more behind than
before: so there are n N / 2 pairs, and with nothing to do Roost says exactly the n N of FAIR's formula, but in a group
of all, which has N (N - 1) / 2. Each job adds two changes of one node. What Roost sends beyond this, to refresh what a
node has worked, is not in it.
"""
)


def _rounds(parameters: Parameters) -> int:
    """Return how many rounds begin within the time."""
    return -int(-parameters.until_s // parameters.round_s)


def _with_a_quarter(parameters: Parameters, group: int) -> float:
    return _rounds(parameters) * parameters.workers * (group - 0.75)


def _rows(parameters: Parameters, measured: dict[int, float]) -> list[Row]:
    rows = []
    for group, published in PUBLISHED.items():
        tolerance = round(_SAME * published, 1)
        for reproduced, reading in (
            (_with_a_quarter(parameters, group), "of n messages of a device in a round, a quarter of one is left"),
            (measured[group], "measured: what brings nothing new is left out; the mean of the five strategies"),
            (float(_rounds(parameters) * parameters.workers * group), "the formula of FAIR, n N in each round"),
        ):
            what = f"messages, groups of {group}: {reading.partition(':')[0]}"
            rows.append(
                Row(what=what, published=published, reproduced=reproduced, tolerance=tolerance, reading=reading)
            )
    return rows


def _on_a_line() -> Row:
    """Return what the line through the first two published numbers says of the third."""
    (first, low), (second, middle), (third, high) = PUBLISHED.items()
    return Row(
        what=f"messages, groups of {third}, on the line through the two others",
        published=high,
        reproduced=middle + (middle - low) / (second - first) * (third - second),
        tolerance=0.0,
        reading="so what is left out does not depend on the size of the group",
    )


def _in_roost(parameters: Parameters, seed: int, results: Results, group: int) -> tuple[float, float]:
    """Return what Roost's own gossip says with nothing to do, and with this work."""
    names = [NodeId(f"worker{at:02}") for at in range(1, parameters.workers + 1)]
    groups = Gossip(names, group, parameters.round_s).groups
    idle = asked_and_answered(groups, parameters.until_s, REFRESH_S)
    world = results.of(_of_roost(parameters, seed, group))[0]
    changes = [begun + ended for begun, ended in zip(world.begun, world.processed, strict=True)]
    return idle, idle + told_of_changes(groups, changes)


def _figure(parameters: Parameters, measured: dict[int, float], roosts: dict[int, tuple[float, float]]) -> Figure:
    sizes = tuple(PUBLISHED)
    lines = {
        "measured": tuple(measured.values()),
        "n N a round": tuple(float(_rounds(parameters) * parameters.workers * group) for group in sizes),
        "Roost": tuple(with_jobs for _, with_jobs in roosts.values()),
    }
    series = [Series(name=name, kind="line and points", x=sizes, y=values) for name, values in lines.items()]
    published = tuple(map(float, PUBLISHED.values()))
    series.append(Series(name="published", kind="line and points", x=sizes, y=published, is_reference=True))
    panel = Panel(x=Axis("group size n"), y=Axis("messages"), series=tuple(series))
    return Figure(title=f"Messages of gossip in {parameters.until_s:g} s", panels=(panel,))


EXPERIMENT: Final = Experiment(
    about="Twenty workers tell each other how they do in rounds of 30 s, for 8000 s, in groups of 2, 10 and 20, and "
    "leave out what brings nothing new. Asked is how many messages that takes, and how many Roost's own gossip would.",
    full=Parameters(),
    quick=Parameters(),
    cells=cells,
    report=report,
)
