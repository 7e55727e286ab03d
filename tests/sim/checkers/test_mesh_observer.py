"""The observer of many nodes hands everything to each checker."""

from typing import Any

from roost.core.actions import Archive
from roost.core.events import Started
from roost.sim.checkers.mesh_observer import MeshChecker, MeshObserver


class Diary(MeshChecker):
    def __init__(self) -> None:
        self.lines: list[object] = []

    def on_event(self, event: Any, node: Any) -> None:
        self.lines.append((event, node))

    def on_action(self, action: Any, node: Any, disk: Any) -> None:
        self.lines.append((action, node, disk))

    def on_written(self, node: Any, facts: Any) -> None:
        self.lines.append(("written", node, facts))

    def on_end(self, node: Any) -> None:
        self.lines.append(("end", node))

    def on_disk_lost(self, node: Any) -> None:
        self.lines.append(("lost", node))

    def at_rest(self, core: Any) -> None:
        self.lines.append(("rest", core))


def test_everything_reaches_every_checker_in_order() -> None:
    diaries = [Diary(), Diary()]
    observer: Any = MeshObserver([*diaries, MeshChecker()])
    observer.on_event(Started(), "n1")
    observer.on_action(Archive(()), "n1", "disk")
    observer.on_written("n1", ())
    observer.on_end("n1")
    observer.on_disk_lost("n1")
    observer.at_rest([])
    expected: list[object] = [
        (Started(), "n1"),
        (Archive(()), "n1", "disk"),
        ("written", "n1", ()),
        ("end", "n1"),
        ("lost", "n1"),
        ("rest", []),
    ]
    assert [diary.lines for diary in diaries] == [expected, expected]
