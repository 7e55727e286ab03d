"""Cells of HTC chapter 4: one scenario with one policy, once, and what is measured of it (HTC 4.4.3).

Experiments that need the same ask with the same argument, so that each world is lived through once for all of them.
"""

from typing import Final

import msgspec
import numpy as np

from roost.lab.compiled.run import Lives, run
from roost.lab.compiled.state import Flags, Floats, Ints, Records, State
from roost.lab.experiment import Cell
from roost.lab.worlds.lifetimes import Model, stable, unstable
from roost.lab.worlds.reading import AS_PUBLISHED, Reading
from roost.lab.worlds.scenarios import LENGTHS_S, MAIN_SHARE, SYSTEMS
from roost.policy.groups import GROUP
from roost.policy.reliability import Lifetime, Weibull

KINDS: Final = tuple(LENGTHS_S)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario of HTC 4.4.1, a policy, and one of the repetitions."""

    policy: str
    system: str
    workload: str
    seed: int
    model: Model = Model.EXPONENTIAL
    nodes: int = 1000
    #: The length of all tasks together, as stated.
    work_s: float = 1e9
    #: How wrong stated lengths are (HTC 4.6.1).
    k: float = 1.0
    group: int = GROUP
    reading: Reading = AS_PUBLISHED


class Spent(msgspec.Struct, frozen=True):
    """What nodes did with the time, as shares of the make-span."""

    useful: float
    idle: float
    wasted: float
    offline: float


class Overheads(msgspec.Struct, frozen=True):
    """What tasks of a kind lost: the time at the head of the queue, and that in executions that did not count."""

    tasks: int
    #: Those that waited no longer than the time between looks.
    undelayed: float
    wait_s: float
    wait_sd_s: float
    lost_s: float
    lost_sd_s: float


class Measured(msgspec.Struct, frozen=True):
    tasks: int
    executions: int
    dropped: int
    #: Until the last task was done or dropped, and until 99.9 % were done.
    make_span_s: float
    make_span_999_s: float
    #: What all tasks really take, for each node.
    ideal_s: float
    stable: Spent
    unstable: Spent
    everybody: Spent
    small: Overheads
    medium: Overheads
    large: Overheads
    all_kinds: Overheads


def measure(asked: Asked) -> Measured:
    """Live through it once."""
    kinds, stated_s, length_s = draw_tasks(asked.workload, asked.work_s, asked.k, asked.seed)
    is_stable = stable_ones(asked.system, asked.nodes)
    state = run(
        asked.policy,
        lives_of(is_stable, asked.model),
        stated_s,
        length_s,
        seed=_life_seed(asked),
        reading=asked.reading,
        group=asked.group,
    )
    return _measured(state, kinds, is_stable, asked.reading.poll_s)


def cell_of(asked: Asked) -> Cell[Measured]:
    label = f"{asked.policy}, {asked.system} system, {asked.workload} tasks, {asked.seed}"
    return Cell(label, measure, asked, cost=asked.work_s / 1e9)


def stable_ones(system: str, count: int) -> Flags:
    """Return which nodes are stable; they stand among the others at equal distances."""
    share = SYSTEMS[system]
    places = np.floor(np.arange(count + 1) * share + 1e-9)
    stable_at: Flags = places[1:] > places[:-1]
    return stable_at


def lives_of(is_stable: Flags, model: Model) -> Lives:
    """Return how stable and unstable nodes come and go (HTC 4.4.1, 4.6)."""
    kinds = stable(model), unstable(model)
    up = [np.where(is_stable, *pair) for pair in zip(*(_weibull(kind.up) for kind in kinds), strict=True)]
    away = [np.where(is_stable, *pair) for pair in zip(*(_weibull(kind.away) for kind in kinds), strict=True)]
    return Lives(up[0], up[1], away[0], away[1], np.ones(len(is_stable)))


def draw_tasks(workload: str, total_s: float, k: float, seed: int) -> tuple[Ints, Floats, Floats]:
    """Return kinds, stated and real lengths of tasks that take ``total_s`` together, as stated."""
    rng = np.random.default_rng([seed, KINDS.index(workload)])
    shares = [MAIN_SHARE if kind == workload else (1 - MAIN_SHARE) / 2 for kind in KINDS]
    low, high = (np.array([LENGTHS_S[kind][end] for kind in KINDS]) for end in (0, 1))
    mean_s = float(np.dot(shares, (low + high) / 2))
    count = int(total_s / mean_s * 1.2) + 100
    kinds = rng.choice(len(KINDS), size=count, p=shares)
    stated_s = rng.uniform(low[kinds], high[kinds])
    enough = int(np.searchsorted(np.cumsum(stated_s), total_s)) + 1
    kinds, stated_s = kinds[:enough], stated_s[:enough]
    return kinds, stated_s, rng.uniform(stated_s / k, stated_s * k)


def _weibull(lifetime: Lifetime) -> tuple[float, float]:
    return (lifetime.scale_s, lifetime.shape) if isinstance(lifetime, Weibull) else (lifetime.mean_s, 1.0)


def _life_seed(asked: Asked) -> int:
    """All policies and workloads meet the same lives."""
    words = [asked.seed, list(SYSTEMS).index(asked.system), list(Model).index(asked.model)]
    return int(np.random.SeedSequence(words).generate_state(1)[0])


def _measured(state: State, kinds: Ints, is_stable: Flags, poll_s: float) -> Measured:
    world, tasks, nodes = state.world[0], state.tasks, state.nodes
    make_span_s = float(world["now"])
    done = np.sort(tasks["ended_at"][tasks["is_dropped"] == 0])
    nearly_all = int(np.ceil(0.999 * len(tasks)))
    return Measured(
        tasks=len(tasks),
        executions=int(world["executions"]),
        dropped=int(world["dropped"]),
        make_span_s=make_span_s,
        make_span_999_s=float(done[nearly_all - 1]) if nearly_all <= len(done) else make_span_s,
        ideal_s=float(tasks["length"].sum()) / len(nodes),
        stable=_spent(nodes[is_stable], make_span_s),
        unstable=_spent(nodes[~is_stable], make_span_s),
        everybody=_spent(nodes, make_span_s),
        small=_overheads(tasks[kinds == KINDS.index("small")], poll_s),
        medium=_overheads(tasks[kinds == KINDS.index("medium")], poll_s),
        large=_overheads(tasks[kinds == KINDS.index("large")], poll_s),
        all_kinds=_overheads(tasks, poll_s),
    )


def _spent(nodes: Records, make_span_s: float) -> Spent:
    time_s = max(len(nodes), 1) * make_span_s
    useful, wasted, online = (float(nodes[name].sum()) / time_s for name in ("useful_s", "wasted_s", "online_s"))
    return Spent(useful, online - useful - wasted, wasted, 1 - online)


def _overheads(tasks: Records, poll_s: float) -> Overheads:
    if not len(tasks):
        return Overheads(0, 1.0, 0.0, 0.0, 0.0, 0.0)
    waited_s, lost_s = tasks["waited_s"], tasks["lost_s"]
    return Overheads(
        len(tasks),
        # Instants are sums of many numbers: a look that is due after ten seconds comes after ten and a few billionths.
        float(np.mean(waited_s <= poll_s + 1e-6)),
        float(waited_s.mean()),
        float(waited_s.std()),
        float(lost_s.mean()),
        float(lost_s.std()),
    )
