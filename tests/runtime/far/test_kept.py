"""What other nodes keep is taken over if it is whole and what it says it is, and nobody waits for it for long."""

import asyncio
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roost.executors.reuse.entries import digest
from roost.model.ids import RunId, TaskId, task_id
from roost.runtime.far import kept as far_kept
from roost.wire.messages import KeptResult, KeptUnder, Question, Told
from roost.wire.values import CommandResult, encode_command_result
from tests.runtime.driving import TASK
from tests.runtime.far.bench import ELM, OAK, Answer, bench, done_by, nothing, silence
from tests.tokens import attempt

EARLIER = TaskId("3-earlie/work")
NEXT, NOW = RunId("9-bababa"), task_id(RunId("9-bababa"), "work")
WANTED = {0: b"k0", 1: b"k1", 2: b"k2"}
FILE = b"the content of a file"
NAME = blake2b(FILE, digest_size=16).hexdigest()
VALUE = encode_command_result(CommandResult(stdout=b"x", stdout_whole=("ab", 3), files={"out": (NAME, len(FILE))}))


def result(index: int, value: bytes = b'"value"', **more: Any) -> KeptResult:
    one = KeptResult(index, EARLIER, index, attempt(1), ELM, value, digest(value).hex(), -1)
    return msgspec.structs.replace(one, **more)


def keeping(*results: KeptResult, at_a_time: int = 10) -> Answer:
    def answer(question: Question) -> Told:
        match question:
            case KeptUnder(wanted=wanted):
                found = [one for one in results if one.index in dict(wanted)]
                return Told(0, kept=tuple(found[:at_a_time]), more=len(found) > at_a_time)
        raise AssertionError(question)

    return answer


def test_all_are_asked_and_an_answer_that_was_cut_is_asked_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            assert at.reach.kept.is_alone
            at.meet(ELM, keeping(result(0), result(1), at_a_time=1))
            at.meet(OAK, nothing)
            assert not at.reach.kept.is_alone
            asked = await at.reach.kept.ask(NEXT, WANTED)
            assert {index: (offer.node, offer.kept.element) for index, offer in asked.offers.items()} == {
                0: (ELM, 0),
                1: (ELM, 1),
            }
            assert (asked.nodes, asked.silent) == ((ELM, OAK), ())
            assert sorted(at.whom()) == [ELM, ELM, OAK]
            at.meet(OAK, keeping(result(2)))
            await at.reach.kept.ask(NEXT, {2: b"k2"})
            assert (await at.reach.kept.ask(NEXT, {7: b"k7"})).nodes == (ELM, OAK)

    asyncio.run(scenario())


def test_who_is_silent_costs_the_patience_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(far_kept, "PATIENCE_S", 0.01)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, keeping(result(0)))
            at.meet(OAK, silence)
            asked = await at.reach.kept.ask(NEXT, WANTED)
            assert (list(asked.offers), asked.silent) == ([0], (OAK,))
            again = await at.reach.kept.ask(NEXT, WANTED)
            assert (again.nodes, again.silent) == ((ELM,), ())
            monkeypatch.setattr(far_kept, "REST_S", 0.0)
            at.reach.kept._resting.clear()
            for _ in range(2):
                assert (await at.reach.kept.ask(NEXT, WANTED)).silent == (OAK,), "it has rested"

    asyncio.run(scenario())


def test_what_is_something_else_than_it_says_does_not_count(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            wrong = result(0, content="ab" * 16)
            unasked, outdated = result(9), result(1, task=TASK, element=4, token=attempt(7))
            at.meet(ELM, keeping(wrong, unasked, outdated, result(2, task=TASK, element=5)))
            at.learn(done_by(ELM, "4-5"))
            assert list((await at.reach.kept.ask(NEXT, WANTED)).offers) == [2]

    asyncio.run(scenario())


def test_files_and_logs_are_brought_and_what_lacks_some_is_left(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, keeping(result(0, VALUE, logs=("stdout",)), result(1)), FILE)
            at.disks[ELM]["stdout"] = b"a long log"
            asked = await at.reach.kept.ask(NEXT, WANTED)
            assert list(await at.reach.kept.bring(asked.offers, NOW)) == [0, 1]
            assert at.places.blob_path(NAME).read_bytes() == FILE
            log = at.places.log_path(NOW, 0, "stdout")
            assert log.read_bytes() == b"a long log"
            assert list(log.parent.iterdir()) == [log]
            del at.disks[ELM]["stdout"]
            assert list(await at.reach.kept.bring(asked.offers, NOW)) == [1]
            assert await at.reach.kept.bring({}, NOW) == {}

    asyncio.run(scenario())


def test_what_does_not_come_in_time_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(far_kept, "BRING_S", 0.01)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, keeping(result(0, VALUE), result(1)))
            asked = await at.reach.kept.ask(NEXT, WANTED)
            at.answers[ELM] = silence
            assert list(await at.reach.kept.bring(asked.offers, NOW)) == [1]

    asyncio.run(scenario())
