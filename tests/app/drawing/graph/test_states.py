"""Signs and colours of states."""

from roost.app.drawing.graph.states import LOOKS, UNKNOWN, look_of
from roost.core.telling.views import STATES


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_state_has_a_sign_of_its_own_that_does_without_colour() -> None:
    assert set(LOOKS) == set(STATES)
    assert len({look.sign for look in LOOKS.values()}) == len(STATES)
    assert all(len(look.sign) == 1 for look in LOOKS.values())


def test_every_colour_stands_out_from_its_ground() -> None:
    for look in (*LOOKS.values(), UNKNOWN):
        assert 1.05 / (luminance(look.light) + 0.05) >= 3.0, look
        assert (luminance(look.dark) + 0.05) / (luminance("#14181f") + 0.05) >= 3.0, look


def test_what_is_no_state_has_no_sign() -> None:
    assert look_of("") is UNKNOWN
    assert look_of("done").sign == "✓"
