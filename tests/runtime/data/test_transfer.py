"""One content from several nodes: whatever one of them does wrong, the others make good."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from roost.model.ids import NodeId
from roost.model.limits import CONTENT_SOURCES_MAX, CONTENT_WINDOW_CHUNKS
from roost.runtime.data import chunks
from roost.runtime.data import transfer as transfer_module
from roost.runtime.data.partial import Partial
from roost.runtime.data.transfer import WRONG_MAX, Transfer
from roost.wire.content import ChunkOf, ContentQuestion, Given, HashesOf
from tests.runtime.data.supply import (
    ELM,
    FIR,
    OAK,
    Fault,
    Supply,
    another_size,
    name_of,
    slow,
    some_content,
    stalls,
    too_little,
    too_much,
    wrong_at,
    wrong_hashes,
)

CONTENT = some_content(20.5)
NAME = name_of(CONTENT)
T = TypeVar("T")


async def in_thread(do: Callable[..., T], /, *args: object) -> T:
    return await asyncio.to_thread(do, *args)


class Receiver:
    def __init__(self, folder: Path, supply: Supply, content: bytes = CONTENT) -> None:
        self.folder = folder / "blobs"
        self.folder.mkdir(exist_ok=True)
        self._supply = supply
        self._content = content
        self.transfer: Transfer | None = None

    async def bring(self, *nodes: NodeId) -> bool:
        """Bring it, and keep it if it is whole; return whether it is."""
        name = name_of(self._content)
        with Partial(self.folder / name, len(self._content)) as partial:
            self.transfer = Transfer(name, len(self._content), partial, self._supply.carry, in_thread)
            whole = await self.transfer.bring(nodes, self._supply.has_it)
            return whole and partial.keep()

    @property
    def files(self) -> list[bytes]:
        return [path.read_bytes() for path in self.folder.iterdir()]


@pytest.fixture
def supply(tmp_path: Path) -> Supply:
    return Supply(tmp_path, CONTENT)


@pytest.fixture
def receiver(tmp_path: Path, supply: Supply) -> Receiver:
    return Receiver(tmp_path, supply)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer_module, "OVERDUE_S", 0.02)


def test_a_content_comes_whole_from_one_node_each_chunk_once(receiver: Receiver, supply: Supply) -> None:
    supply.has(ELM)
    assert asyncio.run(receiver.bring(ELM))
    assert receiver.files == [CONTENT]
    assert sorted(supply.chunks_of(ELM)) == list(range(21))
    assert receiver.transfer is not None
    assert receiver.transfer.bytes_here == len(CONTENT)


@pytest.mark.parametrize("count", [0, 0.01, 1, 1.5, 64, 65], ids=str)
def test_contents_of_any_size_come(tmp_path: Path, count: float) -> None:
    content = some_content(count)
    supply = Supply(tmp_path, content)
    supply.has(ELM)
    receiver = Receiver(tmp_path, supply, content)
    assert asyncio.run(receiver.bring(ELM))
    assert receiver.files == [content]


def test_a_content_of_one_chunk_needs_one_question(tmp_path: Path) -> None:
    content = some_content(1)
    supply = Supply(tmp_path, content)
    supply.has(ELM)
    assert asyncio.run(Receiver(tmp_path, supply, content).bring(ELM))
    assert supply.asked == [(ELM, ChunkOf(name_of(content), 0))]


def test_several_nodes_share_the_work_and_the_quick_one_gives_more(receiver: Receiver, supply: Supply) -> None:
    supply.has(ELM)
    supply.has(OAK, slow(0.1))
    assert asyncio.run(receiver.bring(OAK, ELM))
    assert receiver.files == [CONTENT]
    assert 0 < len(supply.chunks_of(OAK)) < len(supply.chunks_of(ELM))
    assert len(supply.chunks_of(OAK)) + len(supply.chunks_of(ELM)) == 21, "nothing is asked for twice without need"


def test_a_node_is_asked_for_few_chunks_at_a_time(receiver: Receiver, supply: Supply) -> None:
    open_now, most = 0, 0

    async def counts(question: ContentQuestion, given: Given) -> Given:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        await asyncio.sleep(0.001)
        open_now -= 1
        return given

    supply.has(ELM, counts)
    assert asyncio.run(receiver.bring(ELM))
    assert most == CONTENT_WINDOW_CHUNKS


def test_few_nodes_are_asked_at_a_time_and_the_next_when_one_has_nothing(receiver: Receiver, supply: Supply) -> None:
    others = [NodeId(f"node{number}") for number in range(3 * CONTENT_SOURCES_MAX)]
    supply.has(others[-1])
    assert asyncio.run(receiver.bring(*others))
    supply.asked.clear()
    for node in others:
        supply.has(node)
    asyncio.run(receiver.bring(*others))
    assert {node for node, _ in supply.asked} <= set(others[:CONTENT_SOURCES_MAX])


def test_what_a_node_that_dies_was_asked_for_the_others_give(receiver: Receiver, supply: Supply) -> None:
    supply.has(ELM, supply.dies_after(ELM, 3))
    supply.has(OAK, slow(0.001))
    assert asyncio.run(receiver.bring(ELM, OAK))
    assert receiver.files == [CONTENT]


def test_when_the_only_node_dies_what_came_is_not_asked_for_again(receiver: Receiver, supply: Supply) -> None:
    supply.has(ELM, supply.dies_after(ELM, 9))
    assert not asyncio.run(receiver.bring(ELM))
    assert NAME not in [path.name for path in receiver.folder.iterdir()], "it appears whole or not at all"
    supply.lacks(ELM)
    assert not asyncio.run(receiver.bring(ELM)), "it is asked for in vain meanwhile"
    supply.asked.clear()
    supply.has(ELM)
    assert asyncio.run(receiver.bring(ELM))
    assert receiver.files == [CONTENT]
    assert len(supply.chunks_of(ELM)) == 21 - 9


def test_what_was_damaged_of_what_came_before_is_brought_again(receiver: Receiver, supply: Supply) -> None:
    supply.has(ELM, supply.dies_after(ELM, 9))
    assert not asyncio.run(receiver.bring(ELM))
    (partial,) = receiver.folder.iterdir()
    content = bytearray(partial.read_bytes())
    content[5 * 2**20 + 7] ^= 1
    partial.write_bytes(content)
    supply.asked.clear()
    supply.has(ELM)
    assert asyncio.run(receiver.bring(ELM))
    assert receiver.files == [CONTENT]
    assert 5 in supply.chunks_of(ELM)
    assert 4 not in supply.chunks_of(ELM)


@pytest.mark.usefixtures("impatient")
def test_a_chunk_that_does_not_come_is_asked_for_elsewhere(receiver: Receiver, supply: Supply) -> None:
    supply.has(ELM, stalls)
    supply.has(OAK)
    assert asyncio.run(receiver.bring(ELM, OAK))
    assert receiver.files == [CONTENT]
    assert set(supply.chunks_of(ELM)) <= set(supply.chunks_of(OAK))
    assert len(supply.chunks_of(ELM)) <= CONTENT_WINDOW_CHUNKS


def test_a_wrong_chunk_is_missing_there_and_comes_from_another(receiver: Receiver, supply: Supply) -> None:
    supply.has(ELM, wrong_at(3, 7))
    assert not asyncio.run(receiver.bring(ELM))
    assert supply.chunks_of(ELM).count(3) == 1, "it is not asked for again where it was wrong"
    assert receiver.transfer is not None
    assert receiver.transfer.is_disputed
    assert receiver.transfer.holders == [ELM]
    supply.has(OAK)
    supply.asked.clear()
    assert asyncio.run(receiver.bring(ELM, OAK))
    assert receiver.files == [CONTENT]
    assert {3, 7} <= set(supply.chunks_of(OAK))


def test_a_node_with_many_wrong_chunks_is_done_with(receiver: Receiver, supply: Supply) -> None:
    supply.has(ELM, wrong_at(*range(21)))
    assert not asyncio.run(receiver.bring(ELM))
    assert len(supply.chunks_of(ELM)) < WRONG_MAX + CONTENT_WINDOW_CHUNKS


@pytest.mark.parametrize("fault", [too_much, too_little, another_size])
def test_a_node_that_gives_too_much_or_too_little_gives_nothing(
    receiver: Receiver, supply: Supply, fault: Fault
) -> None:
    supply.has(ELM, fault)
    assert not asyncio.run(receiver.bring(ELM))
    supply.has(OAK)
    assert asyncio.run(receiver.bring(ELM, OAK))
    assert receiver.files == [CONTENT]


def test_wrong_hashes_are_found_out_by_the_whole(receiver: Receiver, supply: Supply) -> None:
    supply.has(ELM, wrong_hashes)
    assert not asyncio.run(receiver.bring(ELM))
    assert receiver.transfer is not None
    assert receiver.transfer.bytes_here == len(CONTENT)
    assert NAME not in [path.name for path in receiver.folder.iterdir()]


def test_a_disk_that_refuses_ends_it_at_once(
    receiver: Receiver, supply: Supply, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bool:
        raise OSError(28, "No space left on device")

    supply.has(ELM, slow(0.01))
    monkeypatch.setattr(Partial, "write", refuse)
    with pytest.raises(OSError, match="No space left"):
        asyncio.run(receiver.bring(ELM))
    assert len(supply.chunks_of(ELM)) <= 2 * CONTENT_WINDOW_CHUNKS


def test_nobody_has_it(receiver: Receiver, supply: Supply) -> None:
    assert not asyncio.run(receiver.bring(ELM, FIR))
    assert supply.asked == []


def test_hashes_are_asked_for_ahead_of_the_chunks(
    receiver: Receiver, supply: Supply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CONTENT_LISTED_CHUNKS", 16)
    monkeypatch.setattr(transfer_module, "CONTENT_LISTED_CHUNKS", 16)
    monkeypatch.setattr(transfer_module, "_AHEAD_CHUNKS", 8)
    supply.has(ELM)
    assert asyncio.run(receiver.bring(ELM))
    second = supply.asked.index((ELM, HashesOf(NAME, 16)))
    assert len([1 for _, question in supply.asked[:second] if isinstance(question, ChunkOf)]) < 16
