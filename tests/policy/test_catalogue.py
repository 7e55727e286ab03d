"""Which policies there are; and what holds of all of them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import InvalidInput
from roost.model.ids import NodeId, TaskId
from roost.model.limits import POLICY_NAME_LENGTH_MAX
from roost.model.online import OnlineLog, Stretch
from roost.model.ranges import RangeSet
from roost.policy.catalogue import AS_EACH_RUN_SAYS, DEFAULT_POLICY, POLICIES, known_policy, recorded_policy
from roost.policy.choose import BidFor, Choice, Repeat, Take
from roost.policy.company import Ability
from roost.policy.reliability import Exponential
from tests.policy.plain_view import PlainCandidate, PlainUnderway, PlainView

NAMES = ["fcfs", "ec", "bfc", "egc", "bfgc", "bfgce", "fr", "wqr-2", "wqr-4", "wqr-fa-2", "wqr-fa-4", "roost"]


def test_all_policies_are_there_with_their_sections_and_a_sentence_each() -> None:
    assert list(POLICIES) == NAMES
    for name, named in POLICIES.items():
        assert named.section.startswith("HTC 4.")
        assert named.summary.endswith(".")
        assert len(name) <= POLICY_NAME_LENGTH_MAX


def test_another_name_is_refused_with_those_that_there_are() -> None:
    assert known_policy("bfgce") == "bfgce"
    with pytest.raises(InvalidInput, match=r"there is no policy 'best'; there are fcfs, ec, bfc, .*wqr-fa-4"):
        known_policy("best")


def test_a_record_names_no_policy_if_that_is_what_counts_anyway() -> None:
    assert recorded_policy("", DEFAULT_POLICY) == ""
    assert recorded_policy("", "bfgc") == "bfgc"
    assert recorded_policy("ec", "bfgc") == "ec"
    assert DEFAULT_POLICY == "roost"
    assert recorded_policy(DEFAULT_POLICY, "bfgc") == ""
    assert recorded_policy("fcfs", DEFAULT_POLICY) == "fcfs"
    with pytest.raises(InvalidInput):
        recorded_policy("best", DEFAULT_POLICY)


NODES = [NodeId(name) for name in ("ash", "elm", "oak")]
LOGS = st.sampled_from([0, 4, 100]).map(
    lambda count: OnlineLog(tuple(Stretch(at * 10_000.0, at * 10_000.0 + 3600.0 + at) for at in range(count)))
)
CANDIDATES = st.builds(
    lambda name, count, **given: PlainCandidate(TaskId(f"5-kedova/{name}"), RangeSet.span(0, count), **given),
    st.sampled_from("abcdefgh"),
    st.integers(1, 5),
    length_s=st.sampled_from([None, 1.0, 1800.0, 3600.0, 50_000.0]),
    hungry_lanes=st.integers(0, 2),
    size=st.integers(1, 3),
    aborted=st.integers(0, 3),
    overtaken=st.integers(0, 11),
    bids=st.lists(st.tuples(st.floats(-2, 2), st.integers(1, 3).map(lambda stop: RangeSet.span(0, stop))), max_size=2),
    policy=st.sampled_from(NAMES),
)
UNDERWAY = st.builds(
    PlainUnderway,
    st.sampled_from("abc").map(lambda name: TaskId(f"5-kedova/{name}")),
    st.integers(1, 4).map(lambda stop: RangeSet.span(0, stop)),
    attempts=st.integers(1, 5),
    policy=st.sampled_from(NAMES),
)
VIEWS = st.fixed_dictionaries(
    {
        "queue": st.lists(CANDIDATES, max_size=12, unique_by=lambda one: one.task),
        "online": LOGS,
        "finished": st.integers(0, 9),
        "aborted": st.integers(0, 3),
        "alone": st.booleans(),
        "is_settled": st.just(False),
        "speed": st.sampled_from([1.0, 3.0]),
        "abilities": st.sampled_from([{}, {NodeId("fir"): Ability(Exponential(1e-4), 0.5)}]),
        "rank": st.integers(0, 4),
        "elsewhere": st.lists(UNDERWAY, max_size=3),
    }
)


def view(node: NodeId, given: dict[str, Any]) -> PlainView:
    others = () if given["alone"] else tuple(other for other in NODES if other != node)
    return PlainView(node=node, now=2e6, online_since=2e6 - 600.0, others=others, policies=NAMES, **given)


def wanted(choices: Any) -> list[tuple[str, str, str]]:
    found: list[Choice] = list(choices)
    return [(type(one).__name__, one.task, str(one.ranges)) for one in found if isinstance(one, BidFor | Take | Repeat)]


@pytest.mark.parametrize("policy", [*(named.policy for named in POLICIES.values()), AS_EACH_RUN_SAYS])
@given(given=VIEWS)
def test_a_choice_depends_on_the_view_alone_and_takes_only_what_is_there(policy: Any, given: dict[str, Any]) -> None:
    first, again = policy(view(NODES[0], given)), policy(view(NODES[0], given))
    assert list(first) == list(again)
    waiting = {one.task: one for one in given["queue"]}
    for choice in first:
        if isinstance(choice, BidFor | Take):
            assert choice.ranges
            assert choice.ranges.issubset(waiting[choice.task].ready)
            assert choice.score == choice.score, "a number"
            assert choice.past is None or choice.past in waiting


@pytest.mark.parametrize("name", NAMES)
@given(given=VIEWS)
def test_other_names_of_nodes_change_no_choice_but_ties(name: str, given: dict[str, Any]) -> None:
    # Which of like elements is repeated is a tie, and with WQR all bids are.
    given = given | {"elsewhere": []}
    if name in ("wqr-2", "wqr-4"):
        given["queue"] = [replace(one, bids=()) for one in given["queue"]]
    policy = POLICIES[name].policy
    assert wanted(policy(view(NODES[0], given))) == wanted(policy(view(NODES[2], given)))
