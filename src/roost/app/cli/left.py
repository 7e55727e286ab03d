"""How long a run will still take, in words: "6 to 9 min left"."""

import math
import time
from typing import Any

from roost.app.cli.selecting import Run
from roost.client.control import Control, run_path
from roost.model.errors import NotFound

#: The outlook is asked for this often; short work ends before the first time.
EVERY_S = 2.0
#: Of how many runs, when many are waited for.
_RUNS_ASKED = 10
#: Up to how many seconds each unit is used, and how many seconds it has.
_UNITS = ((100, 1, "s"), (100 * 60, 60, "min"), (48 * 3600, 3600, "h"), (math.inf, 86_400, "days"))


def left_words(outlook: dict[str, Any]) -> str:
    """Say an outlook of the API in a few words; if nothing can be said, why."""
    low_s, high_s = outlook["low_s"], outlook["high_s"]
    if low_s is None or high_s is None:
        return str(outlook["why"])
    if not high_s:
        return ""
    _, length, unit = next(known for known in _UNITS if high_s <= known[0])
    low, high = math.floor(low_s / length), math.ceil(high_s / length)
    if low == high or (low > 20 and high - low <= 1):
        return f"about {high} {unit} left"
    return f"{low} to {high} {unit} left" if low else f"at most {high} {unit} left"


def left_of(control: Control, run: str, *, whole: bool = False) -> str:
    """Say how long a run will still take, if the node can tell; ``whole``: also what that does not know."""
    try:
        outlook = control.get(run_path(run, "outlook"))
    except NotFound:
        return ""
    words = left_words(outlook)
    if not whole or outlook["low_s"] is None or not outlook["why"]:
        return words
    return f"{words} ({outlook['why']})" if words else str(outlook["why"])


class Lefts:
    """Watches over runs that are waited for, and remembers how long each will still take."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._next = time.monotonic() + EVERY_S
        self._told: dict[str, str] = {}

    def note(self, runs: list[Run]) -> None:
        """Ask about these runs, now and then."""
        if time.monotonic() >= self._next:
            self._told = {run["run"]: left_of(self._control, run["run"]) for run in runs[:_RUNS_ASKED]}
            self._next = time.monotonic() + EVERY_S

    def told(self, run: Run) -> Run:
        """Return a run with what is known, as ``left``."""
        return {**run, "left": self._told[run["run"]]} if self._told.get(run["run"]) else run
