"""What a node offers and what is taken, and how amounts, sizes and durations are written by people."""

import re
from typing import Annotated, Final

import msgspec

from roost.model.attributes import JAVASCRIPT, PROGRAMS, PROGRAMS_FOLDER, PYTHON, Attribute, AttributeName, Attributes
from roost.model.errors import InvalidInput
from roost.model.limits import DURATION_S_MAX, QUANTITIES_MAX, SIZE_BYTES_MAX
from roost.model.task import CPUS, MEMORY, Amount, Needs

#: What follows from the work itself is looked for in these (policy/match.py).
_IN_HEARTBEATS: Final = (PYTHON, JAVASCRIPT, PROGRAMS_FOLDER)
#: A sum of fractions such as 10 x 0.1 must not miss the whole by a rounding error.
ROUNDING = 1e-9


class Capacity(msgspec.Struct, frozen=True, array_like=True):
    """What a node offers to tasks: quantities, which are taken and given back, and attributes, which are matched.

    Of what is free there may be less than nothing, where more runs than is offered.
    """

    quantities: Annotated[dict[AttributeName, Amount], msgspec.Meta(max_length=QUANTITIES_MAX)]
    attributes: Attributes = {}

    @staticmethod
    def of(
        cpus: float, memory_bytes: int, python: str, programs: tuple[str, ...] = (), *, javascript: bool = False
    ) -> "Capacity":
        """Return what a machine offers that has nothing else to tell of."""
        attributes: dict[str, Attribute] = {PYTHON: python, PROGRAMS: programs, JAVASCRIPT: javascript}
        if programs:
            attributes[PROGRAMS_FOLDER] = programs
        return Capacity({CPUS: cpus, MEMORY: memory_bytes}, attributes)

    @property
    def cpus(self) -> float:
        return self.quantities.get(CPUS, 0)

    @property
    def memory_bytes(self) -> int:
        return int(self.quantities.get(MEMORY, 0))

    @property
    def python(self) -> str:
        return str(self.attributes.get(PYTHON, ""))

    @property
    def in_brief(self) -> "Capacity":
        """What heartbeats tell of it, which are many: of attributes what decides where interactive work is handed to.

        For the others nodes ask (runtime/far/fitting.py).
        """
        brief = {name: self.attributes[name] for name in _IN_HEARTBEATS if self.attributes.get(name)}
        return self if len(brief) == len(self.attributes) else Capacity(self.quantities, brief)

    def minus(self, needs: Needs) -> "Capacity":
        left = dict(self.quantities)
        for name, amount in needs.quantities:
            left[name] = left.get(name, 0) - amount
        return Capacity(left, self.attributes)

    def plus(self, needs: Needs) -> "Capacity":
        left = dict(self.quantities)
        for name, amount in needs.quantities:
            left[name] = left.get(name, 0) + amount
        return Capacity(left, self.attributes)

    def with_taken_of(self, whole: "Capacity", free: "Capacity") -> "Capacity":
        """Return what is left of this if as much is taken as of ``whole``, of which so much is free."""
        left = dict(self.quantities)
        for name in whole.quantities | free.quantities:
            left[name] = left.get(name, 0) - (whole.quantities.get(name, 0) - free.quantities.get(name, 0))
        return Capacity(left, self.attributes)

    def lacking_for(self, needs: Needs) -> tuple[tuple[str, float], ...]:
        """Return what is needed and not there, each with how much is needed."""
        has = self.quantities
        return tuple([taken for taken in needs.quantities if taken[1] > has.get(taken[0], 0) + ROUNDING])

    def covers(self, needs: Needs) -> bool:
        """Whether all that is needed is there. Asked of every task that waits, hence without a list."""
        has = self.quantities
        for name, amount in needs.quantities:
            if amount > has.get(name, 0) + ROUNDING:
                break
        else:
            return True
        return False

    def times(self, needs: Needs) -> int:
        """Return how many times all that is needed is there; below zero, or zero, if it is not."""
        has = self.quantities
        return int(min([(has.get(name, 0) + ROUNDING) // amount for name, amount in needs.quantities]))

    @property
    def is_overdrawn(self) -> bool:
        """Whether there is less than nothing of something, beyond a rounding error."""
        return min(self.quantities.values(), default=0) < -ROUNDING


_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(?:([kmgt])(i?))?(b?)\s*", re.IGNORECASE)
_SIZE_POWER = {"k": 1, "m": 2, "g": 3, "t": 4}
_DURATION_PART = re.compile(
    r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\s*", re.IGNORECASE
)
_PLAIN_NUMBER = re.compile(r"\s*[0-9]+(?:\.[0-9]+)?\s*")
_SECONDS_OF_UNIT = {"ms": 0.001, "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}


def parse_size(text: str) -> int:
    """Read ``2GiB``, ``500MB``, ``1.5g``; a bare letter counts in powers of 1024, as ``free -h`` shows it."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise InvalidInput(f"'{text[:40]}' is not a size; write for example 500MB or 2GiB")
    number, unit, binary, byte = match.groups()
    base = 1000 if byte and not binary else 1024
    size = float(number) * base ** (_SIZE_POWER[unit.lower()] if unit else 0)
    if size > SIZE_BYTES_MAX:
        raise InvalidInput(f"'{text[:40]}' is more than any machine has; the largest size is {SIZE_BYTES_MAX:,} bytes")
    return int(size)


def parse_duration(text: str) -> float:
    """Read ``90``, ``90s``, ``1.5h``, ``2min``, ``15days 2min``; the result is in seconds and above zero.

    A number without a unit stands alone: in ``1h30`` nobody knows what the 30 are.
    """
    total = float(text) if _PLAIN_NUMBER.fullmatch(text) else _sum_of_parts(text)
    if not 0 < total <= DURATION_S_MAX:
        raise InvalidInput(f"'{text[:40]}' is not a duration between zero and a century; write for example 90s or 1h")
    return total


def _sum_of_parts(text: str) -> float:
    total, at = 0.0, 0
    while at < len(text):
        match = _DURATION_PART.match(text, at)
        if match is None:
            raise InvalidInput(f"'{text[:40]}' is not a duration; write for example 90s, 5min or 1h")
        unit = match[2].lower()
        total += float(match[1]) * _SECONDS_OF_UNIT[unit if unit in _SECONDS_OF_UNIT else unit[:1]]
        at = match.end()
    return total


def format_amount(quantity: str, amount: float) -> str:
    """Write how much there is of a quantity whose name the reader knows."""
    return format_size(amount) if quantity == MEMORY else f"{amount:g}"


def format_quantity(quantity: str, amount: float) -> str:
    """Write an amount with what it is an amount of."""
    match quantity:
        case "cpus":
            return format_cpus(amount)
        case "memory_bytes":
            return f"{format_size(amount)} of memory"
        case _:
            return f"{amount:g} {quantity}"


def format_cpus(cpus: float) -> str:
    return "1 CPU" if cpus == 1 else f"{cpus:g} CPUs"


def format_size(size: float) -> str:
    if size < 1024:
        return f"{size:.0f} B"
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if round(size, 1) < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:.1f} TiB"


def format_duration(seconds: float) -> str:
    if round(seconds, 3) < 1:
        return f"{seconds * 1000:.0f} ms"
    if round(seconds, 1) < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
