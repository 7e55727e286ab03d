"""What was handed in is on as many disks as it shall be, or it is known that it is not."""

import asyncio
from pathlib import Path

import pytest

from roost.runtime.far import copies
from roost.wire.messages import KeepContent, Question, Told
from tests.runtime.driving import RUN
from tests.runtime.far.bench import ELM, FIR, OAK, bench, nothing, silence

NAME, SIZE = "ab" * 16, 12


def keeps(question: Question) -> Told:
    assert question == KeepContent(NAME, SIZE)
    return Told(0, size=SIZE)


def test_others_are_asked_to_keep_a_copy_until_one_does(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            keep = at.reach.copies.keep
            assert await keep(NAME, SIZE, RUN) == 1, "nobody is there"
            at.meet(ELM, nothing)
            assert await keep(NAME, SIZE, RUN) == 1
            at.meet(OAK, keeps)
            assert await keep(NAME, SIZE, RUN) == 2
            at.answers[ELM] = keeps
            at.asked.clear()
            assert await keep(NAME, SIZE, RUN) == 2
            assert len(at.asked) == 1, "two disks are enough"
            at.meet(FIR, keeps)
            assert await keep(NAME, SIZE, RUN, 3) == 3

    asyncio.run(scenario())


def test_who_does_not_answer_in_time_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "KEEPING_S", 0.01)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, silence)
            at.meet(OAK, silence)
            at.meet(FIR, silence)
            assert await at.reach.copies.keep(NAME, SIZE, RUN) == 1
            assert len(at.asked) == 1 + copies.SPARE

    asyncio.run(scenario())
