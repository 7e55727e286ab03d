"""One story out of what each node tells of a task."""

import asyncio
from pathlib import Path

from roost.core.facts import StoryTold
from roost.model.clock import Stamp
from roost.model.happenings import DoneOn, Happening, HowLost, NodeLost, NodeRestarted, SubmittedBy
from roost.model.ids import CauseId, NodeId, TaskId
from roost.runtime.far.stories import merged
from roost.wire.messages import StoryLine, StoryOf, Told
from tests.runtime.driving import NODE, TASK
from tests.runtime.far.bench import ELM, OAK, bench, nothing, ranges

OTHER = TaskId("1-bababa/other")
SUBMITTED = SubmittedBy("ada", "ash")
YEW_LOST = NodeLost(NodeId("yew"), HowLost.SILENT)


def line(at: int, what: Happening, node: NodeId = NODE, elements: str = "0-3", task: TaskId = TASK) -> StoryTold:
    return StoryTold(task, Stamp(at, 0, node), ranges(elements), what, CauseId("lease 1"))


def test_lines_of_all_nodes_stand_in_the_order_of_their_stamps(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            theirs = line(2, DoneOn(ELM), ELM)
            stray = StoryLine(OTHER, theirs.at, theirs.ranges, theirs.what, theirs.cause)
            told = StoryLine(TASK, theirs.at, theirs.ranges, theirs.what, theirs.cause)
            at.meet(ELM, lambda _: Told(0, story=(told, stray)))
            at.meet(OAK, nothing)
            own = [line(1, SUBMITTED), line(3, DoneOn(NODE))]
            assert await at.reach.stories.gather([TASK], own) == [own[0], theirs, own[1]]
            assert sorted(at.asked) == [(ELM, StoryOf((TASK,))), (OAK, StoryOf((TASK,)))]

    asyncio.run(scenario())


def test_alone_the_own_story_is_all(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            own = [line(1, SUBMITTED)]
            assert await at.reach.stories.gather([TASK], own) == own

    asyncio.run(scenario())


def test_what_several_saw_is_told_once_and_what_happened_twice_is_told_twice() -> None:
    seen = [line(5, YEW_LOST, NODE), line(6, YEW_LOST, ELM)]
    assert merged([*seen, seen[0]]) == [seen[0]]
    again = [line(9, YEW_LOST, ELM), line(10, YEW_LOST, NODE)]
    assert merged([*seen, *again]) == [seen[0], again[0]]
    for other in (line(2, YEW_LOST, elements="5"), line(2, YEW_LOST, task=OTHER), line(2, DoneOn(NODE))):
        assert merged([line(1, YEW_LOST), other]) == [line(1, YEW_LOST), other]


def test_what_befell_two_nodes_is_told_twice_though_it_sounds_alike() -> None:
    """Both have lost the same elements, one after the other, and the sentence does not name them."""
    both = [line(1, NodeRestarted(NODE), NODE), line(2, NodeRestarted(ELM), ELM)]
    assert merged(both) == both
