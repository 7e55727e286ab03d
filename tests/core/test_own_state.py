"""The state of a node itself: judged when something changes and now and then, and told to others."""

from roost.core.clock_bounds import ClockBounds
from roost.core.events import Awoke, VitalsChanged
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.core.own_state import JUDGE_S, SEEN_MAX, OwnState
from roost.core.staying import Staying
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.online import NEVER_ONLINE, OnlineLog, Stretch
from roost.model.vitals import SOUND, Condition, NodeState, Sign, Vitals
from roost.policy.node_state import HISTORY_S
from roost.wire.codec import encode
from roost.wire.messages import Heartbeat
from tests.core.company import Company
from tests.core.harness import ASH

LOW = Vitals(remaining=0.3)
#: Ten stretches of five minutes: another ten minutes with 14 % at most.
OFTEN = OnlineLog(tuple(Stretch(1000.0 * at, 1000.0 * at + 300.0) for at in range(10)))


def judged_by(log: OnlineLog = NEVER_ONLINE) -> tuple[OwnState, Turn]:
    turn = Turn(ASH, 1, ClockBounds(ASH), Tickets(), log)
    turn.begin(20_000.0)
    turn.come_on_line(log)
    own = OwnState(turn, Staying(turn, lambda: 1.0, lambda: 0))
    own.begin()
    turn.stirred = False
    return own, turn


def test_a_node_that_has_never_told_of_anything_is_very_stable() -> None:
    own, turn = judged_by()
    own.tick()
    assert (turn.condition, turn.stirred) == (SOUND, False)


def test_a_battery_that_runs_low_is_judged_at_once_and_stirs() -> None:
    own, turn = judged_by()
    own.feel(LOW)
    assert turn.condition == Condition(NodeState.UNSTABLE, Sign.REMAINING, 30)
    assert (turn.vitals, turn.stirred) == (LOW, True)


def test_how_long_the_node_stays_counts_from_its_log() -> None:
    own, turn = judged_by(OFTEN)
    assert turn.condition == SOUND
    own.tick()
    assert (turn.condition.state, turn.condition.sign) == (NodeState.STABLE, Sign.STAY)
    assert turn.stirred


def test_time_alone_has_it_judged_anew_now_and_then() -> None:
    own, turn = judged_by()
    own.feel(Vitals(remaining=0.9))
    turn.begin(20_000.0 + 450.0)
    own.feel(Vitals(remaining=0.7))
    assert turn.condition == SOUND
    # The line falls the more steeply the longer it is so, up to the middle of what is looked at.
    turn.begin(20_000.0 + 450.0 + JUDGE_S - 1.0)
    own.tick()
    assert turn.condition == SOUND
    turn.begin(20_000.0 + 450.0 + 300.0)
    turn.stirred = False
    own.tick()
    assert (turn.condition.state, turn.condition.percent, turn.stirred) == (NodeState.STABLE, 70, True)
    turn.begin(20_000.0 + 450.0 + HISTORY_S + 1.0)
    own.tick()
    assert turn.condition == SOUND, "it has not fallen any more"


def test_what_led_to_it_before_a_sleep_says_nothing_but_a_battery_is_as_low_as_it_was() -> None:
    own, turn = judged_by()
    own.feel(Vitals(remaining=0.9))
    turn.begin(20_000.0 + 300.0)
    own.feel(Vitals(remaining=0.62))
    turn.begin(20_000.0 + 600.0)
    own.tick()
    assert turn.condition.state is NodeState.UNSTABLE, "it seems to lead to 20 % in ten minutes"
    turn.come_on_line(NEVER_ONLINE)
    own.begin()
    own.tick()
    assert turn.condition.state is NodeState.STABLE, "62 %, and nothing but the margin speaks against it"
    own.feel(LOW)
    own.begin()
    own.tick()
    assert turn.condition.state is NodeState.UNSTABLE


def test_history_stays_small() -> None:
    own, turn = judged_by()
    for at in range(3 * SEEN_MAX):
        turn.begin(20_000.0 + at / 10)
        own.feel(Vitals(remaining=1.0 - at / 10_000))
    assert len(own._history) == SEEN_MAX
    turn.begin(20_000.0 + 10 * HISTORY_S)
    own.tick()
    assert len(own._history) == 1


def test_others_hear_of_a_state_that_is_not_the_best_and_only_then() -> None:
    company = Company("ash", "elm")
    company.wait(2 * HEARTBEAT_S)
    usual = company.said_by("ash", Heartbeat)[-1]
    assert usual.condition is None
    assert b"condition" not in encode(usual)
    company["ash"].feed(VitalsChanged(LOW))
    assert company["ash"].node.condition.state is NodeState.UNSTABLE
    company.wait(2 * HEARTBEAT_S)
    assert company["elm"].node.peers.state_of(ASH) is NodeState.UNSTABLE
    assert company["elm"].node.peers.any_unstable
    told = company.said_by("ash", Heartbeat)[-1]
    assert len(encode(told)) - len(encode(usual)) <= 20
    company["ash"].feed(VitalsChanged(Vitals()))
    company.wait(2 * HEARTBEAT_S)
    assert not company["elm"].node.peers.any_unstable


def test_a_node_that_wakes_up_is_judged_anew() -> None:
    company = Company("ash", "elm")
    company["ash"].feed(VitalsChanged(Vitals(remaining=0.9)))
    company.wait(300.0)
    company["ash"].feed(VitalsChanged(Vitals(remaining=0.7)))
    company.wait(300.0)
    assert company["ash"].node.condition.state is NodeState.STABLE
    company["ash"].feed(Awoke(NEVER_ONLINE))
    company.wait(2 * HEARTBEAT_S)
    assert company["ash"].node.condition == SOUND
