"""The reading that experiments live by, and that it can be asked for otherwise."""

import msgspec

from roost.lab.worlds.reading import AS_PUBLISHED, Reading


def test_a_reading_survives_being_written_down() -> None:
    other = Reading(looks="own", order="random", unseen_s=30.0, skips=4)
    assert msgspec.json.decode(msgspec.json.encode(other), type=Reading) == other


def test_windows_and_looks_take_ten_seconds_as_published() -> None:
    assert (AS_PUBLISHED.poll_s, AS_PUBLISHED.window_s) == (10.0, 10.0)
