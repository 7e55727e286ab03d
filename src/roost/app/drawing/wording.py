"""Numbers in words, the same on a terminal and on a page."""

from typing import Any


def count_of(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def taken_over(run_or_step: dict[str, Any]) -> str:
    """Say how many of the done elements have results of earlier runs; nothing if none has."""
    return f"{run_or_step['taken_over']:,} taken over" if run_or_step["taken_over"] else ""
