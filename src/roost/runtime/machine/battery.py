"""How much is left in the machine's battery, by what the system tells of its power supplies."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import psutil

from roost.runtime.machine.reading import number_in, text_in

#: What a battery that belongs to something else than the machine says, such as that of a mouse.
_OF_A_DEVICE: Final = "Device"
#: How a battery does that feeds the machine; in all other states something else does.
_FEEDS: Final = ("Discharging", "Unknown")


class _Battery(NamedTuple):
    feeds: bool
    #: Its charge, between 0 and 1.
    charge: float
    #: What it holds when it is full, in the system's units; None if that is not told.
    size: float | None


def remaining(root: Path) -> float:
    """Return the charge of all batteries together, between 0 and 1; 1 on mains, while they charge, and without any.

    ``root`` is where the system's files are.
    """
    supplies = root / "sys/class/power_supply"
    if root == Path("/") and not supplies.is_dir():
        return _told_by_library()
    batteries = []
    for supply in _entries(supplies):
        if text_in(supply / "type") != "Battery":
            if number_in(supply / "online") == 1:
                return 1.0
        elif text_in(supply / "scope") != _OF_A_DEVICE and (battery := _battery(supply)) is not None:
            batteries.append(battery)
    if not batteries or not any(battery.feeds for battery in batteries):
        return 1.0
    return _together(batteries)


def _battery(supply: Path) -> _Battery | None:
    feeds = text_in(supply / "status") in _FEEDS
    for unit in ("energy", "charge"):
        now, full = number_in(supply / f"{unit}_now"), number_in(supply / f"{unit}_full")
        if now is not None and full:
            return _Battery(feeds, now / full, full)
    percent = number_in(supply / "capacity")
    return None if percent is None else _Battery(feeds, percent / 100, None)


def _together(batteries: Iterable[_Battery]) -> float:
    """Return how full they are, the large ones counting more if all of them tell how large they are."""
    known = list(batteries)
    sizes = [battery.size for battery in known if battery.size is not None]
    weights = sizes if len(sizes) == len(known) else [1.0] * len(known)
    held = sum(battery.charge * weight for battery, weight in zip(known, weights, strict=True))
    return min(max(held / sum(weights), 0.0), 1.0)


def _told_by_library() -> float:
    """Return the same where the system has no such files, as on macOS and Windows."""
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    return 1.0 if battery is None or battery.power_plugged else min(max(battery.percent / 100, 0.0), 1.0)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
