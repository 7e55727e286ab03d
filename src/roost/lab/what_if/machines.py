"""The machines of a what-if: what each offers, how fast it is, and how it comes and goes.

A description is ``20 x up=8h away=16h lanes=4 speed=1.5 mem=8GiB shape=0.7``: how many, and what all of them have. What
is left out is one machine that stays, with one lane of speed 1 and as much memory as anybody asks for.

Rules
- A machine of which nothing else is said is taken to meet what tasks require of it in words: who describes machines
  says nothing of their operating systems.
- ``up`` and ``away`` are means. With a shape the time on line is Weibull (HTC 4.6), else exponential, as the time away.
- Machines come and go by themselves, each by its own chance. Those of a log may be replayed, and then keep what they
  have in common: nights, and week-ends.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from roost.lab.worlds.lifetimes import of_mean
from roost.model.attributes import Attributes
from roost.model.errors import InvalidInput
from roost.model.limits import CPUS_MAX, SIZE_BYTES_MAX, WHAT_IF_NODES_MAX, WHAT_IF_SPEED_MAX
from roost.model.online import Stretch
from roost.model.resources import Capacity, parse_duration, parse_size
from roost.model.task import CPUS, MEMORY, Needs
from roost.model.visible import quoted
from roost.policy.match import lacks_of
from roost.policy.reliability import Exponential, Lifetime

#: How often a machine has come and gone before, as far as is known of it, if nobody says.
PAST: Final = 30
#: Shapes of Weibull distributions beyond these are taken for a slip of the pen.
SHAPE_MIN: Final = 0.1
SHAPE_MAX: Final = 100.0


class Stays(msgspec.Struct, frozen=True, tag="stays"):
    """It never leaves, as far as anybody knows."""


class Drawn(msgspec.Struct, frozen=True, tag="drawn"):
    """It comes and goes by chance."""

    up: Lifetime
    away: Lifetime
    #: Whether it is there when the work begins; otherwise that is drawn, too.
    is_there: bool = False
    #: How many of its times on line it remembers.
    past: int = PAST


class Replayed(msgspec.Struct, frozen=True, tag="replayed"):
    """It comes and goes as a log says. Where that ends it begins again."""

    stays: tuple[Stretch, ...]
    length_s: float


Life: TypeAlias = Stays | Drawn | Replayed


class Machine(msgspec.Struct, frozen=True):
    name: str
    quantities: dict[str, int | float]
    speed: float = 1.0
    life: Life = Stays()
    #: None: it says nothing of itself.
    attributes: Attributes | None = None

    @property
    def capacity(self) -> Capacity:
        return Capacity(self.quantities, self.attributes or {})

    @property
    def lanes(self) -> float:
        return self.quantities[CPUS]

    @property
    def share_there(self) -> float:
        """How much of the time it is there, in the long run."""
        match self.life:
            case Stays():
                return 1.0
            case Drawn(up=up, away=away):
                return 1.0 if math.isinf(up.mean_s) else up.mean_s / (up.mean_s + away.mean_s)
            case Replayed(stays=stays, length_s=length_s):
                return sum(stay.length_s for stay in stays) / length_s

    def lacks(self, needs: Needs) -> list[str]:
        """Return what it lacks for what needs this, in words; nothing if it can run it."""
        asked = needs if self.attributes is not None else msgspec.structs.replace(needs, condition="")
        return [lack.sentence for lack in lacks_of(asked, None, self.capacity)]


_COUNT: Final = re.compile(r"\s*([0-9][0-9_,]*)\s*(?:[x*]\s*(.*))?", re.DOTALL)
_EXAMPLE: Final = "write for example '20 x up=8h away=16h lanes=4 speed=1.0 mem=8GiB'"


def machines_of(descriptions: list[str]) -> list[Machine]:
    """Read descriptions of machines. Raise InvalidInput, with an example, for what is none."""
    found: list[Machine] = []
    for kind, text in enumerate(descriptions):
        count, fields = _read(text)
        if len(found) + count > WHAT_IF_NODES_MAX:
            raise InvalidInput(f"--machines: {len(found) + count:,} machines are too many; use {WHAT_IF_NODES_MAX:,}")
        letter = chr(ord("a") + kind % 26) * (1 + kind // 26)
        one = _machine(text, fields)
        found += [msgspec.structs.replace(one, name=f"{letter}{number}") for number in range(1, count + 1)]
    return found


def _read(text: str) -> tuple[int, dict[str, str]]:
    counted = _COUNT.fullmatch(text)
    count = int(re.sub("[_,]", "", counted[1])) if counted else 1
    fields: dict[str, str] = {}
    for word in (counted[2] or "" if counted else text).split():
        name, equals, value = word.partition("=")
        if not equals or name not in _FIELDS:
            raise InvalidInput(f"--machines {quoted(text)}: {quoted(word)} is none of {', '.join(_FIELDS)}; {_EXAMPLE}")
        if name in fields:
            raise InvalidInput(f"--machines {quoted(text)} says '{name}' twice; say it once")
        fields[name] = value
    if not 0 < count <= WHAT_IF_NODES_MAX:
        raise InvalidInput(f"--machines {quoted(text)}: use 1 to {WHAT_IF_NODES_MAX:,} machines")
    return count, fields


def _machine(text: str, fields: Mapping[str, str]) -> Machine:
    values = {name: _value(text, name, word) for name, word in fields.items()}
    quantities: dict[str, int | float] = {CPUS: values.get("lanes", 1.0)}
    quantities[MEMORY] = int(values.get("mem", SIZE_BYTES_MAX))
    if ("up" in values) != ("away" in values) or ("shape" in values and "up" not in values):
        raise InvalidInput(f"--machines {quoted(text)}: say 'up' and 'away', how long it is there and gone; {_EXAMPLE}")
    life: Life = Stays()
    if "up" in values:
        up_s = values["up"]
        up = of_mean(up_s, values["shape"]) if "shape" in values else Exponential(1 / up_s)
        life = Drawn(up, Exponential(1 / values["away"]))
    return Machine("", quantities, values.get("speed", 1.0), life)


def _value(text: str, name: str, word: str) -> float:
    try:
        value = _FIELDS[name](word)
    except (InvalidInput, ValueError):
        value = math.nan
    low, high = _BOUNDS.get(name, (0.0, math.inf))
    if not low < value <= high:
        raise InvalidInput(f"--machines {quoted(text)}: {quoted(word)} cannot be its '{name}'; {_EXAMPLE}")
    return value


_FIELDS: Final[Mapping[str, Callable[[str], float]]] = {
    "up": parse_duration,
    "away": parse_duration,
    "lanes": float,
    "speed": float,
    "mem": parse_size,
    "shape": float,
}
_BOUNDS: Final = {
    "lanes": (0.0, float(CPUS_MAX)),
    "speed": (0.0, float(WHAT_IF_SPEED_MAX)),
    "shape": (SHAPE_MIN, SHAPE_MAX),
}
