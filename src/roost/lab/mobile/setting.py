"""A setting of FAIR's experiments (4): devices, their work, and what the document leaves open, as words and numbers.

What the document says is the default of each field. Where it says nothing, the default is the reading that gives most
of its figures; the others are words beside it.
"""

from math import inf
from typing import Final

import msgspec

from roost.lab.mobile.movement import KINDS as MOVEMENTS
from roost.lab.mobile.text_file import text_of
from roost.lab.mobile.timeline import FAULTY
from roost.lab.mobile.words import checked_word
from roost.model.errors import InvalidInput

#: What the performance of a device is made of. "remaining": charge and link, whatever it does now. "lanes": its lane,
#: too, so that one that works has nothing to give. "roost": and what it has worked over a long time, as Roost has it.
WEIGHS: Final = ("remaining", "lanes", "roost")
#: In which order devices look at the queue. "refused-last": always the same, but whoever leaves a job to others goes to
#: the end of the line. "fixed": always the same. "random": another one each time.
ORDERS: Final = ("refused-last", "fixed", "random")
#: How devices hear of each other: in rounds, or at once.
TELLS: Final = ("rounds", "at-once")
#: Whether links count: "if-moving", as long as devices move. Otherwise all are perfect.
LINKS: Final = ("if-moving", "on", "off")
#: Who decides. "fair": the document's rule around first come, first served. "usual": what Roost's nodes do.
RULES: Final = ("fair", "usual")
#: "none": the queue stays locked while a device is away that had a job in hand. "reactive": the lock is broken.
#: "proactive": what an unstable device takes is processed by another one as well, and it holds no lock.
FAULT_TOLERANCES: Final = ("none", "reactive", "proactive")
#: What becomes of a job whose device has left, where the lock is broken. "resumed": the device goes on with it when it
#: is back. "again": it waits in the queue again. "lost": nothing.
INTERRUPTED: Final = ("resumed", "again", "lost")
#: Which devices proactive fault tolerance takes to be unstable: those that the time-line names, or "all".
UNSTABLE: Final = ("named", "all")

_POSITIVE: Final = ("repetitions", "group", "workers", "jobs", "every_s", "takes_s", "until_s", "round_s", "field_m")


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What a person may vary in each of the experiments."""

    battery: str = "linear"
    #: "still", "waypoint", or the name of a file with a time-line of places (movement.py).
    movement: str = "still"
    link: str = "if-moving"
    weighs: str = "remaining"
    order: str = "refused-last"
    tells: str = "rounds"
    #: The charges that devices begin with differ by what so many jobs cost, at most. Below 1 they decide only between
    #: devices that have processed as many; with 0 all are equal.
    spread: float = 0.5
    workers: int = 20
    jobs: int = 60
    every_s: float = 110.0
    takes_s: float = 116.632
    until_s: float = 8000.0
    round_s: float = 30.0
    #: A strategy is off once a job has waited for so long, for each candidate.
    patience_s: float = 10.0
    #: The side of the field in which devices move.
    field_m: float = 200.0


class Setting(Surroundings, frozen=True, kw_only=True):
    """The argument of a cell: the same world, lived through with so many seeds."""

    seed: int
    repetitions: int = 1
    strategy: str = "none"
    group: int = 10
    rule: str = "fair"
    fault_tolerance: str = "none"
    #: When devices are on line (timeline.py), as text.
    timeline: str = FAULTY["none"]
    #: A time-line of places, as text; those that it does not name stand still.
    places: str = ""

    @property
    def has_links(self) -> bool:
        """Whether links count."""
        return self.link == "on" or (self.link == "if-moving" and (self.movement != "still" or self.places != ""))

    interrupted: str = "resumed"
    unstable: str = "named"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one world."""

    #: How many jobs each worker has processed, and begun with.
    processed: tuple[int, ...]
    begun: tuple[int, ...]
    #: Jobs of the client that have ended, and how long they took since they were handed in, on average.
    ended: int
    response_s: float
    #: How often a job was taken that its device would have left to others, had it not waited too long.
    prevented: int
    #: What was told in gossip.
    messages: int


def setting_of(surroundings: Surroundings, seed: int, **fields: object) -> Setting:
    """Return the setting in these surroundings; ``fields`` are its own, and may say otherwise."""
    shared = {name: getattr(surroundings, name) for name in Surroundings.__struct_fields__}
    if surroundings.movement not in MOVEMENTS:
        shared |= {"movement": "still", "places": text_of("movement", surroundings.movement, MOVEMENTS)}
    return msgspec.convert({**shared, "seed": seed, **fields}, Setting)


def checked(setting: Setting) -> Setting:
    """Return the setting. Raise InvalidInput for words that nobody knows, and for numbers with which nothing happens.

    The battery, the movement, the rule and the strategy are checked where they are used.
    """
    for what, word, known in (
        ("weight of performance", setting.weighs, WEIGHS),
        ("order", setting.order, ORDERS),
        ("way of telling", setting.tells, TELLS),
        ("setting of links", setting.link, LINKS),
        ("fault tolerance", setting.fault_tolerance, FAULT_TOLERANCES),
        ("fate of interrupted jobs", setting.interrupted, INTERRUPTED),
        ("choice of unstable devices", setting.unstable, UNSTABLE),
    ):
        checked_word(what, word, known)
    for name in _POSITIVE:
        if not 0 < getattr(setting, name) < inf:
            raise InvalidInput(f"{name} is {getattr(setting, name):g}; it has to be a number above 0")
    for name in ("spread", "patience_s"):
        if not 0 <= getattr(setting, name) < inf:
            raise InvalidInput(f"{name} is {getattr(setting, name):g}; it has to be 0 or more")
    return setting
