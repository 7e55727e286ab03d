"""The battery of a mobile device: it loses charge evenly over time, and faster while the device works (FAIR 3.3).

FAIR says "linear capacity loss over time", and nothing of how fast. Here a full battery lasts IDLE_S with nothing to do
and BUSY_S under load, which are those of a notebook.
"""

from math import inf
from typing import Final, NamedTuple

from roost.lab.mobile.words import checked_word

IDLE_S: Final = 36_000.0
BUSY_S: Final = 14_400.0
#: Words for what devices live on: "linear" batteries, or "mains", where nothing is ever lost.
KINDS: Final = ("linear", "mains")


class Battery(NamedTuple):
    #: The share of a full charge that it begins with.
    charge: float = 1.0
    #: How long a full one lasts with nothing to do, and under load.
    idle_s: float = IDLE_S
    busy_s: float = BUSY_S

    def remaining(self, lived_s: float, worked_s: float) -> float:
        """Return the share that is left after so much time, of which the device has worked for ``worked_s``."""
        return max(0.0, self.charge - (lived_s - worked_s) / self.idle_s - worked_s / self.busy_s)

    def costs(self, worked_s: float) -> float:
        """Return by how much more it loses in work of this length than it would have lost anyway."""
        return worked_s / self.busy_s - worked_s / self.idle_s


def battery_of(kind: str, missing_s: float) -> Battery:
    """Return a battery of this kind that lacks what work of ``missing_s`` would have cost it."""
    if checked_word("battery", kind, KINDS) == "mains":
        return Battery(1.0, inf, inf)
    full = Battery()
    return full._replace(charge=full.charge - full.costs(missing_s))
