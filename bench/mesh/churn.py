"""What deaths of nodes cost, by policy: HTC's mixed system (4.4.1) on real nodes, a thousand times as fast.

Half of the nodes are unstable (1e-4 failures and 1e-3 recoveries a second there), half fail a fortieth as often. All
know when they were on line before: a log of exponential times, drawn from its rates, is in the home of each when it
starts. None is likely to stay for ten minutes, so none is a super-peer (policy/node_state.py), and the policies alone
decide who takes what.

The work is HTC's small workload: of ten tasks eight take up to 1.5 s, one up to 6 s and one up to 25 s, and say so.
They sleep, so that the nodes do not share two processors. All are handed in at once.

For each seed the bag, the histories and the schedule of deaths are drawn once, and each policy gets the same in a mesh
of its own, in turns. What is wasted is reckoned from what the elements note themselves (netlab/waste.py).
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from bench.mesh.figures import Figure, Options
from bench.mesh.nodes import mesh_of
from netlab.bags import work_through
from netlab.churn import Absence, Machine, drawn_absences
from netlab.histories import drawn_history
from netlab.waste import Account
from roost.model.online import OnlineLog

TITLE = "Nodes that die: waste and make-span by policy (HTC 4.4.1, mixed system, small workload)"
_SCALE = 1_000.0
_STABLE, _UNSTABLE = Machine(4e5 / _SCALE, 1e4 / _SCALE), Machine(1e4 / _SCALE, 1e3 / _SCALE)
MACHINES = {1: _STABLE, 2: _UNSTABLE, 3: _STABLE, 4: _UNSTABLE, 5: _STABLE, 6: _UNSTABLE}
#: The shares of the workload, and how long its tasks take.
_KINDS = ((8, 1.0, 1_500.0), (1, 1_500.0, 6_000.0), (1, 6_000.0, 25_000.0))
#: Nothing real is done in a few milliseconds.
_SHORTEST_S = 0.2
#: The work of each node, were there no deaths.
_WORK_S = 40.0
_SEEDS, _FIRST_SEED = 5, 441
_BASE, _POLICIES = "fcfs", ("fcfs", "bfgc", "roost")
_PATIENCE_S = 600.0


class Case(NamedTuple):
    """What is drawn from a seed, and the same for each policy."""

    lengths: list[float]
    histories: dict[int, OnlineLog]
    absences: list[Absence]


class Outcome(NamedTuple):
    span_s: float
    account: Account
    #: The average length of what was begun on unstable nodes, and on stable ones.
    begun_s: tuple[float, float]


def measure(options: Options) -> list[Figure]:
    policies = list(_POLICIES)
    cases = [_drawn(_FIRST_SEED + number, options) for number in range(options.count(_SEEDS))]
    # Each begins once: the machine is quicker at times.
    turns = [policies[at % len(policies) :] + policies[: at % len(policies)] for at in range(len(cases))]
    outcomes = [{name: _lived(case, name) for name in turn} for case, turn in zip(cases, turns, strict=True)]
    figures: list[Figure] = []
    for name in policies:
        figures += _figures(name, [one[name] for one in outcomes])
    for name in policies:
        if name != _BASE:
            figures += _compared(name, [(one[name], one[_BASE]) for one in outcomes])
    return figures


def _drawn(seed: int, options: Options) -> Case:
    draw, lengths = Random(seed), list[float]()
    work_s = len(MACHINES) * _WORK_S * (0.5 if options.quick else 1.0)
    shares = [share for share, _, _ in _KINDS]
    while sum(lengths) < work_s:
        _, low_s, high_s = draw.choices(_KINDS, shares)[0]
        lengths.append(round(max(draw.uniform(low_s, high_s) / _SCALE, _SHORTEST_S), 2))
    histories = {number: drawn_history(draw, *machine) for number, machine in MACHINES.items()}
    return Case(lengths, histories, drawn_absences(draw, MACHINES, _PATIENCE_S))


def _lived(case: Case, policy: str) -> Outcome:
    with mesh_of(len(MACHINES), histories=case.histories) as mesh:
        # The first start on each host also starts what runs commands there.
        mesh.await_done(mesh.submit(1, 4 * mesh.size, 0.2), 4 * mesh.size, among=[1])
        done = work_through(mesh, case.lengths, policy, case.absences, _PATIENCE_S)
        begun: dict[Machine, list[float]] = {_UNSTABLE: [], _STABLE: []}
        for one in done.executions:
            begun[MACHINES[mesh.number_of(one.host)]].append(done.length_of(one))
    unstable, stable = (sum(lengths) / max(len(lengths), 1) for lengths in begun.values())
    return Outcome(done.span_s, done.account, (unstable, stable))


def _figures(name: str, outcomes: Sequence[Outcome]) -> list[Figure]:
    def mean(title: str, unit: str, values: list[float]) -> Figure:
        return Figure(f"{name}: {title}", sum(values) / len(values), unit, samples=values)

    accounts = [outcome.account for outcome in outcomes]
    return [
        mean("make-span", "s", [outcome.span_s for outcome in outcomes]),
        mean("wasted", "s", [one.wasted_s for one in accounts]),
        mean("  of all time spent", "%", [100 * one.wasted_s / (one.wasted_s + one.useful_s) for one in accounts]),
        mean("executions", "", [one.executions for one in accounts]),
        mean("  aborted", "", [one.aborted for one in accounts]),
        mean("begun on unstable nodes takes", "s", [outcome.begun_s[0] for outcome in outcomes]),
        mean("begun on stable nodes takes", "s", [outcome.begun_s[1] for outcome in outcomes]),
    ]


def _compared(name: str, pairs: Sequence[tuple[Outcome, Outcome]]) -> list[Figure]:
    """Compare all seeds together with the base, and the best and the worst of them by itself.

    Together, because where the base wastes next to nothing the ratio of that seed says nothing.
    """
    waste = [(one.account.wasted_s, base.account.wasted_s) for one, base in pairs]
    span = [(one.span_s, base.span_s) for one, base in pairs]
    figures = []
    for title, both, below in (("waste", waste, 1.0), ("make-span", span, None)):
        ratios = [mine / theirs for mine, theirs in both]
        together = sum(mine for mine, _ in both) / sum(theirs for _, theirs in both)
        figures += [
            Figure(
                f"{name} against {_BASE}: {title}, {len(ratios)} seeds together", together, "x", below, samples=ratios
            ),
            Figure("  best seed", min(ratios), "x"),
            Figure("  worst seed", max(ratios), "x"),
        ]
    return figures
