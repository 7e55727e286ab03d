"""DICE's experiments as cells: how many devices there are, what each hands in, and what is lost."""

import msgspec

from roost.lab.office.devices import Devices, Shared, Timing


class Sharing(msgspec.Struct, frozen=True):
    devices: int
    #: Tasks that each of the first devices hands in.
    shares: tuple[int, ...]
    length_s: float
    loss: float
    seed: int
    timing: Timing = Timing()


def share(asked: Sharing) -> Shared:
    """Hand in all tasks at once, and live until nothing is left to do."""
    owners = tuple(device for device, tasks in enumerate(asked.shares) for _ in range(tasks))
    return Devices(owners, asked.devices, asked.length_s, asked.loss, asked.seed, asked.timing).run()
