"""The observer hands everything to every checker."""

from roost.core.actions import Archive
from roost.core.events import Started
from roost.sim.journal import SimDisk
from tests.core.harness import ASH, Bench
from tests.lone.observer import Observer


class Diary:
    def __init__(self) -> None:
        self.lines: list[object] = []

    def on_event(self, event, node) -> None:
        self.lines.append((event, node))

    def on_action(self, action, node, disk) -> None:
        self.lines.append((action, node, disk))

    def on_crash(self) -> None:
        self.lines.append("crash")

    def at_rest(self, node, disk) -> None:
        self.lines.append(("rest", node, disk))


def test_every_checker_sees_everything_in_order() -> None:
    node, disk = Bench().node, SimDisk(ASH)
    diaries = [Diary(), Diary()]
    observer = Observer(diaries)
    observer.on_event(Started(), node)
    observer.on_action(Archive(()), node, disk)
    observer.on_crash()
    observer.at_rest(node, disk)
    expected = [(Started(), node), (Archive(()), node, disk), "crash", ("rest", node, disk)]
    assert [diary.lines for diary in diaries] == [expected, expected]
