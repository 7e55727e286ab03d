"""One client of LAN's protocol: its requests one after the other, each with its answer, and PROGRESS in between.

The conversation may end at any moment, and nothing is lost by that: what was scheduled is a run like any other.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, NamedTuple

from roost.app.lan.following import Following
from roost.app.lan.ids import uuid_of
from roost.app.lan.names import find_task
from roost.app.lan.programs import Programs
from roost.app.lan.progress import progress_of
from roost.app.lan.protocol import (
    Cancel,
    ForeignTalk,
    LanState,
    Login,
    Progress,
    Quit,
    Schedule,
    Subscribe,
    error,
    parse_request,
    written,
)
from roost.app.lan.scheduling import schedule
from roost.app.lan.trust import LOGIN_FILE, is_token
from roost.app.lan.typed_lines import Line, TelnetLines
from roost.core.events import CancelAsked
from roost.model.errors import InvalidInput, RoostError
from roost.model.limits import LAN_LINE_BYTES_MAX
from roost.runtime.service import NodeService

_logger = logging.getLogger(__name__)

#: A stranger has so long to show the token; then the place is free for another.
LOGIN_S: Final = 20.0
_READ_BYTES: Final = 16 * 1024
_LOGIN_FIRST: Final = f"log in first: LOGIN and the token, which is in the file {LOGIN_FILE} of the node's home"


class Desk(NamedTuple):
    """What all sessions share."""

    service: NodeService
    programs: Programs
    token: str
    #: How long a client may let its answers wait before it is dropped.
    patience_s: float


class LoginRefused(InvalidInput):
    """A wrong token ends the conversation, so that guessing takes a connection each time."""


class LanConnection:
    def __init__(
        self, desk: Desk, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_trusted: bool
    ) -> None:
        self._desk = desk
        self._reader = reader
        self._writer = writer
        self._is_trusted = is_trusted
        self._sending = asyncio.Lock()
        self._following = Following(desk.service, self.send, writer.transport.abort)

    async def talk(self) -> None:
        """Answer until the client says goodbye or is gone. A client that only stops talking is told the rest."""
        try:
            async with asyncio.timeout(None if self._is_trusted else LOGIN_S) as self._login_by:
                if await self._answer_all():
                    await self._following.wait()
        except TimeoutError:
            if not self._login_by.expired():
                raise
            await self.send([error(f"nobody logged in within {LOGIN_S:g} s; connect again and {_LOGIN_FIRST}")])
        finally:
            await self._following.stop()

    async def send(self, answers: Sequence[str | Progress]) -> None:
        """Write whole lines. Raise ConnectionError if the client is gone, or takes too long to read them."""
        async with self._sending:
            self._writer.write(b"".join(written(answer) for answer in answers))
            try:
                async with asyncio.timeout(self._desk.patience_s):
                    await self._writer.drain()
            except OSError as broken:
                # Broken, or not read for too long: that is a TimeoutError, which is one of these.
                self._writer.transport.abort()
                raise ConnectionAbortedError("the client is gone, or does not read its answers") from broken

    async def _answer_all(self) -> bool:
        """Answer requests; return whether the client may still want to be told something."""
        lines = TelnetLines()
        while data := await self._reader.read(_READ_BYTES):
            for line in lines.feed(data):
                if not await self._answer_line(line):
                    return False
        if lines.has_begun:
            await self.send([error("the last line has no end and was not carried out; end it with Enter")])
        return self._is_trusted

    async def _answer_line(self, line: Line) -> bool:
        """Answer one line; return whether to go on. Here ends our own code, so here, and only here, all is caught."""
        try:
            return await self._carry_out(line)
        except (ForeignTalk, LoginRefused) as refusal:
            await self.send([error(str(refusal))])
            return False
        except RoostError as refusal:
            await self.send([error(str(refusal))])
        except ConnectionError:
            # The client is gone: there is nobody to answer.
            raise
        except Exception:
            _logger.exception("a request of LAN's protocol failed")
            await self.send([error("the node ran into an error of its own; its log has the details")])
        return True

    async def _carry_out(self, line: Line) -> bool:
        if not line.is_whole:
            raise InvalidInput(f"the line is longer than {LAN_LINE_BYTES_MAX:,} bytes and was not carried out")
        request = parse_request(line.text)
        if not self._is_trusted and not isinstance(request, Login | Quit | None):
            raise InvalidInput(_LOGIN_FIRST)
        match request:
            case Schedule():
                task = await schedule(request, self._desk.programs, self._desk.service)
                await self.send([f"SCHEDULED {uuid_of(task)}"])
            case Subscribe(tasks):
                await self._subscribe(tasks)
            case Cancel(task):
                await self._cancel(task)
            case Login(token):
                self._login(token)
                await self.send(["LOGGED_IN"])
        return not isinstance(request, Quit)

    async def _subscribe(self, names: Sequence[str]) -> None:
        """All of the tasks are followed, or none if one of them is not there."""
        tasks = [find_task(self._desk.service, name).spec.id for name in names]
        self._following.check_room(tasks)
        await self.send([f"SUBSCRIBED {' '.join(map(uuid_of, tasks))}"])
        self._following.add(tasks)

    async def _cancel(self, name: str) -> None:
        """Answer when the task's processes are dead. What was cancelled before is cancelled; what has ended is not."""
        service = self._desk.service
        spec = find_task(service, name).spec
        accepted = await service.ask(CancelAsked(service.new_cause("cancel"), ((spec.id, spec.elements),)))
        uuid = uuid_of(spec.id)
        if not accepted.elements:
            state = progress_of(service.task(spec.id), uuid).state
            if state is not LanState.CANCELLED:
                raise InvalidInput(f"task {uuid} is {state} already; there is nothing left to cancel")
        await self.send([f"CANCELLED {uuid}"])

    def _login(self, token: str) -> None:
        if not is_token(token, self._desk.token):
            raise LoginRefused(f"the token is wrong; it is in the file {LOGIN_FILE} of the node's home")
        self._is_trusted = True
        self._login_by.reschedule(None)
