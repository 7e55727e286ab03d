"""What the handlers of the API find in their application."""

from typing import Final

from aiohttp import web

from roost.app.web.door import Door
from roost.model.ids import TaskId
from roost.runtime.service import NodeService

#: The node behind the API.
SERVICE: Final[web.AppKey[NodeService]] = web.AppKey("service")
#: The bearer token that every request must carry.
TOKEN: Final[web.AppKey[str]] = web.AppKey("token")
#: Where the API listens, e.g. ``http://127.0.0.1:4711``.
ADDRESS: Final[web.AppKey[str]] = web.AppKey("address")
#: Where connections wait that have not shown the token.
DOOR: Final[web.AppKey[Door]] = web.AppKey("door")
#: Elements of manual tasks to which an answer is on its way to the disk.
ANSWERING: Final[web.AppKey[set[tuple[TaskId, int]]]] = web.AppKey("answering")
