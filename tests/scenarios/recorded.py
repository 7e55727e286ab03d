"""Scenarios as files: the situation, a line ``----``, and what came of it, as it was recorded.

``REWRITE_SCENARIOS=1`` records what comes now; commit that only if you understand what caused it.
"""

import os
from collections.abc import Callable
from pathlib import Path


def check(scenario: Path, play: Callable[[str], str]) -> None:
    """Compare what comes of a scenario with its record, or record it anew."""
    situation, recorded = scenario.read_text(encoding="utf-8").split("----\n")
    story = play(situation)
    if os.environ.get("REWRITE_SCENARIOS"):
        scenario.write_text(f"{situation}----\n{story}\n", encoding="utf-8")
    else:
        assert story.splitlines() == recorded.splitlines()
