"""What was done earlier is answered for without running it; the rest is run, and kept."""

import os
from pathlib import Path

import msgspec

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.order import Order
from roost.executors.reuse.entries import Entry, decode_entry
from roost.executors.reuse.fingerprints import Keys
from roost.model.happenings import ReusedFrom
from roost.model.ids import LeaseId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.states import Done
from roost.model.stray import carried
from roost.model.task import Command, Failure, Protocol, Reuse, Work
from roost.model.token import Token
from roost.runtime.reuse.reusing import Reusing
from tests.runtime.driving import ManualExecutor
from tests.runtime.journalling import NODE
from tests.runtime.reuse_lab import FIRST, SECOND, Lab, lab
from tests.tokens import attempt


class Scene:
    """An executor behind the index of a journal."""

    def __init__(self, at: Lab) -> None:
        self.at = at
        self.reports: list[ElementsDone | ElementFailed | ElementsReturned | Progressed] = []
        self.inner = ManualExecutor()
        reusing = Reusing(Keys(), at.shelf(), at.index(), self.reports.append)
        self.inner.report = reusing.heard
        self.executor = reusing.before(self.inner)

    def order(self, task: TaskId, elements: str, lease: int = 1) -> Order:
        return Order(LeaseId(lease), 0, self.at.spec(task), RangeSet.parse(elements), attempt(1))

    def ran(self) -> list[str]:
        return [str(order.ranges) for order in self.inner.orders]


def keep(at: Lab, task: TaskId, elements: str) -> None:
    """Let these elements of a task be done by an earlier run; before the scene, which is a life that starts then."""
    order = Order(LeaseId(1), 0, at.spec(task), RangeSet.parse(elements), attempt(1))
    for index, entry in Keys().of_order(order).entries.items():
        at.kept(task, index, b"%d" % index, entry)


def entries(segments: tuple[Segment, ...]) -> dict[int, Entry]:
    return {
        index: decode_entry(entry)
        for segment in segments
        for index, entry in enumerate(segment.values(), segment.start)
    }


def test_what_was_done_is_answered_for_and_the_rest_is_run_and_kept(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task, again = at.run(FIRST, 6), at.run(SECOND, 6)
        keep(at, task, "0-2,4")
        scene = Scene(at)
        scene.executor.start(scene.order(again, "0-5"))
        (answer,) = scene.reports
        assert isinstance(answer, ElementsDone)
        assert answer.segments == (pack(0, [b"0", b"1", b"2"]), pack(4, [b"4"]))
        assert answer.reused_from == ReusedFrom(task, RangeSet.parse("0-2,4"))
        assert entries(answer.keys)[4] == Entry(task=task, index=4)
        assert scene.ran() == ["3,5"]
        scene.inner.report(ElementsDone(LeaseId(1), (pack(3, [b"new"]),), 0.1))
        scene.inner.report(ElementFailed(LeaseId(1), 5, Failure("bad")))
        made, failed = scene.reports[1:]
        assert isinstance(made, ElementsDone)
        assert made.reused_from is None
        at.kept(again, 3, b"new", entries(made.keys)[3])
        assert at.index().find({3: entries(made.keys)[3].key}, FIRST)
        assert isinstance(failed, ElementFailed)


def test_a_fresh_run_runs_everything_and_others_look_for_nothing(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        keep(at, at.run(FIRST), "0-1")
        scene = Scene(at)
        fresh = at.run(SECOND, reuse=Reuse.FRESH)
        scene.executor.start(scene.order(fresh, "0-1"))
        scene.inner.report(ElementsDone(LeaseId(1), (pack(0, [b"a", b"b"]),), 0.1))
        (made,) = scene.reports
        assert isinstance(made, ElementsDone)
        assert len(entries(made.keys)) == 2
        for reuse in (Reuse.OFF, Reuse.NEVER):
            order = scene.order(fresh, "0-1", lease=2)
            spec = msgspec.structs.replace(order.spec, reuse=reuse)
            scene.executor.start(msgspec.structs.replace(order, spec=spec))
            done = ElementsDone(LeaseId(2), (pack(0, [b"a", b"b"]),), 0.1)
            scene.inner.report(done)
            assert scene.reports[-1] is done


def run_with_file(scene: Scene, work: Work) -> Order:
    order = scene.order(scene.at.run(FIRST, 1, work), "0")
    scene.executor.start(order)
    return order


def made_entry(scene: Scene, order: Order) -> Entry:
    scene.inner.finish(order)
    (made,) = scene.reports
    assert isinstance(made, ElementsDone)
    return entries(made.keys)[0]


def test_a_result_is_not_kept_if_a_file_changed_while_it_was_made(tmp_path: Path) -> None:
    for text, is_kept in (("two", False), ("one", True)):
        folder = tmp_path / str(is_kept)
        folder.mkdir()
        tool = folder / "tool.sh"
        tool.write_text("one")
        with lab(folder) as at:
            scene = Scene(at)
            order = run_with_file(scene, Command(("sh", "tool.sh"), str(folder)))
            tool.write_text(text)
            entry = made_entry(scene, order)
            assert bool(entry.key) is is_kept
            assert ("changed while it ran" in entry.why) is not is_kept


def test_a_file_that_appears_meanwhile_was_changed_too(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        scene = Scene(at)
        order = run_with_file(scene, Command(("cp", "a", "out.txt"), str(tmp_path)))
        (tmp_path / "out.txt").write_text("x")
        assert not made_entry(scene, order).key


def test_a_file_that_changed_may_have_a_name_that_is_no_text(tmp_path: Path) -> None:
    name = b"out\xff"
    with lab(tmp_path) as at:
        scene = Scene(at)
        order = run_with_file(scene, Command(("cp", "a", carried(name)), str(tmp_path)))
        Path(os.fsdecode(bytes(tmp_path) + b"/" + name)).write_text("x")
        assert carried(name) in made_entry(scene, order).why


def test_why_work_is_never_reused_is_noted(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        scene = Scene(at)
        entry = made_entry(scene, run_with_file(scene, Command(("x",), protocol=Protocol.LAN)))
        assert entry.never
        assert entry.why.startswith("it speaks LAN's protocol")


def test_after_leases_that_took_no_time_only_the_first_that_must_be_run_is_kept(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task, again = at.run(FIRST, 9), at.run(SECOND, 9)
        keep(at, task, "0-3")
        scene = Scene(at)
        scene.executor.start(scene.order(again, "0-3", lease=1))
        scene.executor.start(scene.order(again, "4-8", lease=2))
        assert scene.ran() == ["4"]
        assert scene.reports[-1] == ElementsReturned(LeaseId(2), RangeSet.parse("5-8"))
        scene.executor.start(scene.order(again, "5-8", lease=3))
        assert scene.ran() == ["4", "5-8"]


def test_the_lengths_of_lists_are_told_for_pools(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task, again = at.run(FIRST), at.run(SECOND)
        (entry, _) = Keys().of_order(Scene(at).order(task, "0-1")).entries.values()
        at.kept(task, 0, b"[1,2]", entry, state=Done(attempt(1), NODE, 2))
        scene = Scene(at)
        order = scene.order(again, "0")
        scene.executor.start(msgspec.structs.replace(order, spec=msgspec.structs.replace(order.spec, is_mapped=True)))
        (answer,) = scene.reports
        assert isinstance(answer, ElementsDone)
        assert answer.lengths == ((0, 2),)


def test_stops_pauses_and_progress_pass_through(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        scene = Scene(at)
        order = scene.order(at.run(FIRST), "0-1")
        scene.executor.start(order)
        scene.executor.pause(order.lease)
        scene.executor.resume(order.lease)
        progress = Progressed(order.lease, 0, 0.5)
        scene.inner.report(progress)
        assert scene.reports == [progress]
        scene.executor.stop(order.lease, RangeSet.parse("1"), StopMode.UNSTARTED)
        assert [what for what, _ in scene.inner.told] == ["pause", "resume", "stop unstarted"]
        assert scene.reports[1:] == [ElementsReturned(order.lease, RangeSet.parse("1"))]


def test_what_a_person_sent_back_is_done_again(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task, again = at.run(FIRST), at.run(SECOND)
        keep(at, task, "0-1")
        scene = Scene(at)
        order = scene.order(again, "0-1")
        scene.executor.start(msgspec.structs.replace(order, token=Token(edition=1, life=1, attempt=1)))
        assert scene.ran() == ["0-1"]
        scene.inner.finish(order)
        (made,) = scene.reports
        assert isinstance(made, ElementsDone)
        assert all(entry.key for entry in entries(made.keys).values())
