"""How a machine is."""

from roost.model.vitals import AT_EASE, Vitals
from roost.wire.codec import decode, encode


def test_what_a_machine_cannot_tell_is_as_on_one_that_is_plugged_in_wired_and_idle() -> None:
    assert Vitals() == AT_EASE == Vitals(remaining=1.0, utilisation=0.0, link=1.0)


def test_they_are_three_numbers_on_their_way() -> None:
    low = Vitals(remaining=0.15, utilisation=0.5, link=0.75)
    assert encode(low) == encode([0.15, 0.5, 0.75])
    assert decode(encode(low), Vitals) == low
