"""Settings, and what they share with the parameters of an experiment."""

from pathlib import Path

import msgspec
import pytest

from roost.lab.mobile.setting import Setting, Surroundings, checked, setting_of
from roost.model.errors import InvalidInput


def test_a_setting_has_what_its_surroundings_have_and_its_own() -> None:
    found = setting_of(Surroundings(battery="mains", jobs=7), 3, strategy="worst", group=4)
    assert found == Setting(seed=3, battery="mains", jobs=7, strategy="worst", group=4)


def test_its_own_fields_may_say_otherwise() -> None:
    assert setting_of(Surroundings(spread=0.5), 1, spread=0.0).spread == 0.0


def test_a_movement_that_is_no_word_is_a_file_of_places(tmp_path: Path) -> None:
    walk = tmp_path / "walk.txt"
    walk.write_text("worker01 0 1 2\n", encoding="utf-8")
    found = setting_of(Surroundings(movement=str(walk)), 1)
    assert (found.movement, found.places) == ("still", "worker01 0 1 2\n")
    with pytest.raises(InvalidInput, match="there are still, waypoint"):
        setting_of(Surroundings(movement="hop"), 1)


@pytest.mark.parametrize("field", ["weighs", "order", "tells", "link", "fault_tolerance", "interrupted", "unstable"])
def test_a_word_that_nobody_knows_is_refused(field: str) -> None:
    with pytest.raises(InvalidInput, match=r"there is no .*banana.*; there are"):
        checked(msgspec.structs.replace(Setting(seed=1), **{field: "banana"}))


@pytest.mark.parametrize(
    ("field", "value"),
    [("workers", 0), ("round_s", 0.0), ("until_s", float("inf")), ("spread", -1.0), ("repetitions", 0)],
)
def test_a_number_with_which_nothing_happens_is_refused(field: str, value: float) -> None:
    with pytest.raises(InvalidInput, match=f"{field} is "):
        checked(msgspec.structs.replace(Setting(seed=1), **{field: value}))


def test_links_count_if_devices_move_or_if_it_is_said() -> None:
    for fields, counts in (
        ({}, False),
        ({"movement": "waypoint"}, True),
        ({"places": "worker01 0 1 2"}, True),
        ({"link": "on"}, True),
        ({"movement": "waypoint", "link": "off"}, False),
    ):
        assert setting_of(Surroundings(), 1, **fields).has_links == counts, fields
