"""One story out of what each node tells of a task."""

import asyncio
from pathlib import Path

from roost.core.facts import DROPPED, StoryTold
from roost.model.clock import Stamp
from roost.model.ids import CauseId, NodeId, TaskId
from roost.model.limits import STORY_LINES_MAX
from roost.runtime.far.stories import merged, shortened
from roost.wire.messages import StoryLine, StoryOf, Told
from tests.runtime.driving import NODE, TASK
from tests.runtime.far.bench import ELM, OAK, bench, nothing, ranges

OTHER = TaskId("1-bababa/other")


def line(at: int, what: str, node: NodeId = NODE, elements: str = "0-3", task: TaskId = TASK) -> StoryTold:
    return StoryTold(task, Stamp(at, 0, node), ranges(elements), what, CauseId("lease 1"))


def test_lines_of_all_nodes_stand_in_the_order_of_their_stamps(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            theirs = line(2, "done on elm", ELM)
            stray = StoryLine(OTHER, theirs.at, theirs.ranges, "not asked for", theirs.cause)
            told = StoryLine(TASK, theirs.at, theirs.ranges, theirs.what, theirs.cause)
            at.meet(ELM, lambda _: Told(0, story=(told, stray)))
            at.meet(OAK, nothing)
            own = [line(1, "submitted"), line(3, "done on ash")]
            assert await at.reach.stories.gather([TASK], own) == [own[0], theirs, own[1]]
            assert sorted(at.asked) == [(ELM, StoryOf((TASK,))), (OAK, StoryOf((TASK,)))]

    asyncio.run(scenario())


def test_alone_the_own_story_is_all(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            own = [line(1, "submitted")]
            assert await at.reach.stories.gather([TASK], own) == own

    asyncio.run(scenario())


def test_what_several_saw_is_told_once_and_what_happened_twice_is_told_twice() -> None:
    seen = [line(5, "ready again: yew fell silent", NODE), line(6, "ready again: yew fell silent", ELM)]
    assert merged([*seen, seen[0]]) == [seen[0]]
    again = [line(9, "ready again: yew fell silent", ELM), line(10, "ready again: yew fell silent", NODE)]
    assert merged([*seen, *again]) == [seen[0], again[0]]
    assert merged([line(1, "a"), line(2, "a", elements="5")]) == [line(1, "a"), line(2, "a", elements="5")]
    assert merged([line(1, "a"), line(2, "a", task=OTHER)]) == [line(1, "a"), line(2, "a", task=OTHER)]


def test_of_each_task_the_last_lines_are_kept() -> None:
    long = [line(at, f"step {at}") for at in range(STORY_LINES_MAX + 5)]
    short = line(0, "other", task=OTHER)
    assert shortened([short, *long]) == [short, *long[5:]]


def test_lines_of_dropped_results_are_not_crowded_out() -> None:
    dropped = StoryTold(TASK, Stamp(0, 0, NODE), ranges("0"), "dropped", DROPPED)
    long = [line(at, f"step {at}") for at in range(1, STORY_LINES_MAX + 5)]
    assert shortened([dropped, *long])[0] == dropped
