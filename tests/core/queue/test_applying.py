"""Whatever changes a record goes one way, and all who follow hear of it as its origin says."""

import ast
from pathlib import Path
from typing import Any

import pytest

from roost.core import origin
from roost.core.origin import Origin
from roost.model.elements import Elements
from roost.model.ids import task_id
from roost.model.states import Cancelled
from tests.core.harness import RUN, Bench, edge, ranges, task
from tests.tokens import attempt

CORE = Path(__file__).parents[3] / "src" / "roost" / "core"
A, B = task_id(RUN, "a"), task_id(RUN, "b")
GONE = Elements({Cancelled(attempt(1)): ranges("2")})


class Watched:
    """A node with two tasks, of which the words to listeners and to other nodes are noted instead of said."""

    def __init__(self) -> None:
        self.node = Bench(task("a", 3), task("b", 3, edge("a")), cpus=1).node
        self._said: list[str] = []
        self.applying = self.node.queue.applying
        self.applying.followers = self.applying.followers._replace(
            states_told=self._note("states"), leases_told=self._note("leases"), decided=self._note("decided")
        )
        self._actions = self.node._turn.begin(self.node.now)

    def _note(self, word: str) -> Any:
        return lambda *_: self._said.append(word)

    @property
    def said(self) -> list[str]:
        return ["told" for _ in self._actions] + self._said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("PEOPLE", ["told", "states", "decided"]),
        ("KEPT", ["told", "states", "decided"]),
        ("ACCEPTED", ["told", "states"]),
        ("ACCEPTED_ELSEWHERE", ["told"]),
        ("HOLDER_LOST", ["told"]),
        ("HOLDER_TAKEN_DOWN", ["told", "states"]),
        ("GIVEN_BACK", ["states"]),
        ("LEASED", ["leases"]),
        ("HEARD", []),
        ("STILL_FAILED", ["states"]),
        ("SUBMITTED", []),
        ("DERIVED", []),
    ],
)
def test_who_hears_of_a_change_follows_from_its_origin(name: str, said: list[str]) -> None:
    watched = Watched()
    watched.applying.apply(A, GONE, getattr(origin, name))
    assert watched.said == said


def test_every_origin_is_in_that_table() -> None:
    (mark,) = test_who_hears_of_a_change_follows_from_its_origin.pytestmark  # type: ignore[attr-defined]
    names = {name for name, value in vars(origin).items() if isinstance(value, Origin)}
    assert {name for name, _ in mark.args[1]} == names


def test_what_follows_from_a_record_follows_whatever_the_origin() -> None:
    watched = Watched()
    moved = watched.applying.apply(A, GONE, origin.HEARD)
    assert [str(part) for _, part in moved] == ["2"]
    assert str(watched.node.queue.dataflow.aborted(B)) == "2"
    assert {A, B} <= watched.node._turn.take_touched().keys()
    assert watched.applying.apply(A, GONE, origin.HEARD) == [], "once is enough"


def test_nobody_else_merges_into_a_record() -> None:
    """TaskEntry.merge is for applying.py, and for the replica when it takes a record in."""
    found = []
    for path in sorted(CORE.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "merge":
                target = ast.unparse(call.func.value)
                if target == "entry" or "tasks[" in target:
                    found.append(path.relative_to(CORE).as_posix())
    assert set(found) == {"queue/applying.py", "queue/replica.py"}
