"""How long a node tends to stay: worked out now and then, and told to others."""

import math

import pytest

from roost.core.clock_bounds import ClockBounds
from roost.core.staying import REFIT_S, Staying, ability_told, reliability_told
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.clock import zero
from roost.model.online import NEVER_ONLINE, OnlineLog, Stretch
from roost.policy.company import SILENT, Ability
from roost.policy.reliability import UNKNOWN, Exponential, Reliability, Weibull
from roost.wire.codec import decode, encode
from roost.wire.messages import Stay
from tests.core.company import Company
from tests.core.harness import ASH

OFTEN = OnlineLog(tuple(Stretch(0.0, 100.0) for _ in range(5)))


def turn_of(log: OnlineLog) -> Turn:
    turn = Turn(ASH, 1, ClockBounds(ASH, zero(ASH)), Tickets(), log)
    turn.begin(1000.0)
    turn.come_on_line(log)
    return turn


def test_the_time_that_a_node_has_just_stayed_counts_after_a_while() -> None:
    turn = turn_of(OFTEN)
    staying = Staying(turn, lambda: 1.0, lambda: 0)
    assert staying.reliability == Reliability(Exponential(5 / 500), 5, is_known=True)
    turn.begin(1000.0 + REFIT_S - 1)
    assert staying.reliability.lifetime == Exponential(5 / 500)
    turn.begin(1000.0 + REFIT_S)
    assert staying.reliability == Reliability(Exponential(5 / (500 + REFIT_S)), 6, is_known=True)


def test_a_node_that_has_woken_up_knows_it_at_once() -> None:
    turn = turn_of(NEVER_ONLINE)
    staying = Staying(turn, lambda: 1.0, lambda: 0)
    assert staying.reliability.lifetime is UNKNOWN
    turn.begin(1010.0)
    turn.come_on_line(OFTEN)
    assert staying.reliability.lifetime == Exponential(5 / 500)


@pytest.mark.parametrize("lifetime", [Exponential(1 / 4096), Weibull(7899.995, 0.7)])
def test_what_is_told_is_what_is_known(lifetime: Exponential | Weibull) -> None:
    staying = Staying(turn_of(OFTEN), lambda: 1.0, lambda: 0)
    known = Reliability(lifetime, 5, is_known=True)
    staying._reliability, staying._since = known, 1000.0
    staying._fitted_at = 1000.0
    assert reliability_told(decode(encode(staying.stay), Stay)) == known
    assert len(encode(staying.stay)) <= 31


@pytest.mark.parametrize(
    "told", [(-1, 1.0, 1.0), (1, 0.0, 1.0), (1, math.inf, 1.0), (1, math.nan, 1.0), (1, 1.0, -1.0), (1, 1.0, math.nan)]
)
def test_what_cannot_be_is_not_believed(told: tuple[int, float, float]) -> None:
    periods, scale_s, shape = told
    assert reliability_told(Stay(periods, True, scale_s, shape)) is None


def test_nodes_hear_of_each_other_how_long_they_tend_to_stay() -> None:
    company = Company("ash", "elm")
    company.wait(1.0)
    (member,) = company["ash"].node.medium.members.members()
    assert member.heartbeat is not None
    assert member.heartbeat.stay == Stay(1, False, 1e8, 1.0)


def test_what_a_node_is_good_for_is_what_it_told_and_what_cannot_be_counts_as_not_told() -> None:
    assert ability_told(Stay(5, True, 4096.0, 1.0, speed=2.0)) == Ability(Exponential(1 / 4096), 2.0)
    assert ability_told(Stay(1, False, 4096.0, 1.0)) == SILENT, "it does not know how long it stays"
    assert ability_told(Stay(5, True, -1.0, 1.0)) == SILENT
    for speed in (0.0, -1.0, 1e9, math.nan, math.inf):
        assert ability_told(Stay(5, True, 4096.0, 1.0, speed=speed)).speed == 1.0


def test_a_node_tells_how_fast_it_is_and_which_processors_it_has() -> None:
    stay = Staying(turn_of(OFTEN), lambda: 2.5, lambda: 7).stay
    assert (stay.speed, stay.processor) == (2.5, 7)
    assert ability_told(decode(encode(stay), Stay)).processor == 7
