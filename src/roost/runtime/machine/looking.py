"""Looking: the node finds out what its machine has, beside its work, and says so when it is something else than before.

Rules
- Nothing waits for the first look: it begins LOOK_AFTER_S after the node is up, in a thread of its own. Until then the
  node does not say what takes a look, so that what requires it waits.
- A disk fills all the time; only a change by a tenth is told, because every change has all that waits sorted anew.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from roost.model.attributes import DISK, GPU, LIBRARIES, PROGRAMS, Attributes
from roost.model.limits import ATTRIBUTE_TEXTS_MAX
from roost.runtime.machine.graphics import graphics
from roost.runtime.machine.hardware import disk_and_processor
from roost.runtime.machine.software import libraries_on, programs_on

#: How long the first look waits. Longer: the first work has the machine for itself. Shorter: work that requires a
#: program starts earlier on a node that has just come.
LOOK_AFTER_S: Final = 0.3
#: How long it may go unnoticed that something was installed. A look reads a few folders.
LOOK_EVERY_S: Final = 60.0
#: By which part the free space must have changed.
DISK_STEP: Final = 0.1


async def keep_looking(home: Path, kept: Callable[[], Sequence[str]], offer: Callable[[Attributes], None]) -> None:
    """Call ``offer`` with all that a look finds, whenever it finds something else than before; for ever.

    ``kept`` names the programs that the owner keeps in the node's folder for them.
    """
    known: Attributes = {}
    await asyncio.sleep(LOOK_AFTER_S)
    while True:
        found = await asyncio.to_thread(look, home, kept)
        steady = with_steady_disk(found, known)
        if steady != known:
            known = steady
            offer(steady)
        await asyncio.sleep(LOOK_EVERY_S)


def look(home: Path, kept: Callable[[], Sequence[str]]) -> Attributes:
    """Return what the machine has, of all that takes a look; what cannot be found out is left out."""
    programs = sorted({*kept(), *programs_on(os.environ.get("PATH", os.defpath))})
    return {
        **disk_and_processor(home),
        PROGRAMS: tuple(programs[:ATTRIBUTE_TEXTS_MAX]),
        LIBRARIES: libraries_on(sys.path),
        GPU: graphics(),
    }


def with_steady_disk(found: Attributes, known: Attributes) -> Attributes:
    """Return what was found, with the free space that was told before if it has hardly changed."""
    before, now = known.get(DISK), found.get(DISK)
    if isinstance(before, int) and isinstance(now, int) and abs(now - before) <= DISK_STEP * before:
        return {**found, DISK: before}
    return found
