"""The quality of a wireless link, by free-space loss: distance, frequency and power (FAIR 3.3).

In free space a signal loses 20 log10(4 pi d f / c) decibels on its way (H. T. Friis, "A Note on a Simple Transmission
Formula", 1946). What arrives counts as drivers of wireless cards tell it: -40 dBm and more is perfect, and at -110 dBm
nothing is heard (runtime/machine/network_link.py). FAIR gives no numbers; these are those of a notebook.
"""

import math
from typing import Final

FREQUENCY_HZ: Final = 2.4e9
POWER_DBM: Final = 15.0
_LIGHT_M_S: Final = 299_792_458.0
_PERFECT_DBM: Final = -40.0
_SILENCE_DBM: Final = -110.0
#: Nearer than this is not the far field, for which the formula holds.
_NEAR_M: Final = 1.0


def loss_db(distance_m: float, frequency_hz: float = FREQUENCY_HZ) -> float:
    """Return how much of a signal is lost over this distance in free space."""
    return 20.0 * math.log10(4.0 * math.pi * max(distance_m, _NEAR_M) * frequency_hz / _LIGHT_M_S)


def quality(distance_m: float, frequency_hz: float = FREQUENCY_HZ, power_dbm: float = POWER_DBM) -> float:
    """Return the quality of a link over this distance, between 0 and 1."""
    arrives_dbm = power_dbm - loss_db(distance_m, frequency_hz)
    return min(max((arrives_dbm - _SILENCE_DBM) / (_PERFECT_DBM - _SILENCE_DBM), 0.0), 1.0)
