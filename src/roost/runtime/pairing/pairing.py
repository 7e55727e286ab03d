"""Inviting a machine into the cluster, and joining it (wire/trust/pairing_words.py has the conversation).

An invitation is open for ten minutes and for three wrong guesses, and one machine can use it. Everything before the
proof of the code comes from strangers: it is small, it is waited for briefly, and it costs little. Whoever has not even
named the invitation yet makes room for others (waiting_room.py).
"""

import asyncio
import secrets
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from roost.model.errors import InvalidInput, PeerError, Unavailable
from roost.model.ids import NodeId
from roost.model.limits import (
    PAIRING_BYTES_MAX,
    PAIRING_CANDIDATES_MAX,
    PAIRING_CONNECTIONS_MAX,
    PAIRING_EXCHANGES_MAX,
)
from roost.runtime.network.waiting_room import WaitingRoom
from roost.runtime.pairing.channel import Channel, RefusedByInviter
from roost.runtime.pairing.search import SEARCH_PORT, Responder
from roost.wire.codec import decode, encode
from roost.wire.trust.exchange import ENTROPY_BYTES, Exchange, ExchangedKeys, Purpose
from roost.wire.trust.invitations import CODES, InvitationCode, new_code
from roost.wire.trust.pairing_words import (
    PAIRING_VERSION,
    Admission,
    Confirm,
    Hello,
    Introduction,
    Reason,
    Refused,
    Reply,
    Sealed,
)

LIFETIME_S = 600.0
WRONG_GUESSES_MAX = 3
#: How long a whole conversation may take, and on the joining side the way to the first byte.
PATIENCE_S = 15.0
CONNECT_PATIENCE_S = 5.0


class _RefusedByUs(PeerError):
    """Ends a conversation on the inviting side; the other side is told the reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Invitation:
    """An open invitation. Show ``code`` to the person at the other machine, and await ``outcome``."""

    def __init__(
        self,
        admission: Callable[[Introduction], Admission],
        *,
        note: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """``admission`` is asked when a machine is let in; ``note`` gets a sentence whenever something happens."""
        self.code: InvitationCode = new_code(secrets.randbelow(CODES))
        self._admission = admission
        self._note = note
        self._clock = clock
        self._patience_s = patience_s
        self._expires_at = clock() + LIFETIME_S
        self._wrong_guesses = 0
        self._exchanges = 0
        self._admitting = False
        self._outcome: asyncio.Future[NodeId] = asyncio.get_running_loop().create_future()
        self._server: asyncio.Server | None = None
        self._responder: Responder | None = None
        self._conversations: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._waiting = WaitingRoom(PAIRING_CONNECTIONS_MAX)

    async def open(self, host: str | None = None, port: int = 0, *, search_port: int = SEARCH_PORT) -> None:
        """Listen, on all addresses unless one is given, and answer machines that search for the invitation."""
        try:
            self._server = await asyncio.start_server(self._on_connection, sock=_listening(host, port))
        except OSError as error:
            raise Unavailable(f"the invitation cannot listen on port {port}: {error.strerror or error}") from error
        self._responder = Responder(self.code.number, self.port)
        try:
            await self._responder.listen(search_port)
        except OSError as error:
            self._note(f"the invitation cannot be searched for ({error.strerror}); join with this machine's address")

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def outcome(self) -> NodeId:
        """Wait for the end of the invitation: return who has joined, or raise Unavailable with the reason."""
        try:
            async with asyncio.timeout(max(0.0, self._expires_at - self._clock())):
                return await asyncio.shield(self._outcome)
        except TimeoutError:
            self._end(Unavailable("nobody has used the invitation in time; make a new one with 'roost invite'"))
            return await self._outcome

    async def close(self) -> None:
        """End the invitation, used or not."""
        self._end(Unavailable("the invitation was withdrawn"))
        if self._responder is not None:
            self._responder.close()
        if self._server is not None:
            self._server.close()
        # A task of asyncio's servers that is cancelled leaves a traceback; without its connection it ends by itself.
        for writer in self._conversations.values():
            writer.transport.abort()
        await asyncio.gather(*self._conversations, return_exceptions=True)

    def _end(self, reason: Unavailable | NodeId) -> None:
        if self._outcome.done():
            return
        if isinstance(reason, str):
            self._outcome.set_result(reason)
        else:
            self._outcome.set_exception(reason)
            # It counts as looked at: the invitation may be closed without anyone waiting for its outcome.
            self._outcome.exception()

    async def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        channel, host = Channel(reader, writer), _host_of(writer)
        self._conversations[task] = writer
        seat = self._waiting.enter(host, writer.transport.abort)
        try:
            await self._converse(channel, host, lambda: self._waiting.leave(seat))
        finally:
            self._waiting.leave(seat)
            del self._conversations[task]
            await channel.close()

    async def _converse(self, channel: Channel, host: str, greeted: Callable[[], None]) -> None:
        """Let a stranger speak; whatever it does ends here, and only what a person should know is noted."""
        try:
            async with asyncio.timeout(self._patience_s):
                try:
                    await self._pair(channel, host, greeted)
                except _RefusedByUs as refusal:
                    await channel.send(Refused(refusal.reason))
        except (PeerError, OSError):  # A timeout is an OSError.
            return

    async def _pair(self, channel: Channel, host: str, greeted: Callable[[], None]) -> None:
        hello = await channel.receive(Hello)
        self._check_hello(hello)
        greeted()
        exchange = await asyncio.to_thread(Exchange.inviter, self.code, secrets.token_bytes(ENTROPY_BYTES))
        keys = await asyncio.to_thread(exchange.finish, hello.element)
        await channel.send(Reply(exchange.element))
        proof = (await channel.receive(Confirm)).proof
        # From here to the check nothing waits, so that guesses side by side are counted one by one.
        self._check_open()
        if not keys.proves(Purpose.JOINER_PROOF, proof):
            self._count_wrong_guess(host)
            raise _RefusedByUs(Reason.WRONG_CODE)
        self._admitting = True
        try:
            await self._admit(channel, keys)
        finally:
            self._admitting = False

    def _check_hello(self, hello: Hello) -> None:
        if hello.version != PAIRING_VERSION:
            raise _RefusedByUs(Reason.VERSION)
        if hello.number != self.code.number:
            raise _RefusedByUs(Reason.UNKNOWN)
        self._check_open()
        self._exchanges += 1
        if self._exchanges > PAIRING_EXCHANGES_MAX:
            self._end(Unavailable("too many machines asked for the invitation; it is void, make a new one"))
            raise _RefusedByUs(Reason.VOID)

    def _check_open(self) -> None:
        if self._clock() >= self._expires_at:
            raise _RefusedByUs(Reason.EXPIRED)
        if self._outcome.done():
            raise _RefusedByUs(Reason.VOID)
        if self._admitting:
            raise _RefusedByUs(Reason.BUSY)

    def _count_wrong_guess(self, host: str) -> None:
        self._wrong_guesses += 1
        self._note(f"{host} tried a wrong code ({self._wrong_guesses} of {WRONG_GUESSES_MAX})")
        if self._wrong_guesses >= WRONG_GUESSES_MAX:
            self._end(
                Unavailable(f"{WRONG_GUESSES_MAX} wrong codes were tried; the invitation is void, make a new one")
            )

    async def _admit(self, channel: Channel, keys: ExchangedKeys) -> None:
        """Hand the keys over. Only the receipt makes it a success: a connection that breaks may be tried again."""
        await channel.send(Confirm(keys.proof(Purpose.INVITER_PROOF)))
        sealed = await channel.receive(Sealed)
        admission = self._admission(decode(keys.open(Purpose.INTRODUCTION, sealed.content), Introduction))
        await channel.send(Sealed(keys.seal(Purpose.ADMISSION, encode(admission))))
        keys.open(Purpose.RECEIPT, (await channel.receive(Sealed)).content)
        self._end(admission.name)


async def join(
    code: InvitationCode,
    introduction: Introduction,
    candidates: Iterable[tuple[str, int]],
    *,
    patience_s: float = PATIENCE_S,
) -> Admission:
    """Join the cluster of the first of these machines that holds the invitation and knows its code.

    Raise InvalidInput if the code is wrong, Unavailable if nobody could be asked, both with what to do next.
    """
    refusals: list[tuple[str, PeerError | OSError]] = []
    for host, port in list(candidates)[:PAIRING_CANDIDATES_MAX]:
        try:
            async with asyncio.timeout(patience_s):
                return await _join_at(code, introduction, host, port, min(patience_s, CONNECT_PATIENCE_S))
        except (PeerError, OSError) as error:
            refusals.append((f"{host}:{port}", error))
    raise _explained(code, refusals)


async def _join_at(
    code: InvitationCode, introduction: Introduction, host: str, port: int, connect_patience_s: float
) -> Admission:
    async with asyncio.timeout(connect_patience_s):
        channel = Channel(*await asyncio.open_connection(host, port))
    try:
        exchange = await asyncio.to_thread(Exchange.joiner, code, secrets.token_bytes(ENTROPY_BYTES))
        await channel.send(Hello(PAIRING_VERSION, code.number, exchange.element))
        reply = await channel.receive(Reply)
        keys = await asyncio.to_thread(exchange.finish, reply.element)
        await channel.send(Confirm(keys.proof(Purpose.JOINER_PROOF)))
        if not keys.proves(Purpose.INVITER_PROOF, (await channel.receive(Confirm)).proof):
            raise RefusedByInviter(Reason.WRONG_CODE)
        await channel.send(Sealed(keys.seal(Purpose.INTRODUCTION, encode(introduction))))
        sealed = await channel.receive(Sealed, PAIRING_BYTES_MAX)
        admission = decode(keys.open(Purpose.ADMISSION, sealed.content), Admission)
        await channel.send(Sealed(keys.seal(Purpose.RECEIPT, b"")))
        return admission
    finally:
        await channel.close()


def _explained(code: InvitationCode, refusals: list[tuple[str, PeerError | OSError]]) -> InvalidInput | Unavailable:
    """Choose what the person should hear: a wrong code before an unreachable machine."""
    for where, error in refusals:
        if isinstance(error, RefusedByInviter) and error.reason is not Reason.UNKNOWN:
            kind = InvalidInput if error.reason is Reason.WRONG_CODE else Unavailable
            return kind(f"the machine at {where} did not let this one in: {error}")
    if not refusals:
        return Unavailable(
            f"no machine answers for invitation {code.number}; check that 'roost invite' still runs there, "
            "and give its address if the network keeps machines apart"
        )
    where, error = refusals[0]
    return Unavailable(f"the machine at {where} cannot be joined: {_reason(error)}")


def _reason(error: PeerError | OSError) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer; check that 'roost invite' still runs there"
    if isinstance(error, OSError):
        return f"{error.strerror or error}; check the address, and that 'roost invite' still runs there"
    return str(error)


def _host_of(writer: asyncio.StreamWriter) -> str:
    name = writer.get_extra_info("peername")
    return str(name[0]).removeprefix("::ffff:") if name else "a machine that has left"


def _listening(host: str | None, port: int) -> socket.socket:
    """Listen on one port for both versions of IP if there are two."""
    if host is None and socket.has_dualstack_ipv6():
        # A machine may know IPv6 and have it switched off.
        with suppress(OSError):
            return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server((host or "", port))
