"""Offering: the node says which programs it has, so that it gets no task whose program it lacks.

The owner may put programs into the folder, or take them away, at any time; one looks now and then.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from roost.app.lan.programs import Programs

#: How long a program that was put into the folder may go unnoticed. A look costs a reading of the folder.
LOOK_EVERY_S: Final = 1.0


async def offer_programs(programs: Programs, offer: Callable[[tuple[str, ...]], None]) -> None:
    """Call ``offer`` whenever the programs are others than before, for ever."""
    known = programs.names()
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        names = await asyncio.to_thread(programs.names)
        if names != known:
            known = names
            offer(names)
