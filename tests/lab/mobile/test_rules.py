"""FAIR's rule around first come, first served, and Roost's."""

import pytest

from roost.lab.mobile.rules import rule_of
from roost.lab.mobile.view import DeviceView, Job
from roost.model.errors import InvalidInput
from roost.model.ids import NodeId
from roost.model.vitals import SOUND, NodeState
from roost.policy.choose import Abstain, BidFor, Choice, Neighbour
from roost.policy.fairness import STRATEGIES

NAMES = [NodeId(f"worker{at}") for at in range(1, 5)]


def chosen(kind: str, strategy: str, own: int, *others: int, now: float = 0.0) -> Choice:
    neighbours = [Neighbour(name, value, 0.0) for name, value in zip(NAMES[1:], others, strict=False)]
    job = Job(0, 0.0, 60.0)
    view = DeviceView(
        NAMES[0],
        now,
        [job],
        others=dict.fromkeys(NAMES[1:], NodeState.VERY_STABLE),
        condition=SOUND,
        performance=own,
        neighbours=lambda: neighbours,
    )
    rule = rule_of(kind, strategy, 4, 10.0)
    return rule.policy(view)[0]


@pytest.mark.parametrize(
    ("strategy", "takes", "leaves"),
    [
        ("not-best", (9, 9, 8, 7), (8, 9, 7, 7)),
        ("worst", (7, 9, 9, 7), (6, 7, 8, 9)),
        ("worse-than-average", (7, 8, 7, 6), (6, 8, 7, 6)),
        ("worse-than-majority", (7, 8, 7, 6), (6, 8, 7, 6)),
        ("equal-or-worse-than-majority", (8, 8, 7, 6), (7, 8, 7, 6)),
    ],
)
def test_each_strategy_leaves_a_job_as_fair_says(
    strategy: str, takes: tuple[int, ...], leaves: tuple[int, ...]
) -> None:
    assert strategy in STRATEGIES
    for kind in ("fair", "usual"):
        assert isinstance(chosen(kind, strategy, *takes), BidFor), kind
        assert isinstance(chosen(kind, strategy, *leaves), Abstain), kind


def test_fairs_strategies_are_off_after_ten_seconds_for_each_candidate() -> None:
    left = chosen("fair", "not-best", 1, 2, 2, 2, now=29.9)
    assert isinstance(left, Abstain)
    assert left.until == 30.0
    assert isinstance(chosen("fair", "not-best", 1, 2, 2, 2, now=30.0), BidFor)


def test_without_a_strategy_nobody_leaves_anything() -> None:
    assert isinstance(chosen("fair", "none", 1, 2, 2, 2), BidFor)


def test_who_has_nothing_to_give_counts_in_fair_and_not_in_roost() -> None:
    assert isinstance(chosen("fair", "worst", 5, 9, 0), BidFor)
    assert isinstance(chosen("usual", "worst", 5, 9, 0), Abstain)


def test_what_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidInput, match="there is no fairness"):
        rule_of("fair", "best", 4, 10.0)
    with pytest.raises(InvalidInput, match="there is no rule"):
        rule_of("unfair", "none", 4, 10.0)
