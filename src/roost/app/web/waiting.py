"""Processes inside of elements that wait for other work of Roost: what they say goes to the core (queue/lending.py)."""

from collections import Counter
from typing import Final

from aiohttp import web
from aiohttp.http import WSMsgType

from roost.api.element_waiting import decode_waiting
from roost.api.requests import Nothing, SessionQuery
from roost.app.web.calls import Call
from roost.app.web.sockets import connected
from roost.model.errors import PeerError
from roost.model.ids import LeaseId
from roost.model.limits import KIB

_MESSAGE_BYTES_MAX: Final = 1 * KIB


async def hear_waits(call: Call[SessionQuery, Nothing]) -> web.WebSocketResponse:
    """Note who waits, until the process at the other end is gone; then none of its waits is left."""
    open_waits: Counter[tuple[LeaseId, int | None]] = Counter()
    async with connected(call.request, max_msg_size=_MESSAGE_BYTES_MAX) as socket:
        try:
            async for frame in socket:
                if frame.type is not WSMsgType.BINARY:
                    break
                said = decode_waiting(frame.data)
                place = LeaseId(said.lease), said.index
                if said.waits or open_waits[place]:
                    open_waits[place] += 1 if said.waits else -1
                    call.service.note_wait(*place, begins=said.waits)
        except PeerError:
            # It is none of ours, and has said nothing that counts.
            pass
        finally:
            for place in open_waits.elements():
                call.service.note_wait(*place, begins=False)
    return socket
