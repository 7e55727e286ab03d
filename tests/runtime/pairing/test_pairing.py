"""Inviting and joining over real connections on this machine."""

import asyncio
import contextlib
import secrets
import socket
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from roost.model.errors import InvalidInput, PeerError, Unavailable
from roost.model.ids import NodeId
from roost.model.limits import PAIRING_CONNECTIONS_MAX
from roost.runtime.pairing import pairing
from roost.runtime.pairing.channel import Channel, RefusedByInviter
from roost.runtime.pairing.pairing import LIFETIME_S, WRONG_GUESSES_MAX, Invitation, join
from roost.runtime.pairing.search import find_inviters
from roost.wire.trust.cluster_keys import ClusterId, ClusterKey, Keyring
from roost.wire.trust.exchange import ENTROPY_BYTES, Exchange, Purpose
from roost.wire.trust.invitations import InvitationCode
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

T = TypeVar("T")
PATIENCE_S = 20.0
#: For those who are kept waiting on purpose.
IMPATIENCE_S = 0.3
OAK = NodeId("oak")
OAK_COMES = Introduction(OAK)
ADMISSION = Admission(
    Keyring(ClusterId("c1"), "attic", (ClusterKey(1, b"1" * 32), ClusterKey(2, b"2" * 32))),
    NodeId("ash"),
    ("10.0.0.1:4711", "10.0.0.2:4711"),
    NodeId("oak"),
)


class Inviter:
    """A person who invites: hears notes, and has a clock that can be moved."""

    def __init__(self, patience_s: float) -> None:
        self.now = 1000.0
        self.notes: list[str] = []
        self.invitation = Invitation(
            lambda _: ADMISSION, note=self.notes.append, clock=lambda: self.now, patience_s=patience_s
        )

    @property
    def code(self) -> InvitationCode:
        return self.invitation.code

    @property
    def wrong_code(self) -> InvitationCode:
        return InvitationCode(self.code.number, self.code.password[::-1])

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.invitation.port

    async def channel(self) -> Channel:
        return Channel(*await asyncio.open_connection(*self.address))


def invited(scenario: Callable[[Inviter], Awaitable[T]], *, patience_s: float = PATIENCE_S, search_port: int = 0) -> T:
    """Play a scenario around an open invitation, and close it."""

    async def play() -> T:
        inviter = Inviter(patience_s)
        await inviter.invitation.open("127.0.0.1", search_port=search_port)
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await scenario(inviter)
        finally:
            await inviter.invitation.close()

    return asyncio.run(play())


async def until(condition: Callable[[], bool]) -> None:
    """Let others go on until it holds; the scenario's patience is the limit."""
    for _ in iter(condition, True):
        await asyncio.sleep(0)


def test_who_knows_the_code_gets_everything_that_a_node_needs() -> None:
    async def scenario(inviter: Inviter) -> tuple[Admission, NodeId]:
        return await join(inviter.code, OAK_COMES, [inviter.address]), await inviter.invitation.outcome()

    assert invited(scenario) == (ADMISSION, OAK)


def test_an_invitation_can_be_used_once() -> None:
    async def scenario(inviter: Inviter) -> None:
        await join(inviter.code, OAK_COMES, [inviter.address])
        await inviter.invitation.outcome()
        with pytest.raises(Unavailable, match=r"127.0.0.1:\d+ did not let this one in: the invitation was used"):
            await join(inviter.code, OAK_COMES, [inviter.address])

    invited(scenario)


def test_a_wrong_code_is_one_sentence_on_both_sides_and_the_right_one_still_works() -> None:
    async def scenario(inviter: Inviter) -> None:
        with pytest.raises(InvalidInput, match=r"did not let this one in: the code is wrong; check every letter"):
            await join(inviter.wrong_code, OAK_COMES, [inviter.address])
        assert inviter.notes == ["127.0.0.1 tried a wrong code (1 of 3)"]
        assert await join(inviter.code, OAK_COMES, [inviter.address]) == ADMISSION

    invited(scenario)


def test_three_wrong_codes_end_the_invitation_also_for_the_right_one() -> None:
    async def scenario(inviter: Inviter) -> None:
        for _ in range(WRONG_GUESSES_MAX):
            with pytest.raises(InvalidInput, match="the code is wrong"):
                await join(inviter.wrong_code, OAK_COMES, [inviter.address])
        with pytest.raises(Unavailable, match="guessed wrong too often; ask for a new one"):
            await join(inviter.code, OAK_COMES, [inviter.address])
        with pytest.raises(Unavailable, match="3 wrong codes were tried; the invitation is void, make a new one"):
            await inviter.invitation.outcome()
        assert inviter.notes[-1] == "127.0.0.1 tried a wrong code (3 of 3)"

    invited(scenario)


async def prove(channel: Channel, code: InvitationCode, ready: asyncio.Barrier) -> None:
    """Say that the code is known, and hear it confirmed; all who wait at the barrier have begun before."""
    exchange = Exchange.joiner(code, secrets.token_bytes(ENTROPY_BYTES))
    await channel.send(Hello(PAIRING_VERSION, code.number, exchange.element))
    keys = exchange.finish((await channel.receive(Reply)).element)
    await ready.wait()
    await channel.send(Confirm(keys.proof(Purpose.JOINER_PROOF)))
    await channel.receive(Confirm)


async def guess(inviter: Inviter, code: InvitationCode, ready: asyncio.Barrier) -> Reason | None:
    """Prove the code, and leave; return the reason if it is refused."""
    channel = await inviter.channel()
    try:
        await prove(channel, code, ready)
    except RefusedByInviter as refused:
        return refused.reason
    finally:
        await channel.close()
    return None


def test_guesses_side_by_side_are_counted_one_by_one() -> None:
    async def scenario(inviter: Inviter) -> list[Reason | None]:
        ready = asyncio.Barrier(PAIRING_CONNECTIONS_MAX)
        guesses = [guess(inviter, inviter.wrong_code, ready) for _ in range(PAIRING_CONNECTIONS_MAX)]
        return await asyncio.gather(*guesses)

    refused = invited(scenario)
    assert refused.count(Reason.WRONG_CODE) == WRONG_GUESSES_MAX
    assert refused.count(Reason.VOID) == PAIRING_CONNECTIONS_MAX - WRONG_GUESSES_MAX


def test_while_one_machine_is_let_in_no_other_is() -> None:
    async def scenario(inviter: Inviter) -> None:
        first = await inviter.channel()
        await prove(first, inviter.code, asyncio.Barrier(1))
        with pytest.raises(Unavailable, match="another machine is being admitted; try again in a moment"):
            await join(inviter.code, OAK_COMES, [inviter.address])
        await first.close()

    invited(scenario)


def test_an_expired_invitation_refuses_the_right_code() -> None:
    async def scenario(inviter: Inviter) -> None:
        inviter.now += LIFETIME_S
        with pytest.raises(Unavailable, match="the invitation has expired; ask for a new one with 'roost invite'"):
            await join(inviter.code, OAK_COMES, [inviter.address])
        with pytest.raises(Unavailable, match="nobody has used the invitation in time"):
            await inviter.invitation.outcome()

    invited(scenario)


def test_an_invitation_expires_also_in_the_middle_of_a_conversation() -> None:
    async def scenario(inviter: Inviter) -> Reason | None:
        ready = asyncio.Barrier(2)
        guessing = asyncio.ensure_future(guess(inviter, inviter.code, ready))
        await until(lambda: ready.n_waiting == 1)
        inviter.now += LIFETIME_S
        await ready.wait()
        return await guessing

    assert invited(scenario) is Reason.EXPIRED


def test_an_invitation_just_before_its_end_is_still_good() -> None:
    async def scenario(inviter: Inviter) -> Admission:
        inviter.now += LIFETIME_S - 1
        return await join(inviter.code, OAK_COMES, [inviter.address])

    assert invited(scenario) == ADMISSION


def test_a_connection_that_breaks_before_the_receipt_may_be_tried_again() -> None:
    async def scenario(inviter: Inviter) -> Admission:
        assert await guess(inviter, inviter.code, asyncio.Barrier(1)) is None
        await until(lambda: not inviter.invitation._admitting)
        return await join(inviter.code, OAK_COMES, [inviter.address])

    assert invited(scenario) == ADMISSION


def test_the_keys_do_not_travel_in_the_open() -> None:
    """A proxy between the two sees all bytes: neither keys nor the password nor names are among them."""
    seen = bytearray()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(4096):
            seen.extend(data)
            writer.write(data)
        writer.close()

    async def scenario(inviter: Inviter) -> None:
        async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            onward = await asyncio.open_connection(*inviter.address)
            await asyncio.gather(pump(reader, onward[1]), pump(onward[0], writer))

        proxy = await asyncio.start_server(forward, "127.0.0.1", 0)
        assert await join(inviter.code, OAK_COMES, [proxy.sockets[0].getsockname()]) == ADMISSION
        proxy.close()
        secrets_ = [key.secret for key in ADMISSION.keyring.keys]
        for secret in (*secrets_, inviter.code.password.encode(), b"attic", b"10.0.0.1", b"oak"):
            assert secret not in seen
        assert len(seen) > 300

    invited(scenario)


def test_the_first_candidate_that_holds_the_invitation_is_taken() -> None:
    async def scenario(inviter: Inviter) -> Admission:
        another = Inviter(PATIENCE_S)
        await another.invitation.open("127.0.0.1", search_port=0)
        try:
            return await join(inviter.code, OAK_COMES, [("127.0.0.1", closed_port()), another.address, inviter.address])
        finally:
            await another.invitation.close()

    assert invited(scenario) == ADMISSION


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.mark.parametrize(
    ("candidates", "sentence"),
    [
        ([], "no machine answers for invitation 4821; check that 'roost invite' still runs there"),
        ([("127.0.0.1", closed_port())], r"at 127.0.0.1:\d+ cannot be joined: .*; check the address"),
        ([("no-such-host.invalid", 1)], "at no-such-host.invalid:1 cannot be joined: .*; check the address"),
    ],
)
def test_a_machine_that_cannot_be_reached_is_one_sentence(candidates: list[tuple[str, int]], sentence: str) -> None:
    with pytest.raises(Unavailable, match=sentence):
        asyncio.run(join(InvitationCode(4821, "kedovami-ributano"), OAK_COMES, candidates))


def test_an_invitation_of_another_number_is_not_guessed_at() -> None:
    async def scenario(inviter: Inviter) -> None:
        other = InvitationCode(inviter.code.number % 9000 + 1000, inviter.code.password)
        with pytest.raises(Unavailable, match="it holds no invitation of that number"):
            await join(other, OAK_COMES, [inviter.address])
        assert inviter.notes == []

    invited(scenario)


def test_a_silent_inviter_is_given_up() -> None:
    async def scenario() -> None:
        silent = socket.create_server(("127.0.0.1", 0))
        with silent, pytest.raises(Unavailable, match="it does not answer; check that 'roost invite' still runs"):
            await join(InvitationCode(4821, "x"), OAK_COMES, [silent.getsockname()], patience_s=IMPATIENCE_S)

    asyncio.run(scenario())


def test_a_silent_guest_is_shown_out() -> None:
    async def scenario(inviter: Inviter) -> bytes:
        reader, writer = await asyncio.open_connection(*inviter.address)
        writer.write(b"\0\0")
        left = await reader.read()
        writer.close()
        return left

    assert invited(scenario, patience_s=IMPATIENCE_S) == b""


def test_an_impostor_that_does_not_know_the_code_gets_nothing() -> None:
    async def impostor(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        channel = Channel(reader, writer)
        hello = await channel.receive(Hello)
        exchange = Exchange.inviter(InvitationCode(hello.number, "guess"), secrets.token_bytes(ENTROPY_BYTES))
        keys = exchange.finish(hello.element)
        await channel.send(Reply(exchange.element))
        await channel.receive(Confirm)
        await channel.send(Confirm(keys.proof(Purpose.INVITER_PROOF)))
        assert await reader.read() == b""
        await channel.close()

    async def scenario() -> None:
        server = await asyncio.start_server(impostor, "127.0.0.1", 0)
        with pytest.raises(InvalidInput, match="the code is wrong"):
            await join(InvitationCode(4821, "kedovami"), OAK_COMES, [server.sockets[0].getsockname()])
        server.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("noise", [b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\x05hello", b"\xff" * 5000, b"\0\0\0\0"])
def test_garbage_does_not_disturb_an_invitation(noise: bytes) -> None:
    async def scenario(inviter: Inviter) -> Admission:
        for _ in range(20):
            reader, writer = await asyncio.open_connection(*inviter.address)
            writer.write(noise)
            # It is cut, perhaps with bytes left unread.
            with contextlib.suppress(ConnectionResetError):
                assert await reader.read() == b""
            writer.close()
        return await join(inviter.code, OAK_COMES, [inviter.address])

    assert invited(scenario) == ADMISSION


def test_garbage_at_any_place_of_the_conversation_changes_nothing() -> None:
    async def scenario(inviter: Inviter) -> Admission:
        for message in (Hello(PAIRING_VERSION, inviter.code.number, b"A" * 33), Sealed(b""), Refused(Reason.VOID)):
            channel = await inviter.channel()
            await channel.send(message)
            with pytest.raises(PeerError):
                await channel.receive(Reply)
            await channel.close()
        return await join(inviter.code, OAK_COMES, [inviter.address])

    assert invited(scenario) == ADMISSION


def test_another_version_is_told_so() -> None:
    async def scenario(inviter: Inviter) -> None:
        channel = await inviter.channel()
        await channel.send(Hello(PAIRING_VERSION + 1, inviter.code.number, b""))
        with pytest.raises(RefusedByInviter, match="another version of Roost"):
            await channel.receive(Reply)
        await channel.close()

    invited(scenario)


def test_strangers_who_only_hold_connections_keep_nobody_out(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(inviter: Inviter) -> Admission:
        idle = [await asyncio.open_connection(*inviter.address) for _ in range(3 * PAIRING_CONNECTIONS_MAX)]
        admission = await join(inviter.code, OAK_COMES, [inviter.address])
        assert await idle[0][0].read() == b"", "who waited longest made room"
        for _, idler in idle:
            idler.close()
        return admission

    assert invited(scenario) == ADMISSION
    assert "Traceback" not in caplog.text


def test_whoever_has_named_the_invitation_makes_room_for_nobody() -> None:
    async def scenario(inviter: Inviter) -> None:
        channel = await inviter.channel()
        exchange = Exchange.joiner(inviter.code, bytes(ENTROPY_BYTES))
        await channel.send(Hello(PAIRING_VERSION, inviter.code.number, exchange.element))
        keys = exchange.finish((await channel.receive(Reply)).element)
        idle = [await asyncio.open_connection(*inviter.address) for _ in range(2 * PAIRING_CONNECTIONS_MAX)]
        await until(lambda: inviter.invitation._waiting.shown_out > 0)
        await channel.send(Confirm(keys.proof(Purpose.JOINER_PROOF)))
        assert keys.proves(Purpose.INVITER_PROOF, (await channel.receive(Confirm)).proof)
        await channel.close()
        for _, idler in idle:
            idler.close()

    invited(scenario)


def test_an_invitation_that_is_asked_for_too_often_is_void(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "PAIRING_EXCHANGES_MAX", 2)

    async def scenario(inviter: Inviter) -> None:
        for _ in range(2):
            await guess(inviter, inviter.wrong_code, asyncio.Barrier(1))
        assert await guess(inviter, inviter.code, asyncio.Barrier(1)) is Reason.VOID
        with pytest.raises(Unavailable, match="too many machines asked"):
            await inviter.invitation.outcome()

    invited(scenario)


def test_a_withdrawn_invitation_cannot_be_used_and_who_waits_for_it_hears_so() -> None:
    async def scenario(inviter: Inviter) -> None:
        waiting = asyncio.ensure_future(inviter.invitation.outcome())
        code, address = inviter.code, inviter.address
        await asyncio.sleep(0)
        await inviter.invitation.close()
        with pytest.raises(Unavailable, match="the invitation was withdrawn"):
            await waiting
        with pytest.raises(Unavailable, match="cannot be joined"):
            await join(code, OAK_COMES, [address])

    invited(scenario)


def test_an_invitation_is_found_and_used_by_its_number_alone() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("", 0))
        search_port = probe.getsockname()[1]

    async def play() -> Admission:
        inviter = Inviter(PATIENCE_S)
        await inviter.invitation.open(search_port=search_port)
        try:
            found = await find_inviters(inviter.code.number, port=search_port, patience_s=PATIENCE_S)
            return await join(inviter.code, OAK_COMES, found)
        finally:
            await inviter.invitation.close()

    assert asyncio.run(play()) == ADMISSION


def test_a_port_that_is_taken_is_one_sentence_and_without_the_search_port_it_goes_on() -> None:
    async def play() -> list[str]:
        inviter = Inviter(PATIENCE_S)
        with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(Unavailable, match="cannot listen on port"):
            await inviter.invitation.open("127.0.0.1", taken.getsockname()[1])
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("", 0))
            await inviter.invitation.open("127.0.0.1", search_port=other.getsockname()[1])
        assert await join(inviter.code, OAK_COMES, [inviter.address]) == ADMISSION
        await inviter.invitation.close()
        return inviter.notes

    [note] = asyncio.run(play())
    assert "cannot be searched for" in note


def test_a_name_that_is_none_is_refused_before_anyone_is_asked() -> None:
    with pytest.raises(InvalidInput, match="a node's name"):
        asyncio.run(join(InvitationCode(4821, "x"), Introduction(NodeId("")), []))
