"""A ball in the air, step by step: the functions of the parameter sweep."""

import math
from typing import Any

DRAG = {"no": 0.0, "thin": 0.005, "thick": 0.02}
GRAVITY = 9.81
STEP_S = 0.0002


def fly(setting: dict[str, Any]) -> dict[str, Any]:
    """Return the setting together with how far the ball flew, in metres."""
    angle, drag = math.radians(setting["angle"]), DRAG[setting["air"]]
    across, up = setting["speed"] * math.cos(angle), setting["speed"] * math.sin(angle)
    distance = height = 0.0
    while height >= 0:
        slowing = drag * math.hypot(across, up)
        across -= slowing * across * STEP_S
        up -= (GRAVITY + slowing * up) * STEP_S
        distance += across * STEP_S
        height += up * STEP_S
    return {**setting, "metres": round(distance, 2)}


def best(flights: list[dict[str, Any]]) -> dict[str, Any]:
    return max(flights, key=lambda flight: flight["metres"])
