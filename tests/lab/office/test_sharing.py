"""DICE's experiments as cells."""

from roost.lab.office.devices import Devices, Timing
from roost.lab.office.sharing import Sharing, share


def test_shares_are_handed_in_by_the_first_devices() -> None:
    assert share(Sharing(4, (2, 1), 1.0, 0.0, 7)) == Devices((0, 0, 1), 4, 1.0, 0.0, 7, Timing()).run()
