"""What a node offers and what is taken, and how sizes and durations are written by people."""

import re

import msgspec

from roost.model.errors import InvalidInput
from roost.model.limits import DURATION_S_MAX, SIZE_BYTES_MAX
from roost.model.task import Needs


class Capacity(msgspec.Struct, frozen=True):
    """What a node offers to tasks."""

    cpus: float
    memory_bytes: int
    #: The minor version of Python that its function workers run, e.g. "3.11".
    python: str
    #: The names of what is in its programs' folder, sorted.
    programs: tuple[str, ...] = ()
    #: Whether it has the engine that runs scripts.
    javascript: bool = False

    def minus(self, needs: Needs) -> "Capacity":
        return self._changed(-needs.cpus, -needs.memory_bytes)

    def plus(self, needs: Needs) -> "Capacity":
        return self._changed(needs.cpus, needs.memory_bytes)

    def _changed(self, cpus: float, memory_bytes: int) -> "Capacity":
        return Capacity(self.cpus + cpus, self.memory_bytes + memory_bytes, self.python, self.programs, self.javascript)


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
