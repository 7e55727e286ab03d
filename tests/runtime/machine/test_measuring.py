"""How the machine is, again and again."""

import asyncio
import itertools
from pathlib import Path

import pytest

from roost.model.vitals import AT_EASE, Vitals
from roost.runtime.machine.measuring import Measuring, differs, keep_measuring

BATTERY = "sys/class/power_supply/BAT0"


def battery(root: Path, percent: int, status: str = "Discharging") -> None:
    (root / BATTERY).mkdir(parents=True, exist_ok=True)
    (root / BATTERY / "type").write_text("Battery")
    (root / BATTERY / "status").write_text(status)
    (root / BATTERY / "capacity").write_text(str(percent))


def test_a_system_without_any_of_the_files_is_at_ease(tmp_path: Path) -> None:
    assert Measuring(tmp_path).look() == AT_EASE


def test_this_machine_can_be_looked_at() -> None:
    measuring = Measuring(Path("/"))
    for vitals in (measuring.look(), measuring.look()):
        assert all(0.0 <= one <= 1.0 for one in (vitals.remaining, vitals.utilisation, vitals.link))


@pytest.mark.parametrize(
    ("found", "is_told"),
    [
        (Vitals(0.5, 0.5, 0.5), False),
        (Vitals(0.49, 0.5, 0.5), True),
        (Vitals(0.495, 0.5, 0.5), False),
        (Vitals(0.5, 0.59, 0.5), False),
        (Vitals(0.5, 0.6, 0.5), True),
        (Vitals(0.5, 0.5, 0.46), False),
        (Vitals(0.5, 0.5, 0.55), True),
    ],
)
def test_a_change_is_told_from_a_grain_on(found: Vitals, is_told: bool) -> None:
    assert differs(found, Vitals(0.5, 0.5, 0.5)) is is_told


def test_what_has_changed_is_told_once(tmp_path: Path) -> None:
    async def scenario() -> list[float]:
        told: list[float] = []
        heard = asyncio.Event()

        def tell(vitals: Vitals) -> None:
            told.append(vitals.remaining)
            heard.set()

        battery(tmp_path, 15)
        measuring = asyncio.create_task(keep_measuring(tmp_path, tell, every_s=0.005))
        for percent, status in ((15, "Charging"), (40, "Discharging")):
            await asyncio.wait_for(heard.wait(), 10)
            heard.clear()
            battery(tmp_path, percent, status)
        await asyncio.wait_for(heard.wait(), 10)
        measuring.cancel()
        return told

    assert asyncio.run(scenario()) == [0.15, 1.0, 0.4]


def test_a_machine_at_ease_tells_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> list[Vitals]:
        told: list[Vitals] = []
        looks, enough = itertools.count(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def look(_: Measuring) -> Vitals:
            if next(looks) == 5:
                loop.call_soon_threadsafe(enough.set)
            return AT_EASE

        monkeypatch.setattr(Measuring, "look", look)
        measuring = asyncio.create_task(keep_measuring(tmp_path, told.append, every_s=0.001))
        await asyncio.wait_for(enough.wait(), 10)
        measuring.cancel()
        return told

    assert asyncio.run(scenario()) == []
