"""What a call or a step may ask for, checked where it is written: a number that cannot be is a ValueError there."""

import math
import operator
from typing import SupportsFloat, SupportsIndex

from roost.model.errors import InvalidInput, InvalidValue
from roost.model.limits import CPUS_MAX, MEMORY_BYTES_MAX, RETRIES_MAX, TIME_LIMIT_S_MAX
from roost.model.resources import parse_duration, parse_size
from roost.model.task import Needs, Priority
from roost.policy.catalogue import known_policy
from roost.policy.conditions.parsing import check_condition


def needs_of(
    cpus: float, memory: int | str | None, time_limit: float | str | None, require: str | None = None
) -> Needs:
    try:
        memory_bytes = parse_size(memory) if isinstance(memory, str) else _whole(memory or 0)
    except InvalidInput as error:
        raise InvalidValue(str(error)) from None
    count = _real(cpus)
    if count is None or not 0 < count <= CPUS_MAX:
        raise InvalidValue(f"cpus is {cpus!r}; use a number above zero, such as 1 or 0.5")
    if memory_bytes is None or not 0 <= memory_bytes <= MEMORY_BYTES_MAX:
        raise InvalidValue(f"memory is {memory!r}; use a number of bytes, or a size such as '2GiB'")
    return Needs.of(count, memory_bytes, _seconds("time_limit", time_limit), _condition(require))


def _condition(require: str | None) -> str:
    if require is None:
        return ""
    try:
        return check_condition(require)
    except InvalidInput as error:
        raise InvalidValue(f"require: {error}") from None


def length_of(length: float | str | None) -> float | None:
    return _seconds("length", length)


def _seconds(name: str, given: float | str | None) -> float | None:
    if given is None:
        return None
    try:
        seconds = parse_duration(given) if isinstance(given, str) else _real(given)
    except InvalidInput as error:
        raise InvalidValue(str(error)) from None
    if seconds is None or not 0 < seconds <= TIME_LIMIT_S_MAX:
        raise InvalidValue(f"{name} is {given!r}; use seconds above zero, or a time such as '5min'")
    return seconds


def priority_of(word: str) -> Priority:
    try:
        return Priority(word)
    except ValueError:
        raise InvalidValue(f"'{word}' is no priority; use low or interactive") from None


def policy_named(name: str | None) -> str:
    """Check the name of a policy; empty stands for that of the node."""
    try:
        return known_policy(name) if name else ""
    except InvalidInput as error:
        raise InvalidValue(str(error)) from None


def retries_of(number: int) -> int:
    retries = _whole(number)
    if retries is None or not 0 <= retries <= RETRIES_MAX:
        raise InvalidValue(f"retries is {number!r}; use a whole number from 0 to {RETRIES_MAX:,}")
    return retries


def count_of(name: str, number: int | None) -> int | None:
    """Check a number of items, such as ``chunksize``."""
    count = _whole(number)
    if number is not None and (count is None or count < 1):
        raise InvalidValue(f"{name} is {number!r}; use 1 or more")
    return count


def _whole(given: object) -> int | None:
    """Return a whole number of whatever type; None if it is something else."""
    return operator.index(given) if isinstance(given, SupportsIndex) else None


def _real(given: object) -> float | None:
    number = float(given) if isinstance(given, SupportsFloat) else math.nan
    return number if math.isfinite(number) else None
