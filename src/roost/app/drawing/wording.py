"""Numbers in words, the same on a terminal and on a page."""

from typing import Any


def count_of(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def taken_over(run_or_step: dict[str, Any]) -> str:
    """Say how many of the done elements have results of earlier runs; nothing if none has."""
    return f"{run_or_step['taken_over']:,} taken over" if run_or_step["taken_over"] else ""


def evenly(evenness: dict[str, float | None], what: str) -> str:
    """Say how evenly something is shared out: 1 is Jain's index where all have the same."""
    index, variance = evenness["jains_index"], evenness["variance"]
    measures = [
        "" if index is None else f"Jain's index {index:.3g}",
        "" if variance is None else f"variance {variance:,.3g}",
    ]
    return f"{' and '.join(filter(None, measures)) or 'nothing to measure'} of {what}"
