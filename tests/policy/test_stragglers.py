"""What takes far too long elsewhere is attempted by a node with nothing else to do."""

from typing import Any

import pytest

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.policy.choose import Abstain, BidFor, Choice, Repeat
from roost.policy.company import Ability
from roost.policy.fcfs import first_come_first_served
from roost.policy.reliability import Exponential
from roost.policy.stragglers import ATTEMPTS_MAX, HANDICAP, SLOW_FACTOR, SLOW_S, repeating_stragglers
from roost.policy.turns import SHIFT_S
from tests.policy.plain_view import PlainCandidate, PlainUnderway, PlainView

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
A = TaskId("5-kedova/a")
LENGTH_S = 10.0
SLOW = SLOW_FACTOR * LENGTH_S + SLOW_S


def running(index: int, seconds: float | None, **changes: Any) -> PlainUnderway:
    one = RangeSet.span(index, index + 1)
    return PlainUnderway(A, one, OAK, seconds, **{"is_pure": True, "length_s": LENGTH_S, **changes})


def chosen(*elsewhere: PlainUnderway, **changes: Any) -> list[Choice]:
    """Return what ash chooses, which has nobody beside it but oak, that runs this."""
    view = PlainView(**{"queue": (), "others": (OAK,), "elsewhere": elsewhere, **changes})
    return list(repeating_stragglers(first_come_first_served)(view))


def indices(choices: list[Choice]) -> list[int]:
    return [choice.ranges.first for choice in choices if isinstance(choice, Repeat)]


def test_what_has_run_for_far_too_long_is_repeated_the_slowest_first() -> None:
    choices = chosen(running(1, SLOW), running(2, 2 * SLOW), running(3, SLOW - 0.1))
    assert indices(choices) == [2, 1]
    assert isinstance(choices[0], Repeat)
    assert choices[0].why == "it has run 4.2 times as long as expected, and this machine has nothing else to do"


def test_when_something_may_turn_out_to_be_slow_the_node_looks_again_just_then() -> None:
    (waits,) = chosen(running(1, SLOW - 7.0), running(2, SLOW - 3.0), now=100.0)
    assert isinstance(waits, Abstain)
    assert waits.until == 103.0
    assert indices(chosen(running(1, SLOW - 7.0 + 7.0), running(2, SLOW), now=107.0)) == [1, 2]


@pytest.mark.parametrize(
    "changes",
    [
        {"is_pure": False},
        {"policy": "ec"},
        {"attempts": ATTEMPTS_MAX},
        {"length_s": None},
    ],
)
def test_it_leaves_alone_what_is_not_pure_or_names_a_policy_what_has_another_attempt_and_unknown_lengths(
    changes: dict[str, Any],
) -> None:
    assert chosen(running(1, 9 * SLOW, **changes)) == []


def test_what_has_not_begun_is_no_straggler() -> None:
    assert chosen(running(1, None)) == []


def test_it_repeats_nothing_while_there_is_other_work_or_no_lane() -> None:
    slow = running(1, SLOW)
    (bid,) = chosen(slow, queue=(PlainCandidate(TaskId("5-kedova/b"), RangeSet.span(0, 1)),))
    assert isinstance(bid, BidFor)
    assert chosen(slow, may_bid=False) == []
    assert indices(chosen(slow, others=(), alone=True)) == []


def test_of_several_idle_nodes_one_begins_and_the_others_look_again_when_it_may_be_their_turn() -> None:
    nodes = (ASH, ELM, NodeId("fir"))
    choices = {
        node: chosen(running(1, SLOW), node=node, others=sorted({*nodes, OAK} - {node}), now=100.0) for node in nodes
    }
    repeating = [node for node, made in choices.items() if indices(made)]
    assert len(repeating) == 1
    waiting = [made for node, made in choices.items() if node not in repeating]
    assert [[type(choice) for choice in made] for made in waiting] == [[Abstain], [Abstain]]
    assert all(isinstance(made[0], Abstain) and made[0].until == 100.0 + SHIFT_S for made in waiting)


HOUR_S = 3600.0
STAYS, LEAVES = Ability(Exponential(1e-8)), Ability(Exponential(1 / HOUR_S))
#: Two hours are left of what oak has just begun. It leaves after one on average, and then everything begins anew: it is
#: there for an hour times 1 - e^-2, and with 1 - e^-2 it takes another two hours: 9,338 s.
LATE = {"length_s": 2 * HOUR_S}


def test_what_a_node_that_stays_has_done_sooner_than_its_holder_which_may_leave_it_attempts() -> None:
    (choice, waits) = chosen(running(1, 0.0, **LATE), abilities={OAK: LEAVES})
    assert isinstance(choice, Repeat)
    assert choice.why == "oak is expected to take another 2 h 35 min, and this machine less"
    assert isinstance(waits, Abstain)
    # Half an hour is left: 3600 s * (1 - e^-0.5) + (1 - e^-0.5) * 7200 s = 4249 s, and two hours here.
    assert indices(chosen(running(1, 1.5 * HOUR_S, **LATE), abilities={OAK: LEAVES})) == []
    assert indices(chosen(running(1, 0.0, **LATE), abilities={OAK: STAYS})) == []


def test_of_several_the_one_is_first_that_would_take_longest() -> None:
    late = [running(1, 600.0, **LATE), running(2, 0.0, **LATE), running(3, 1200.0, **LATE)]
    assert indices(chosen(*late, abilities={OAK: LEAVES})) == [2]


def test_what_a_faster_node_has_done_sooner_it_attempts() -> None:
    slow = Ability(Exponential(1e-8), speed=0.5)
    assert indices(chosen(running(1, 0.0, **LATE), abilities={OAK: slow})) == [1]
    # There it takes four hours, of which three have passed.
    assert indices(chosen(running(1, 3 * HOUR_S, **LATE), abilities={OAK: slow})) == []


@pytest.mark.parametrize(
    "changes", [{"is_pure": False}, {"policy": "ec"}, {"attempts": ATTEMPTS_MAX}, {"length_s": 9.0}]
)
def test_what_is_late_is_left_alone_if_it_may_not_be_repeated_or_is_short(changes: dict[str, Any]) -> None:
    assert indices(chosen(running(1, 0.0, **{**LATE, **changes}), abilities={OAK: LEAVES})) == []


def test_better_nodes_come_first_and_with_each_shift_it_is_the_turn_of_more() -> None:
    names = [NodeId(f"n{at}") for at in range(8)]
    better = {**dict.fromkeys(names, Ability(Exponential(1e-9))), OAK: LEAVES}
    worse = {**dict.fromkeys(names, LEAVES), OAK: LEAVES}

    def repeats(abilities: dict[NodeId, Ability], abstained: int, now: float = 100.0) -> bool:
        # This node stays for years, but the better ones for longer.
        view = {"abilities": abilities, "others": [*names, OAK], "abstained": abstained, "now": now}
        return bool(indices(chosen(running(1, 0.0, **LATE), **view)))

    shifts = [100.0 + SHIFT_S * at for at in range(60)]
    turns = [sum(repeats(worse, abstained, now) for now in shifts) for abstained in range(5)]
    assert 0 < turns[0] < turns[1] < turns[2] < turns[4] == len(shifts), "each time it is the turn of twice as many"
    first = [sum(repeats(better, abstained, now) for now in shifts) for abstained in range(2 * HANDICAP)]
    assert first[0] == 0
    assert first[-1] > 0
