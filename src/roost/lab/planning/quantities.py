"""How people write what a plan needs: times, shares, and lists of them.

Times are seconds, or have units up to years; 'never' is for ever. No digit is lost on the way: 0.1 is a tenth.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final, TypeVar

from roost.lab.availability.precision import NEVER, ONE, ZERO
from roost.model.errors import InvalidInput
from roost.model.resources import format_duration

T = TypeVar("T")

YEAR_S: Final = 365 * 86_400
#: A list is no longer than a table that somebody reads.
LIST_MAX: Final = 200
_NUMBER: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,4})?\s*", re.IGNORECASE)
_PART: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|[a-z]+)\s*", re.IGNORECASE)
_UNITS: Final = {
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "m": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86_400),
    "w": Decimal(7 * 86_400),
    "y": Decimal(YEAR_S),
}
_SPELT: Final = {"second": "s", "sec": "s", "minute": "m", "min": "m", "hour": "h", "hr": "h", "day": "d", "week": "w"}
_NEVER: Final = ("never", "inf", "infinity")


def parse_time(text: str) -> Decimal:
    """Read 1000, 1e6, 90s, 15m, 10d, 1h 30m, 3y or never; in seconds. Raise InvalidInput for what is none."""
    if text.strip().lower() in _NEVER:
        return NEVER
    if _NUMBER.fullmatch(text):
        return Decimal(text.strip())
    total, at = ZERO, 0
    while match := _PART.match(text, at):
        total += Decimal(match[1]) * _seconds_of(match[2].lower(), text)
        at = match.end()
    if at < len(text) or not text:
        raise InvalidInput(f"'{text[:40]}' is not a time; write seconds such as 1e6, or 15m, 10d, 3y, or never")
    return total


def _seconds_of(unit: str, text: str) -> Decimal:
    singular = unit.removesuffix("s") if unit not in _UNITS else unit
    short = "y" if singular in ("year", "yr") else _SPELT.get(singular, singular)
    if short not in _UNITS:
        raise InvalidInput(f"'{text[:40]}' has a unit that is none of time; write ms, s, m, h, d, w or y")
    return _UNITS[short]


def parse_share(text: str) -> Decimal:
    """Read 99.99% or 0.9999, from 0 to 1. Raise InvalidInput for what is none."""
    bare = text.strip().removesuffix("%")
    share = Decimal(bare.strip()) if _NUMBER.fullmatch(bare) else Decimal(-1)
    if text.strip().endswith("%"):
        share = share.scaleb(-2)
    if not 0 <= share <= 1:
        raise InvalidInput(f"'{text[:40]}' is not a share; write it from 0 to 1, or as 99.99%")
    return share


def parse_lacking(text: str) -> Decimal:
    """Read an availability that is wished for, and return what may be lacking of it. One cannot wish for all."""
    lacking = ONE - parse_share(text)
    if lacking <= 0:
        raise InvalidInput(f"nothing is available at all times, so '{text[:40]}' cannot be; write for example 99.999%")
    return lacking


def parse_rate(text: str) -> Decimal:
    """Read how often per second something happens. Raise InvalidInput for what is none."""
    if not _NUMBER.fullmatch(text):
        raise InvalidInput(f"'{text[:40]}' is not a rate; write how often per second, such as 0.1 or 1e-6")
    return Decimal(text.strip())


def parse_replicas(text: str) -> int:
    """Read how many copies there are. Raise InvalidInput for what is none."""
    if not re.fullmatch(r"\s*[1-9][0-9]?\s*", text):
        raise InvalidInput(f"'{text[:40]}' is no number of copies; write one from 1 to 64")
    return int(text)


def parse_list(text: str, parse: Callable[[str], T]) -> tuple[T, ...]:
    """Read several of something, with commas between them."""
    words = text.split(",")
    if len(words) > LIST_MAX:
        raise InvalidInput(f"these are {len(words):,} values; write at most {LIST_MAX}")
    return tuple(parse(word) for word in words)


def time_words(seconds: Decimal) -> str:
    """Write a time for people, with years where these are many seconds."""
    if seconds == NEVER:
        return "never"
    if seconds < 86_400:
        return format_duration(float(seconds))
    days = seconds / 86_400
    if days < 2 * 365:
        return f"{days:.1f} days"
    years = seconds / YEAR_S
    written = f"{years:,.0f}" if years < 10**7 else f"{years:.3g}"
    return f"{_plain(seconds)} s ({written} years)"


def _plain(number: Decimal) -> str:
    mantissa, _, exponent = f"{number:.2e}".partition("e")
    return f"{mantissa}e{int(exponent)}"
