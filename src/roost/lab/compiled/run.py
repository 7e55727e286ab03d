"""Runs worlds with any published policy: of scenarios as HTC 4.4.1 has them, or of any nodes and work, in arrays."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from roost.lab.compiled.engine import live
from roost.lab.compiled.state import (
    ALL,
    BOUND,
    CHANCE,
    FAILURE_RATE,
    FIRST_COME,
    FITNESS,
    LATEST,
    LONGEST,
    NUMBER,
    OWN,
    RANDOM,
    RETRY,
    SURVIVAL,
    Floats,
    State,
    state_of,
)
from roost.lab.worlds.published import CENTRAL
from roost.lab.worlds.reading import AS_PUBLISHED, ATTEMPTS_MAX, Looks, Order, Reading
from roost.policy.groups import GROUP
from roost.policy.rating import CORRECTION

_LOOKS: Final[Mapping[Looks, int]] = MappingProxyType({"retry": RETRY, "own": OWN, "all": ALL})
_ORDERS: Final[Mapping[Order, int]] = MappingProxyType(
    {"latest": LATEST, "longest": LONGEST, "number": NUMBER, "random": RANDOM}
)


class _Form(NamedTuple):
    """A policy in numbers."""

    score: int
    is_in_groups: bool = False
    correction: float = 1.0
    copies: int = 1


_FORMS: Final[Mapping[str, _Form]] = MappingProxyType(
    {
        "fcfs": _Form(FIRST_COME),
        "ec": _Form(SURVIVAL),
        "bfc": _Form(FITNESS),
        "egc": _Form(SURVIVAL, is_in_groups=True),
        "bfgc": _Form(FITNESS, is_in_groups=True),
        "bfgce": _Form(FITNESS, is_in_groups=True, correction=CORRECTION),
        "fr": _Form(FAILURE_RATE),
        "wqr-2": _Form(CHANCE, copies=2),
        "wqr-4": _Form(CHANCE, copies=4),
        "wqr-fa-2": _Form(BOUND, copies=2),
        "wqr-fa-4": _Form(BOUND, copies=4),
    }
)


class Lives(NamedTuple):
    """How nodes come and go, one number for each: Weibull by scale and shape, which is exponential for shape 1."""

    up_scale_s: Floats
    up_shape: Floats
    away_scale_s: Floats
    away_shape: Floats
    #: How much work each does in a second, compared with what lengths are stated for.
    speed: Floats


def run(
    policy: str,
    lives: Lives,
    stated_s: Floats,
    length_s: Floats,
    *,
    seed: int,
    reading: Reading = AS_PUBLISHED,
    group: int = GROUP,
    pieces: int = 0,
) -> State:
    """Live through a world and return all that there is to know of it then.

    ``policy`` is one of worlds/published.py. Tasks have the length that is stated and the one that they really have, on
    a node of speed 1. What is by chance depends on the seed, the node and its period alone. ``pieces`` is how many
    executions are put down one by one.
    """
    form = _FORMS[policy]
    rules = {
        "seed": seed,
        "score": form.score,
        "contests": policy != "fcfs",
        "group": group if form.is_in_groups else 1,
        "skips": reading.skips,
        "correction": form.correction,
        "copies_max": form.copies,
        "window_s": 0.0 if policy in CENTRAL or policy == "fcfs" else reading.window_s,
        "poll_s": reading.poll_s,
        "unseen_s": reading.unseen_s,
        "looks": _LOOKS[reading.looks],
        "order": _ORDERS[reading.order],
        "waits_on": reading.waits_on,
        "first_stay_counts": reading.first_stay_counts,
        "attempts_max": ATTEMPTS_MAX,
    }
    arrays = tuple(np.ascontiguousarray(values, dtype=np.float64) for values in lives)
    state = state_of(arrays, stated_s, length_s, rules, pieces)
    live(state)
    return state
