"""One timeline out of what each node knows of a run."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import astuple

from roost.core.facts import NODE_LOST, StoryTold
from roost.model.clock import Stamp
from roost.model.happenings import HowLost, NodeLost
from roost.model.ids import NodeId, TaskId
from roost.model.limits import SPANS_TOLD_MAX
from roost.model.ranges import RangeSet
from roost.model.spans import Span, span_of
from roost.runtime.far.timelines import first_hand
from roost.wire.messages import StoryLine, TimelineOf, Told
from tests.runtime.driving import NODE, RUN, TASK
from tests.runtime.far.bench import ELM, FIR, OAK, bench

STRANGE = TaskId("9-bababa/other")


def span(end: float, node: NodeId = NODE, task: TaskId = TASK, lane: int = 0) -> Span:
    return span_of(task, node, lane, RangeSet.span(0, 1), 0.5, 0.0, end)


def test_each_node_tells_of_itself_and_others_only_of_those_that_are_gone(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, lambda _: Told(0, spans=(span(3, ELM), span(2, FIR), span(9, task=STRANGE))))
            at.meet(OAK, lambda _: Told(0, spans=(span(2, FIR), span(7, NODE))))
            told = await at.reach.timelines.gather(RUN, [span(1), span(8, ELM)])
            assert told.spans == [span(1), span(2, FIR), span(3, ELM)]
            assert told.silent == []
            assert sorted(at.asked) == [(ELM, TimelineOf(RUN)), (OAK, TimelineOf(RUN))]

    asyncio.run(scenario())


def test_alone_what_is_known_here_is_all(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            told = await at.reach.timelines.gather(RUN, [span(1), span(2, FIR)])
            assert told == ([span(1), span(2, FIR)], [], [])

    asyncio.run(scenario())


def test_who_does_not_answer_is_named_and_what_others_keep_of_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roost.runtime.far.timelines.PATIENCE_S", 0.01)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, lambda _: None)
            told = await at.reach.timelines.gather(RUN, [span(1), span(2, ELM)])
            assert told == ([span(1), span(2, ELM)], [ELM], [])

    asyncio.run(scenario())


def test_a_timeline_of_many_nodes_is_bounded() -> None:
    told = {NodeId(f"n{number}"): [span(at, NodeId(f"n{number}")) for at in range(1, 500)] for number in range(20)}
    assert len(first_hand(told)) == 20 * 499 > SPANS_TOLD_MAX


def test_what_a_run_went_through_is_told_once_however_many_saw_it(tmp_path: Path) -> None:
    def seen(node: NodeId, at: int, task: TaskId = TASK) -> StoryLine:
        what = NodeLost(NodeId("fir"), HowLost.SILENT)
        return StoryLine(task, Stamp(at, 0, node), RangeSet.span(0, 3), what, NODE_LOST)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, lambda _: Told(0, story=(seen(ELM, 2), seen(ELM, 2, STRANGE))))
            told = await at.reach.timelines.gather(RUN, [], [StoryTold(*astuple(seen(NODE, 1)))])
            assert [(line.task, line.at.wall_ms) for line in told.happened] == [(TASK, 1)]

    asyncio.run(scenario())
