"""Each node's reasons why it does not start what is ready, gathered for a person."""

import asyncio
from pathlib import Path

import pytest

from roost.model.ids import NodeId, TaskId
from roost.model.limits import NAMED_MAX, REASON_TEXT_MAX, REASONS_MAX
from roost.wire.messages import ReasonsOf, Told
from tests.runtime.driving import TASK
from tests.runtime.far.bench import ELM, FIR, OAK, Answer, bench, done_by, nothing, silence

OTHER = TaskId("1-bababa/other")


def saying(*reasons: str) -> Answer:
    return lambda _: Told(0, reasons=((TASK, reasons), (OTHER, ("not asked for",))))


def test_all_others_are_asked_and_who_is_silent_is_told_from_who_knows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roost.runtime.far.reasons.PATIENCE_S", 0.05)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, saying("no room"))
            at.meet(FIR, silence)
            at.meet(OAK, nothing)
            at.learn()
            told = await at.reach.reasons.gather([TASK, OTHER], None)
            assert told == {TASK: {ELM: ["no room"], FIR: None, OAK: []}}
            assert sorted(at.asked) == [(node, ReasonsOf((TASK,))) for node in (ELM, FIR, OAK)]

    asyncio.run(scenario())


def test_nobody_is_asked_if_nothing_is_ready(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, saying("no room"))
            at.learn(done_by(ELM, "0-4"))
            assert await at.reach.reasons.gather([TASK], 3) == {}
            assert at.asked == []
            assert await at.reach.reasons.gather([TASK], 7) == {TASK: {ELM: ["no room"]}}

    asyncio.run(scenario())


def test_of_many_nodes_a_few_are_asked_and_long_answers_are_cut(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            names = [NodeId(f"n{number:02}") for number in range(NAMED_MAX + 3)]
            for name in names:
                at.meet(name, saying(*["x" * 2 * REASON_TEXT_MAX] * 2 * REASONS_MAX))
            at.learn()
            (told,) = (await at.reach.reasons.gather([TASK], None)).values()
            assert list(told) == names[: NAMED_MAX - 1], "the node itself is the first of those that are named"
            assert told[names[0]] == ["x" * REASON_TEXT_MAX] * REASONS_MAX

    asyncio.run(scenario())
