"""What others have is answered for; what nobody has is run, and it is noted who was asked."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import cast

import msgspec

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.order import Order
from roost.executors.reuse.entries import Entry, decode_entry, digest
from roost.executors.reuse.fingerprints import Keys
from roost.model.happenings import ReusedFrom
from roost.model.ids import LeaseId, NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.task import Reuse
from roost.runtime.far.kept import Asked, FarKept, FoundElsewhere
from roost.runtime.far.reuse_asking import Asking
from roost.runtime.reuse.reusing import Reusing
from roost.wire.messages import KeptResult
from tests.runtime.driving import ManualExecutor, until
from tests.runtime.reuse_lab import FIRST, SECOND, Lab, lab
from tests.tokens import attempt

ELM, OAK = NodeId("elm"), NodeId("oak")
EARLIER = TaskId("3-earlie/work")


class Others:
    """Other nodes, one of which has some results."""

    def __init__(self, has: str = "", lost: str = "") -> None:
        self.is_alone = False
        self.has = RangeSet.parse(has) if has else RangeSet()
        self.lost = RangeSet.parse(lost) if lost else RangeSet()
        self.silent: tuple[NodeId, ...] = ()
        self.length = -1
        self.questions: list[dict[int, bytes]] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def ask(self, run: RunId, wanted: Mapping[int, bytes]) -> Asked:
        self.questions.append(dict(wanted))
        await self.may_answer.wait()
        value = b"given"
        offers = {
            index: FoundElsewhere(
                ELM, KeptResult(index, EARLIER, index, attempt(1), ELM, value, digest(value).hex(), self.length)
            )
            for index in wanted
            if index in self.has
        }
        return Asked(offers, (ELM, OAK), self.silent)

    async def bring(self, offers: Mapping[int, FoundElsewhere], _: TaskId) -> dict[int, FoundElsewhere]:
        return {index: offer for index, offer in offers.items() if index not in self.lost}


class Scene:
    def __init__(self, at: Lab, others: Others) -> None:
        self.reports: list[ElementsDone | ElementFailed | ElementsReturned | Progressed] = []
        self.inner = ManualExecutor()
        reusing = Reusing(Keys(), at.shelf(), at.index(), self.reports.append)
        self.inner.report = reusing.heard
        self.reusing = reusing
        self.executor = reusing.before(Asking(self.inner, reusing, cast(FarKept, others)))

    def ran(self) -> list[str]:
        return [str(order.ranges) for order in self.inner.orders]


def order(at: Lab, task: TaskId, elements: str, lease: int = 1) -> Order:
    return Order(LeaseId(lease), 0, at.spec(task), RangeSet.parse(elements), attempt(1))


def entries(segments: tuple[Segment, ...]) -> dict[int, Entry]:
    return {
        index: decode_entry(entry)
        for segment in segments
        for index, entry in enumerate(segment.values(), segment.start)
    }


def play(folder: Path, others: Others, act: Callable[[Lab, Scene], Coroutine[None, None, None]]) -> None:
    async def scenario() -> None:
        with lab(folder) as at:
            scene = Scene(at, others)
            await act(at, scene)
            await scene.executor.close()

    asyncio.run(scenario())


def test_what_another_node_has_is_answered_for_and_the_rest_is_run(tmp_path: Path) -> None:
    others = Others(has="0-1,3", lost="3")

    async def act(at: Lab, scene: Scene) -> None:
        task = at.run(FIRST, 5)
        scene.executor.start(order(at, task, "0-4"))
        await until(lambda: scene.ran() == ["2-4"])
        (given,) = scene.reports
        assert isinstance(given, ElementsDone)
        assert given.segments == (pack(0, [b"given", b"given"]),)
        assert given.reused_from == ReusedFrom(EARLIER, RangeSet.span(0, 2), ELM)
        entry = entries(given.keys)[1]
        assert (entry.task, entry.index, entry.node, entry.key) == (EARLIER, 1, ELM, others.questions[0][1])
        scene.inner.report(ElementsDone(LeaseId(1), (pack(2, [b"a", b"b", b"c"]),), 0.1))
        made = scene.reports[-1]
        assert isinstance(made, ElementsDone)
        assert (entries(made.keys)[2].asked, entries(made.keys)[2].silent) == (2, ())
        assert entries(made.keys)[3].silent == (ELM,), "it had it, and did not give it"

    play(tmp_path, others, act)


def test_a_node_that_is_alone_and_what_may_not_be_reused_wait_for_nobody(tmp_path: Path) -> None:
    others = Others(has="0-1")

    async def act(at: Lab, scene: Scene) -> None:
        fresh = at.run(FIRST, reuse=Reuse.FRESH)
        scene.executor.start(order(at, fresh, "0-1"))
        assert scene.ran() == ["0-1"]
        others.is_alone = True
        scene.executor.start(order(at, at.run(SECOND), "0-1", lease=2))
        assert scene.ran() == ["0-1", "0-1"]
        assert others.questions == []

    play(tmp_path, others, act)


def test_what_is_stopped_meanwhile_is_neither_run_nor_answered_for(tmp_path: Path) -> None:
    others = Others(has="0-1")
    others.may_answer.clear()

    async def act(at: Lab, scene: Scene) -> None:
        scene.executor.start(order(at, at.run(FIRST, 4), "0-3"))
        await until(lambda: len(others.questions) == 1)
        scene.executor.stop(LeaseId(1), RangeSet.parse("1-2"), StopMode.UNSTARTED)
        assert scene.reports == [ElementsReturned(LeaseId(1), RangeSet.parse("1-2"))]
        others.may_answer.set()
        await until(lambda: scene.ran() == ["3"])
        given = scene.reports[-1]
        assert isinstance(given, ElementsDone)
        assert given.segments == (pack(0, [b"given"]),)

    play(tmp_path, others, act)


def test_when_luck_ends_only_the_first_that_must_be_run_is_kept(tmp_path: Path) -> None:
    others = Others(has="0-3")

    async def act(at: Lab, scene: Scene) -> None:
        task = at.run(FIRST, 9)
        scene.executor.start(order(at, task, "0-3"))
        await until(lambda: len(scene.reports) == 1)
        scene.executor.start(order(at, task, "4-8", lease=2))
        await until(lambda: scene.ran() == ["4"])
        assert scene.reports[-1] == ElementsReturned(LeaseId(2), RangeSet.parse("5-8"))

    play(tmp_path, others, act)


def test_a_list_whose_length_nobody_knows_is_made_again_for_a_pool(tmp_path: Path) -> None:
    others = Others(has="0-1")

    async def act(at: Lab, scene: Scene) -> None:
        asked = order(at, at.run(FIRST), "0-1")
        asked = msgspec.structs.replace(asked, spec=msgspec.structs.replace(asked.spec, is_mapped=True))
        scene.executor.start(asked)
        await until(lambda: scene.ran() == ["0-1"])

    play(tmp_path, others, act)
