"""The checker of fairness notices a node that leaves its work to others for too long."""

from typing import Any

import pytest

from roost.policy import fairness
from roost.policy.fairness import PATIENCE_S
from roost.sim.checkers.left_in_time import GRACE_S, LeftInTime
from roost.sim.checkers.observer import Broken
from roost.sim.plan import draw_plan
from roost.sim.trial import TrialResult
from roost.sim.verdict import Failure, try_out
from tests.core.harness import Bench, task

LIMIT_S = 3 * PATIENCE_S + GRACE_S
WHY = "elm does better, so it waits for up to 2 s (not-best)"


class Leaver:
    """A node that says why it leaves its work to others."""

    name = "n1"

    def __init__(self) -> None:
        self.now = 0.0
        self.why: str | None = WHY
        self.medium = self
        self.checker: Any = LeftInTime(3, lambda: self.now)

    def why_abstains(self) -> str | None:
        return self.why

    def live(self, seconds: float) -> None:
        for _ in range(int(seconds)):
            self.now += 1.0
            self.checker.on_event(None, self)


def test_a_node_may_leave_work_to_others_for_a_while() -> None:
    node = Leaver()
    node.live(LIMIT_S)
    node.why = "there are many more nodes than work; others bid first"
    node.live(5 * LIMIT_S)


def test_it_notices_one_that_does_so_for_too_long() -> None:
    node = Leaver()
    with pytest.raises(Broken, match="for 8 s nothing was begun, and n1 leaves all to others: elm does better"):
        node.live(2 * LIMIT_S)


def test_what_is_begun_anywhere_and_a_sleeping_machine_begin_it_anew() -> None:
    node = Leaver()
    node.live(LIMIT_S)
    bench = Bench(cpus=1.0)
    bench.submit(task("a"))
    (start,) = bench._starts.values()
    node.checker.on_action(start, node, None)
    node.live(LIMIT_S)
    node.now += 100.0
    node.live(LIMIT_S)
    node.checker.on_end("n1")
    node.live(LIMIT_S)


def test_a_world_in_which_patience_never_ends_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = draw_plan(7, (3, 4), brief=True, fairness="equal-or-worse-than-majority")
    assert isinstance(try_out(plan), TrialResult)
    monkeypatch.setattr(fairness, "PATIENCE_S", 1e6)
    broken = try_out(plan)
    assert isinstance(broken, Failure)
    assert "leaves all to others" in broken.message
