"""How far a task is, in LAN's words: one state and one percentage, also for a task of many elements."""

from typing import Final

from roost.app.lan.protocol import LanState, Progress
from roost.core.telling.views import TaskView

#: What a task as a whole is: the first of these states that one of its elements has. (LAN 3.3 and table 2.1.)
_STATES: Final = (
    ("running", LanState.RUNNING),
    ("suspended", LanState.SUSPENDED),
    ("ready", LanState.READY),
    ("waiting", LanState.SUBMITTED),
    ("failed", LanState.ABORTED),
    ("aborted", LanState.ABORTED),
    ("cancelled", LanState.CANCELLED),
)
_ENDS: Final = (LanState.TERMINATED, LanState.CANCELLED, LanState.ABORTED)
_BEGINS_ANEW: Final = (LanState.SUBMITTED, LanState.READY, LanState.RUNNING)


def progress_of(view: TaskView, uuid: str, last: Progress | None = None) -> Progress:
    """Say how far a task is; ``last`` is what was said before.

    What was done of an element is forgotten when it stops; the percentage falls only if it begins anew.
    """
    state = next((lan for name, lan in _STATES if view.ranges.get(name)), LanState.TERMINATED)
    percent = _percent(view)
    if last is not None and state not in _BEGINS_ANEW:
        percent = max(percent, last.percent)
    return Progress(uuid, state, percent)


def has_ended(progress: Progress) -> bool:
    return progress.state in _ENDS


def _percent(view: TaskView) -> int:
    done = len(view.ranges.get("done", ())) + sum(one.fraction or 0.0 for one in view.running)
    # Rounding down: 100 is for what is wholly done. A little is added for sums such as 0.1 + 0.2 + 0.7.
    return min(int(100 * done / len(view.elements) + 1e-9), 100)
