"""How devices move in a square field: not at all, by random waypoint, or as a time-line says (FAIR 3.3).

Random waypoint: a device goes straight to a place drawn evenly from the field, at a speed drawn evenly, rests there for
a time drawn evenly, and goes on. A time-line is text with a line for each place, ``device at x y``, in seconds and
metres; in between a device goes straight, and before the first and after the last it stands. What follows ``#`` is a
remark.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple, TypeAlias

from roost.lab.mobile.words import checked_word
from roost.model.errors import InvalidInput

#: FAIR gives no numbers: these are of people who walk about.
SPEED_M_S: Final = (0.5, 2.0)
REST_S: Final = (0.0, 120.0)
KINDS: Final = ("still", "waypoint")


class Place(NamedTuple):
    x: float
    y: float


class Waypoint(NamedTuple):
    """Where a device is at a time."""

    at: float
    place: Place


#: Says where a device is at a time.
Movement: TypeAlias = Callable[[float], Place]


def movement_of(kind: str, field_m: float, until: float, rng: Random) -> Movement:
    """Return how a device moves that begins at a random place of a field."""
    begins = _anywhere(field_m, rng)
    if checked_word("movement", kind, KINDS) == "still":
        return along([Waypoint(0.0, begins)])
    return along(_walk(begins, field_m, until, rng))


def along(waypoints: Sequence[Waypoint]) -> Movement:
    """Return the movement from one waypoint to the next, in the order of their times."""
    times = [waypoint.at for waypoint in waypoints]

    def place_at(now: float) -> Place:
        at = bisect_right(times, now)
        if at == 0 or at == len(waypoints):
            return waypoints[max(at - 1, 0)].place
        before, behind = waypoints[at - 1], waypoints[at]
        share = (now - before.at) / (behind.at - before.at)
        return Place(
            before.place.x + share * (behind.place.x - before.place.x),
            before.place.y + share * (behind.place.y - before.place.y),
        )

    return place_at


def distance(one: Place, other: Place) -> float:
    return float(((one.x - other.x) ** 2 + (one.y - other.y) ** 2) ** 0.5)


def read_paths(text: str, devices: Sequence[str]) -> Mapping[str, Movement]:
    """Read a time-line of places. Raise InvalidInput, with the line, for what is none, or for a device nobody knows."""
    paths: dict[str, list[Waypoint]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            device, at, x, y = words
            waypoint = Waypoint(float(at), Place(float(x), float(y)))
        except ValueError:
            device, waypoint = "", Waypoint(0.0, Place(0.0, 0.0))
        path = paths.setdefault(device, [])
        if device not in devices or (path and waypoint.at <= path[-1].at):
            raise InvalidInput(
                f"line {number} of the time-line of places is '{' '.join(words)}'; write one of {devices[0]} to "
                f"{devices[-1]}, a later time than before in seconds, and its place in metres, as in "
                f"'{devices[0]} 60 10 25'"
            )
        path.append(waypoint)
    return {device: along(path) for device, path in paths.items()}


def _walk(place: Place, field_m: float, until: float, rng: Random) -> list[Waypoint]:
    at, waypoints = 0.0, [Waypoint(0.0, place)]
    while at <= until:
        goal = _anywhere(field_m, rng)
        at += max(distance(place, goal) / rng.uniform(*SPEED_M_S), 1e-3)
        waypoints.append(Waypoint(at, goal))
        at += max(rng.uniform(*REST_S), 1e-3)
        waypoints.append(Waypoint(at, goal))
        place = goal
    return waypoints


def _anywhere(field_m: float, rng: Random) -> Place:
    return Place(rng.uniform(0.0, field_m), rng.uniform(0.0, field_m))
