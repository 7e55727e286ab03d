"""What the tests of the client send to a node."""

import time
from typing import Any


def double(number: int) -> int:
    return 2 * number


def add(left: Any, right: Any = 0) -> Any:
    return left + right


def fail(reason: str) -> None:
    raise ValueError(reason)


def fail_at(number: int, bad: int) -> int:
    if number == bad:
        raise LookupError(f"no {number}")
    return number


def sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def nothing() -> None:
    return None
