"""Nobody waits in silence: when nothing of a run is running, say why, and again when the reason changes."""

import time
from typing import Any

from roost.app.cli.common import hint
from roost.app.cli.selecting import Run
from roost.client.control import Control, run_path

#: Work that is about to start needs no explanation; one that does not is asked about this often.
EVERY_S = 3.0


class Reasons:
    """Watches over runs that are waited for."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._next = time.monotonic() + EVERY_S
        self._told: dict[str, str] = {}

    def tell(self, runs: list[Run]) -> None:
        """Say why each of these runs, which have not ended, stands still; asking costs the node little and is rare."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + EVERY_S
        for run in runs:
            if not run["counts"]["running"]:
                self._tell(run["run"])

    def _tell(self, run: str) -> None:
        task = _standing_still(self._control.get(run_path(run))["steps"])
        lines = self._control.get(run_path(run, "explain"), task=task)["lines"]
        reason = f"{task}: {lines[0]}" if lines else ""
        if reason and reason != self._told.get(run):
            self._told[run] = reason
            hint(f"{run}: {reason}")


def _standing_still(steps: list[dict[str, Any]]) -> str | None:
    """Return the task to ask about: one that could run, rather than one that waits for it."""
    for state in ("suspended", "ready", "waiting"):
        for step in steps:
            if step["counts"][state]:
                return str(step["name"])
    return None
