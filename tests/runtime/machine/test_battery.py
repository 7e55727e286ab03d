"""How much is left in the batteries."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from roost.runtime.machine import battery
from roost.runtime.machine.battery import remaining


def supply(root: Path, name: str, **files: str | int) -> None:
    folder = root / "sys/class/power_supply" / name
    folder.mkdir(parents=True, exist_ok=True)
    for file, value in files.items():
        (folder / file).write_text(f"{value}\n")


def test_a_machine_without_a_battery_is_on_mains(tmp_path: Path) -> None:
    assert remaining(tmp_path) == 1.0
    supply(tmp_path, "AC", type="Mains", online=1)
    assert remaining(tmp_path) == 1.0


def test_a_battery_that_feeds_the_machine_is_as_full_as_it_says(tmp_path: Path) -> None:
    supply(tmp_path, "AC", type="Mains", online=0)
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", capacity=15)
    assert remaining(tmp_path) == 0.15


@pytest.mark.parametrize("status", ["Charging", "Full", "Not charging"])
def test_while_it_charges_or_is_kept_full_the_machine_is_on_mains(tmp_path: Path, status: str) -> None:
    supply(tmp_path, "BAT0", type="Battery", status=status, capacity=15)
    assert remaining(tmp_path) == 1.0


@pytest.mark.parametrize("kind", ["Mains", "USB"])
def test_on_mains_and_at_a_charger_it_does_not_matter_what_the_battery_says(tmp_path: Path, kind: str) -> None:
    supply(tmp_path, "AC", type=kind, online=1)
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", capacity=15)
    assert remaining(tmp_path) == 1.0


def test_of_several_batteries_the_larger_counts_more(tmp_path: Path) -> None:
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", energy_now=10_000, energy_full=20_000, capacity=99)
    supply(tmp_path, "BAT1", type="Battery", status="Unknown", energy_now=60_000, energy_full=60_000)
    assert remaining(tmp_path) == pytest.approx(70 / 80)


def test_a_charge_is_as_good_as_an_energy_and_a_percentage_counts_as_one_battery(tmp_path: Path) -> None:
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", charge_now=1_000, charge_full=4_000)
    assert remaining(tmp_path) == 0.25
    supply(tmp_path, "BAT1", type="Battery", status="Discharging", capacity=75)
    assert remaining(tmp_path) == 0.5


def test_one_that_still_charges_counts_beside_one_that_feeds_the_machine(tmp_path: Path) -> None:
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", capacity=20)
    supply(tmp_path, "BAT1", type="Battery", status="Full", capacity=100)
    assert remaining(tmp_path) == pytest.approx(0.6)


def test_the_battery_of_a_mouse_says_nothing_of_the_machine(tmp_path: Path) -> None:
    supply(tmp_path, "hid-mouse", type="Battery", scope="Device", status="Discharging", capacity=3)
    assert remaining(tmp_path) == 1.0


def test_a_battery_that_tells_nothing_useful_is_none(tmp_path: Path) -> None:
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", capacity="?")
    assert remaining(tmp_path) == 1.0
    supply(tmp_path, "BAT1", type="Battery", status="Discharging", energy_now=5, energy_full=0)
    assert remaining(tmp_path) == 1.0


def test_a_battery_is_never_more_than_full(tmp_path: Path) -> None:
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", energy_now=110, energy_full=100)
    assert remaining(tmp_path) == 1.0


@pytest.mark.parametrize(
    ("told", "left"),
    [(None, 1.0), (SimpleNamespace(percent=15, power_plugged=False), 0.15),
     (SimpleNamespace(percent=15, power_plugged=True), 1.0), (SimpleNamespace(percent=101, power_plugged=None), 1.0)],
)  # fmt: skip
def test_where_the_system_has_no_such_files_the_library_is_asked(
    monkeypatch: pytest.MonkeyPatch, told: Any, left: float
) -> None:
    monkeypatch.setattr(psutil, "sensors_battery", lambda: told)
    assert battery._told_by_library() == left
