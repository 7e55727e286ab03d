"""Messages over a real connection, of which the other end may send anything."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from roost.model.errors import PeerError
from roost.runtime.pairing.channel import Channel, RefusedByInviter
from roost.wire.trust.pairing_words import Confirm, Reason, Refused, Reply, Sealed, encode_message

PATIENCE_S = 20.0


def framed(message: bytes) -> bytes:
    return len(message).to_bytes(4, "big") + message


def receive(sent: bytes, act: Callable[[Channel], Awaitable[object]]) -> object:
    """Return what a channel makes of these bytes, after which the other end leaves."""

    async def scenario() -> object:
        async def say(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(sent)
            writer.close()
            await writer.wait_closed()

        async with asyncio.timeout(PATIENCE_S):
            server = await asyncio.start_server(say, "127.0.0.1", 0)
            channel = Channel(*await asyncio.open_connection(*server.sockets[0].getsockname()))
            try:
                return await act(channel)
            finally:
                await channel.close()
                server.close()

    return asyncio.run(scenario())


def test_a_message_arrives_as_it_was_sent() -> None:
    assert receive(framed(encode_message(Reply(b"x" * 33))), lambda channel: channel.receive(Reply)) == Reply(b"x" * 33)


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b"", "ended the conversation"),
        (b"\0\0", "ended the conversation"),
        (framed(encode_message(Reply(b"x")))[:-1], "ended the conversation"),
        (framed(b"\xc1nonsense"), "are not a"),
        (framed(encode_message(Confirm(b"x"))), "Reply was expected, not Confirm"),
        (b"\xff\xff\xff\xff", "a message of 4,294,967,295 bytes is larger than the limit of 512"),
        (framed(encode_message(Sealed(bytes(600)))), "larger than the limit of 512"),
    ],
)
def test_anything_else_is_an_error_of_the_peer(sent: bytes, reason: str) -> None:
    with pytest.raises(PeerError, match=reason):
        receive(sent, lambda channel: channel.receive(Reply))


def test_a_place_in_the_conversation_may_allow_more() -> None:
    message = Sealed(bytes(100_000))
    assert receive(framed(encode_message(message)), lambda channel: channel.receive(Sealed, 101_000)) == message


def test_a_refusal_says_why() -> None:
    with pytest.raises(RefusedByInviter, match="the code is wrong") as refused:
        receive(framed(encode_message(Refused(Reason.WRONG_CODE))), lambda channel: channel.receive(Reply))
    assert refused.value.reason is Reason.WRONG_CODE
