"""Policies of people: a few lines each, over nothing but a view."""

from collections.abc import Sequence

from roost.model.ids import TaskId
from roost.model.ranges import ONE
from roost.policy.choose import EQUAL_SCORE, Abstain, Choice, Policy, Take, View
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
