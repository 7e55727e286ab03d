"""Nodes choose each task by the policy that its run names."""

from collections.abc import Sequence
from typing import Any

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import ONE, RangeSet
from roost.policy.by_run import by_run
from roost.policy.choose import Abstain, BidFor, Choice, Policy, Repeat, Take, TakeAhead, TakeReady, View
from roost.policy.fcfs import first_come_first_served
from roost.policy.groups import BFGC
from roost.policy.replication import WQR_2
from tests.policy.plain_view import PlainCandidate, PlainUnderway, PlainView

ELM = NodeId("elm")


def candidate(name: str, policy: str = "", **changes: Any) -> PlainCandidate:
    return PlainCandidate(TaskId(f"5-kedova/{name}"), ONE, policy=policy, **changes)


def bidder(word: str) -> Policy:
    """Return a policy that bids for all that it sees, with a reason by which it is known."""

    def choose(view: View) -> Sequence[Choice]:
        return [BidFor(one.task, one.ready, word) for one in view.queue]

    return choose


def nothing(_: View) -> Sequence[Choice]:
    return ()


def abstains(view: View) -> Sequence[Choice]:
    return (Abstain("not now", view.now + 1.0),)


def chosen(policies: dict[str, Policy], *queue: PlainCandidate, **changes: Any) -> Sequence[Choice]:
    policy = by_run(policies, bidder("default"))
    return policy(PlainView(queue, **{"others": (ELM,), "policies": sorted({*policies}), **changes}))


def told(choices: Sequence[Choice]) -> list[tuple[str, str]]:
    return [(one.task.partition("/")[2], one.why) for one in choices if isinstance(one, BidFor | Take | Repeat)]


def test_where_no_task_names_a_policy_the_default_sees_the_view_itself() -> None:
    seen = []

    def look(view: View) -> Sequence[Choice]:
        seen.append(view)
        return ()

    view = PlainView([candidate("a")])
    by_run({}, look)(view)
    assert seen == [view]


def test_the_policy_of_the_first_task_is_asked_about_its_own_tasks() -> None:
    queue = [candidate("a", "x"), candidate("b"), candidate("c", "x"), candidate("d", "y")]
    policies = {"x": bidder("by x"), "y": bidder("by y")}
    assert told(chosen(policies, *queue)) == [("a", "by x"), ("c", "by x")]
    assert told(chosen(policies, *queue[1:])) == [("b", "default")]


def test_if_it_wants_nothing_the_policy_of_the_next_task_is_asked() -> None:
    queue = [candidate("a", "x"), candidate("b"), candidate("d", "y")]
    assert told(chosen({"x": nothing, "y": bidder("by y")}, *queue)) == [("b", "default")]
    assert told(chosen({"x": nothing, "y": bidder("by y")}, queue[0], queue[2])) == [("d", "by y")]


def test_that_one_policy_abstains_keeps_nobody_from_the_work_of_another() -> None:
    queue = [candidate("a", "x"), candidate("b")]
    assert told(chosen({"x": abstains}, *queue)) == [("b", "default")]
    (later,) = chosen({"x": abstains}, queue[0])
    assert later == Abstain("not now", 101.0)


def test_a_policy_that_nobody_here_knows_is_the_default() -> None:
    view = PlainView([candidate("a", "of tomorrow")], others=(ELM,), policies=("of tomorrow",))
    assert told(by_run({}, bidder("default"))(view)) == [("a", "default")]


def test_alone_each_policy_has_its_own_order() -> None:
    policy = by_run({"bfgc": BFGC, "wqr-2": WQR_2}, first_come_first_served)
    queue = [
        candidate("a", size=4),
        candidate("long", "bfgc", length_s=90_000.0),
        candidate("short", "bfgc", length_s=1.0),
    ]

    def alone(*waiting: PlainCandidate) -> Sequence[Choice]:
        return policy(PlainView(waiting, alone=True, policies=("bfgc",)))

    *first, ahead = alone(*queue)
    assert told(first) == [("a", "it is the next in the queue")]
    assert isinstance(ahead, TakeAhead)
    assert [name for name, _ in told(alone(*queue[1:]))] == ["long", "short"], "a node that is new seems to stay"
    assert [type(choice) for choice in alone(queue[0])] == [TakeReady, TakeAhead], "there is nothing else"


def test_nothing_is_repeated_to_have_it_sooner_while_anything_waits() -> None:
    policy = by_run({"wqr-2": WQR_2}, nothing)
    running = PlainUnderway(TaskId("5-kedova/r"), ONE, policy="wqr-2")
    other = PlainUnderway(TaskId("5-kedova/s"), ONE)
    given: dict[str, Any] = {"others": (ELM,), "policies": ("wqr-2",), "elsewhere": [other, running]}
    assert [name for name, _ in told(policy(PlainView([], **given)))] == ["r"], "and only what asks for it"
    assert not policy(PlainView([candidate("a")], **given))


def test_what_others_hand_over_is_taken_by_its_own_policy() -> None:
    policy = by_run({"bfgc": BFGC}, first_come_first_served)
    handed = [candidate("h", "bfgc"), candidate("g")]
    view = PlainView([candidate("a", "bfgc")], others=(ELM,), handed=handed, policies=("bfgc",))
    assert [name for name, _ in told(policy(view))] == ["h"]


def test_a_part_of_a_view_is_as_the_whole_in_all_else() -> None:
    seen: list[View] = []

    def look(view: View) -> Sequence[Choice]:
        seen.append(view)
        return ()

    lacking = PlainUnderway(TaskId("5-kedova/r"), RangeSet.span(0, 2), policy="x")
    whole = PlainView(
        [candidate("a", "x"), candidate("b")], others=(ELM,), rank=3, abstained=2, finished=7, aborted=1, now=5.0,
        online_since=4.0, policies=("x",), lacking=[lacking, PlainUnderway(TaskId("5-kedova/q"), ONE)],
    )  # fmt: skip
    by_run({"x": look}, nothing)(whole)
    (part,) = seen
    names = ("node", "now", "online", "online_since", "others", "alone", "is_settled", "window_s", "rank", "abstained")
    for name in (*names, "finished", "aborted", "may_bid"):
        assert getattr(part, name) == getattr(whole, name)
    assert [one.task for one in part.queue] == ["5-kedova/a"]
    assert list(part.lacking) == [lacking]
    assert not part.policies
