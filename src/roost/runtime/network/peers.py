"""The configured peers: addresses that are greeted though nothing was heard from them.

Names are looked up beside the loop, again and again, because machines move.
"""

import asyncio
import socket
from contextlib import suppress

from roost.model.limits import PEERS_MAX
from roost.runtime.network.interfaces import Endpoint

#: How often names are looked up.
LOOK_UP_S = 60.0


class Peers:
    """Make one, ``start`` it inside a running loop, ``close`` it. ``found`` are the addresses that are known now."""

    def __init__(self, wanted: tuple[Endpoint, ...]) -> None:
        self.wanted = wanted
        self.found: tuple[Endpoint, ...] = ()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self.found = tuple(peer for peer in self.wanted if _is_number(peer[0]))
        if len(self.found) < len(self.wanted):
            self._task = asyncio.get_running_loop().create_task(self._look_up_again_and_again())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _look_up_again_and_again(self) -> None:
        while True:
            found: dict[Endpoint, None] = {}
            for host, port in self.wanted:
                found |= dict.fromkeys(await _look_up(host, port))
            self.found = tuple(found)[:PEERS_MAX]
            await asyncio.sleep(LOOK_UP_S)


async def _look_up(host: str, port: int) -> list[Endpoint]:
    # A name that nobody knows now may be known later.
    with suppress(OSError, UnicodeError):
        loop = asyncio.get_running_loop()
        entries = await loop.getaddrinfo(host, port, family=socket.AF_INET, type=socket.SOCK_DGRAM)
        return [(str(entry[4][0]), port) for entry in entries]
    return []


def _is_number(host: str) -> bool:
    try:
        socket.inet_pton(socket.AF_INET, host)
    except OSError:
        return False
    return True
