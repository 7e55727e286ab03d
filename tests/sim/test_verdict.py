"""A failure is a value, with what was broken, when, and how it came."""

import pytest

from roost.core.node import Node
from roost.core.queue.tokens import Tokens
from roost.sim.plan import MeshOptions, Plan
from roost.sim.trial import TrialResult
from roost.sim.verdict import Failure, try_out
from tests.sim.checkers.meshes import CRASHES, LONERS

CALM = Plan(1, MeshOptions(nodes=2, clusters=2, faulty_s=2.0, requests=5), ())


def test_a_plan_that_goes_well_has_a_result() -> None:
    result = try_out(CALM)
    assert isinstance(result, TrialResult)
    assert result.ends == 0
    assert result.starts >= result.accepted > 0
    assert result.attempts == 0


def test_a_broken_promise_comes_with_its_plan_its_time_and_its_story(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Tokens.__init__
    monkeypatch.setattr(Tokens, "__init__", lambda tokens, life: real(tokens, 1))
    plans = [Plan(seed, LONERS, CRASHES) for seed in range(40)]
    failure = next(outcome for outcome in map(try_out, plans) if isinstance(outcome, Failure))
    assert "does not grow" in failure.message
    assert failure.plan in plans
    assert 1.0 < failure.at < 300.0
    assert "Start(" in failure.story.splitlines()[-1]


def test_whatever_a_node_raises_is_a_failure_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(node: Node, event: object, now: float) -> list[object]:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(Node, "handle", stumble)
    failure = try_out(CALM)
    assert isinstance(failure, Failure)
    assert failure.message.startswith("ZeroDivisionError in stumble, test_verdict.py:")
    assert failure.message.endswith("of all things")


def test_failures_of_one_kind_differ_in_names_and_numbers_only() -> None:
    def kind(message: str) -> str:
        return Failure(CALM, message, 1.0, "").kind

    assert kind("5-kedova/t1[3]: the token 0.1.0.7 of n2 does not grow") == kind(
        "9-x/t0[1]: the token 1.2.0.11 of n1 does not grow"
    )
    assert kind("the token 0.1.0.7 of n2 does not grow") != kind("the token 0.1.0.7 of n2 is lost")
