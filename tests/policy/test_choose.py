"""Policies of people: a few lines each, over nothing but a view."""

import math
from collections.abc import Sequence

from roost.model.ids import TaskId
from roost.model.online import OnlineLog, Stretch
from roost.model.ranges import ONE
from roost.policy.choose import EQUAL_SCORE, Abstain, BidFor, Choice, Policy, Take, View
from roost.policy.fcfs import first_come_first_served
from tests.policy.plain_view import PlainCandidate, PlainView

MONDAY_S, DAY_S = 4 * 86_400.0, 86_400.0


def longest_first(view: View) -> Sequence[Choice]:
    """Take what takes longest first, so that the short ends together."""
    return [
        Take(one.task, one.ready, f"its elements take {one.length_s or 0:g} s", -(one.length_s or 0.0))
        for one in view.queue
    ]


def never_on_mondays(policy: Policy) -> Policy:
    """Wrap another policy."""

    def choose(view: View) -> Sequence[Choice]:
        day, begun_s = divmod(view.now - MONDAY_S, DAY_S)
        return [Abstain("it is Monday", view.now + DAY_S - begun_s)] if day % 7 == 0 else policy(view)

    return choose


def rate_of_failure(view: View) -> float:
    """Estimate how often a node fails per second, from its log of on-line times (HTC 4.2.1)."""
    return view.online.times / view.online.total_s if view.online.times else 1e-8


def failure_aware(view: View) -> Sequence[Choice]:
    """Compete by the chance to survive the head of the queue (EC, HTC 4.1.2 with the score f1)."""
    head = next(iter(view.queue))
    survives = math.exp(-rate_of_failure(view) * (head.length_s or 0.0))
    return [BidFor(head.task, head.ready, f"this node stays with a chance of {survives:.0%}", -survives)]


def lifetime_bound(view: View, confidence: float = 0.98, quantile: float = 0.05) -> float:
    """Return a lower bound of how long a node stays, by the binomial method (WQR-FA, HTC 4.3.1)."""
    lengths = sorted(stretch.length_s for stretch in view.online.stretches)
    n, sure, bound = len(lengths), 0.0, 0.0
    for k, length in enumerate(lengths):
        sure += math.comb(n, k) * (1 - quantile) ** (n - k) * quantile**k
        if sure > 1 - confidence:
            break
        bound = length
    return bound


def test_a_policy_can_tell_how_long_its_node_tends_to_stay() -> None:
    task = PlainCandidate(TaskId("5-kedova/a"), ONE, length_s=3600.0)
    stable = OnlineLog(tuple(Stretch(1e6 * day, 1e6 * day + 36_000.0 + day) for day in range(200)))
    shaky = OnlineLog((Stretch(0.0, 1800.0), Stretch(9000.0, 10_800.0)), older=8, older_s=8 * 1800.0)
    (often,) = failure_aware(PlainView([task], online=stable))
    (seldom,) = failure_aware(PlainView([task], online=shaky))
    assert often.why == "this node stays with a chance of 91%"
    assert seldom.why == f"this node stays with a chance of {math.exp(-2):.0%}"
    assert isinstance(often, BidFor)
    assert isinstance(seldom, BidFor)
    assert often.score < seldom.score, "smaller is better"


def test_a_lower_bound_of_a_lifetime_follows_from_single_on_line_times() -> None:
    stable = OnlineLog(tuple(Stretch(1e6 * day, 1e6 * day + 36_000.0 + day) for day in range(200)))
    assert lifetime_bound(PlainView([], online=stable)) == 36_003.0
    assert lifetime_bound(PlainView([])) == 0.0


def test_a_policy_reads_values_and_says_what_it_wants_and_why() -> None:
    queue = [PlainCandidate(TaskId(f"5-kedova/{name}"), ONE, length_s=s) for name, s in (("a", 1.0), ("b", 9.0))]
    first = min(longest_first(PlainView(queue)), key=lambda choice: choice.score if isinstance(choice, Take) else 0.0)
    assert first == Take(TaskId("5-kedova/b"), ONE, "its elements take 9 s", -9.0)


def test_a_policy_may_wrap_another() -> None:
    policy = never_on_mondays(first_come_first_served)
    monday = PlainView([], now=MONDAY_S + 3600.0)
    assert policy(monday) == [Abstain("it is Monday", MONDAY_S + DAY_S)]
    tuesday = PlainView([], now=MONDAY_S + DAY_S)
    assert list(policy(tuesday)) == list(first_come_first_served(tuesday))


def test_a_choice_is_as_good_as_any_unless_it_says_otherwise() -> None:
    assert Take(TaskId("a"), ONE, "").score == EQUAL_SCORE
