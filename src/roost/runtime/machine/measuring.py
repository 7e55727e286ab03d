"""Measuring: how the machine is, in battery, network link and the work of others, again and again (model/vitals.py).

Rules
- A look reads a few small files every MEASURE_EVERY_S, in a thread, because drivers of batteries may take their time.
- Only what has changed by a grain is told: every change has the node judge its state anew.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from roost.model.vitals import AT_EASE, Vitals
from roost.runtime.machine.battery import remaining
from roost.runtime.machine.network_link import link_quality
from roost.runtime.machine.work_of_others import WorkOfOthers

#: Longer: an idle processor sleeps longer. Shorter: a cable that is pulled shows sooner.
MEASURE_EVERY_S: Final = 10.0
#: By how much each must have changed. Smaller: the node hears of noise.
GRAINS: Final = Vitals(remaining=0.01, utilisation=0.1, link=0.05)


class Measuring:
    def __init__(self, root: Path) -> None:
        """``root`` is where the system's files are."""
        self._root = root
        self._work = WorkOfOthers(root)

    def look(self) -> Vitals:
        return Vitals(
            round(remaining(self._root), 3), round(self._work.utilisation(), 3), round(link_quality(self._root), 3)
        )


async def keep_measuring(root: Path, tell: Callable[[Vitals], None], every_s: float = MEASURE_EVERY_S) -> None:
    """Call ``tell`` with how the machine is, whenever that is another than before; for ever."""
    measuring, told = Measuring(root), AT_EASE
    while True:
        found = await asyncio.to_thread(measuring.look)
        if differs(found, told):
            told = found
            tell(found)
        await asyncio.sleep(every_s)


def differs(found: Vitals, told: Vitals) -> bool:
    """Whether something has changed by a grain."""
    return any(
        abs(now - before) >= grain - 1e-9
        for now, before, grain in (
            (found.remaining, told.remaining, GRAINS.remaining),
            (found.utilisation, told.utilisation, GRAINS.utilisation),
            (found.link, told.link, GRAINS.link),
        )
    )
