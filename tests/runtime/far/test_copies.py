"""What was handed in is on as many disks as it shall be, or it is known that it is not."""

import asyncio
from hashlib import blake2b
from pathlib import Path

import pytest

from roost.core.events import DrainAsked
from roost.model.ids import NodeId
from roost.runtime.data.handed_in import HandedIn
from roost.runtime.far import copies
from roost.runtime.far.whom import whom_to_ask
from roost.wire.messages import HaveContent, KeepContent, Question, Told
from tests.runtime.driving import NODE, RUN
from tests.runtime.far.bench import ELM, FIR, OAK, Bench, bench, nothing, silence

CONTENT = b"handed in here"
NAME, SIZE = blake2b(CONTENT, digest_size=16).hexdigest(), len(CONTENT)
GIVEN = HandedIn(NAME, SIZE, RUN, NODE)
HAVE = HaveContent(NAME)


def keeps(question: Question) -> Told:
    """Make a copy when asked to; so far there is none."""
    return Told(0, size=SIZE if question == KeepContent(NAME, SIZE) else None)


def has(question: Question) -> Told:
    assert question == HAVE, "who has it need not be asked to keep it"
    return Told(0, size=SIZE)


def put(at: Bench) -> None:
    """Let the content be on this node's disk."""
    (at.places.blobs / NAME).write_bytes(CONTENT)


def asked_to_keep(at: Bench) -> list[NodeId]:
    return [node for node, question in at.asked if question == KeepContent(NAME, SIZE)]


def drain(at: Bench) -> None:
    at.driver.feed(DrainAsked(on=True, at_once=False))


def test_others_are_asked_to_keep_a_copy_until_one_does(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            keep = at.reach.copies.keep
            assert await keep(GIVEN) == 1, "nobody is there"
            at.meet(ELM, nothing)
            assert await keep(GIVEN) == 1
            at.meet(OAK, keeps)
            assert await keep(GIVEN) == 2
            at.answers[ELM] = keeps
            at.asked.clear()
            assert await keep(GIVEN) == 2
            assert len(at.asked) == 1, "two disks are enough"
            at.meet(FIR, keeps)
            assert await keep(GIVEN, 3) == 3

    asyncio.run(scenario())


def test_who_does_not_answer_in_time_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "KEEPING_S", 0.01)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, silence)
            at.meet(OAK, silence)
            at.meet(FIR, silence)
            assert await at.reach.copies.keep(GIVEN) == 1
            assert len(at.asked) == 1 + copies.SPARE

    asyncio.run(scenario())


def test_a_copy_that_is_lacking_is_made_by_the_next_in_order_and_only_then(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            put(at)
            for node in (ELM, FIR, OAK):
                at.meet(node, keeps)
            first, second, third = whom_to_ask([], RUN, [ELM, FIR, OAK])
            at.answers[first] = nothing
            assert await at.reach.copies.restore(GIVEN)
            assert asked_to_keep(at) == [first, second], "who has no room is left out for the next"
            at.asked.clear()
            # The likely ones do not have it, and the last of all does.
            at.answers[third] = has
            assert await at.reach.copies.restore(GIVEN)
            assert asked_to_keep(at) == []

    asyncio.run(scenario())


def test_who_knows_of_a_content_and_has_none_sees_to_it_as_well(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, has, CONTENT)
            # There is nobody else, so that it comes here.
            assert await at.reach.copies.restore(GIVEN)
            assert (at.places.blobs / NAME).read_bytes() == CONTENT
            (at.places.blobs / NAME).unlink()
            given = HandedIn(NAME, SIZE, RUN, OAK)
            at.meet(OAK, keeps)
            assert await at.reach.copies.restore(given)
            assert asked_to_keep(at) == [OAK], "it is likely to be where it was handed in"
            assert not (at.places.blobs / NAME).exists()

    asyncio.run(scenario())


def test_what_nobody_has_is_not_lacking_and_what_nobody_keeps_is(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing)
            assert await at.reach.copies.restore(GIVEN)
            assert asked_to_keep(at) == []
            put(at)
            assert not await at.reach.copies.restore(GIVEN)
            assert asked_to_keep(at) == [ELM]

    asyncio.run(scenario())


def test_neither_this_node_nor_another_counts_while_it_drains(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            put(at)
            at.meet(ELM, has)
            at.meet(OAK, nothing)
            at.node.peers.said(ELM, drains=True)
            assert not await at.reach.copies.restore(GIVEN), "only this disk stays"
            assert asked_to_keep(at) == [OAK]
            at.node.peers.said(ELM, drains=False)
            drain(at)
            assert await at.reach.copies.restore(GIVEN)
            at.answers[ELM] = nothing
            assert not await at.reach.copies.restore(GIVEN)

    asyncio.run(scenario())


def test_what_is_handed_in_is_kept_by_a_node_that_stays_if_there_is_one(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            first, second = whom_to_ask([], RUN, [ELM, OAK])
            for node in (ELM, OAK):
                at.meet(node, keeps)
            at.node.peers.said(first, drains=True)
            assert await at.reach.copies.keep(GIVEN) == 2
            assert asked_to_keep(at) == [second]

    asyncio.run(scenario())
