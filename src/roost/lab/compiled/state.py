"""All that a compiled world knows while it lives: a record for each node and each task, and one for the world itself.

Records of plain numbers, so that a thousand nodes stay near the processor and nothing is made while the world lives.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from roost.policy.lifetime_bound import CONFIDENCE, QUANTILE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Records = npt.NDArray[np.void]

#: What nodes bid with.
FIRST_COME, SURVIVAL, FITNESS, FAILURE_RATE, CHANCE, BOUND = range(6)
#: When nodes look at the queue, and who of several is served first (worlds/reading.py).
RETRY, OWN, ALL = range(3)
LATEST, LONGEST, NUMBER, RANDOM = range(4)
#: What a node does.
AWAY, IDLE, RUNS = range(3)

#: Of how many of its shortest stays each node keeps the lengths, and of how many stays a bound is told from at most.
SHORTEST_KEPT: Final = 64
STAYS_MAX: Final = 1400

_REAL, _WHOLE = np.float64, np.int64


def _record(reals: str, wholes: str) -> "np.dtype[np.void]":
    return np.dtype([(name, _REAL) for name in reals.split()] + [(name, _WHOLE) for name in wholes.split()])


#: Rules first, then what happens.
WORLD: Final = _record(
    "correction window_s poll_s unseen_s now contest_at",
    "seed score contests group skips copies_max looks order waits_on first_stay_counts attempts_max "
    "head left idle executions dropped first_return returning events traced head_task",
)
NODE: Final = _record(
    "up_scale up_shape away_scale away_shape speed "
    "changes_at since acts_at next_at idle_since began stays_s useful_s wasted_s online_s",
    "turn doing task looks stays finished aborted idle asking",
)
TASK: Final = _record(
    "stated length best_bid headed_at waited_s lost_s ended_at return_at",
    "tries copies skipped bidder runs is_dropped returning",
)
#: An execution: which node and task, from when to when, and whether its result counted.
PIECE: Final = _record("began ended", "node task is_done")


class State(NamedTuple):
    world: Any
    nodes: Any
    tasks: Any
    #: Tasks that wait, from the place ``head`` of the world on.
    queue: Any
    #: Which of two nodes acts first, for pairs of pairs of them; the winner of all is at place 1 (turns.py).
    tree: Any
    shortest: Any
    bound_place: Any
    pieces: Any


def state_of(lives: tuple[Floats, ...], stated: Floats, length: Floats, rules: dict[str, float], pieces: int) -> State:
    """Return a world that has not begun. ``lives`` are scale and shape on line, the same away, and speed of nodes."""
    count = len(lives[0])
    leaves = 1 << max(count - 1, 1).bit_length()
    world, nodes, tasks = np.zeros(1, WORLD), np.zeros(count, NODE), np.zeros(len(stated), TASK)
    for name, value in rules.items():
        world[name] = value
    for name, values in zip(("up_scale", "up_shape", "away_scale", "away_shape", "speed"), lives, strict=True):
        nodes[name] = values
    nodes["task"] = -1
    nodes["acts_at"] = nodes["next_at"] = np.inf
    tasks["stated"], tasks["length"] = stated, length
    tasks["best_bid"], tasks["bidder"], tasks["headed_at"] = np.inf, -1, -1.0
    return State(
        world,
        nodes,
        tasks,
        np.arange(len(stated), dtype=_WHOLE),
        np.full(2 * leaves, -1, dtype=_WHOLE),
        np.full((count, SHORTEST_KEPT), np.inf),
        _bound_places(),
        np.zeros(pieces, PIECE),
    )


def _bound_places() -> Ints:
    """Return, for each number of stays, which of the shortest is the bound of HTC 4.10 (policy/lifetime_bound.py)."""
    places = np.full(STAYS_MAX + 1, -1, dtype=_WHOLE)
    for count in range(1, STAYS_MAX + 1):
        term = (1 - QUANTILE) ** count
        sum_of_terms = 0.0
        for k in range(min(count, SHORTEST_KEPT)):
            sum_of_terms += term
            if sum_of_terms > 1 - CONFIDENCE:
                break
            places[count] = k
            term *= (count - k) / (k + 1) * QUANTILE / (1 - QUANTILE)
    return places
