"""Who else is there."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from roost.core.clock_bounds import ClockBounds
from roost.core.peers import ABILITIES_S, EXPECT_S, SETTLED_S, Network, Peers
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.model.vitals import Condition, NodeState, Sign
from roost.policy.company import Ability, company_of
from roost.policy.expected_length import NOTHING_SEEN
from roost.policy.reliability import Exponential
from roost.wire.messages import Heartbeat, Standing, Stay
from tests.core.harness import ASH

ELM, OAK = NodeId("elm"), NodeId("oak")


def beat(
    node: NodeId, *, draining: bool = False, state: NodeState | None = None, stay: Stay | None = None
) -> Heartbeat:
    condition = None if state is None else Condition(state, Sign.REMAINING)
    offers = Capacity.of(2.0, 2**30, "3.11")
    return Heartbeat(node, 1, 0, 1, offers, 1.0, draining=draining, condition=condition, stay=stay)


class Heard:
    """A network that has heard some nodes."""

    def __init__(self, *beats: Heartbeat, standing: Standing = Standing.ALIVE) -> None:
        self._members: dict[str, Any] = {one.node: SimpleNamespace(heartbeat=one, standing=standing) for one in beats}

    def member(self, node: NodeId) -> Any:
        return self._members.get(node)

    def delivery_s(self) -> float:
        return 0.01


def peers(network: Network | None, *others: NodeId) -> tuple[Peers, Turn]:
    turn = Turn(ASH, 1, ClockBounds(ASH), Tickets())
    turn.begin(100.0)
    found = Peers(turn)
    if network is not None:
        found.on(network)
    if others:
        found.regroup(others)
    return found, turn


def test_without_a_network_there_is_nobody_ever() -> None:
    alone, turn = peers(None)
    alone.expect()
    assert (alone.on_network, alone.has_company, alone.window_s()) == (False, False, 0.0)
    assert alone.heartbeat_of(ELM) is None
    assert turn.stirred


def test_others_whom_nobody_can_name_are_company() -> None:
    unnamed, _ = peers(None)
    unnamed.may_be_unnamed = True
    assert (unnamed.others, unnamed.has_company, unnamed.on_network) == ((), True, False)


def test_who_is_expected_is_company_for_a_while() -> None:
    alone, turn = peers(Heard())
    assert not alone.has_company
    alone.expect()
    assert alone.has_company
    assert alone.next_deadline() == 100.0 + EXPECT_S
    turn.begin(100.0 + EXPECT_S)
    assert not alone.has_company


def test_what_waits_may_start_when_those_who_were_expected_have_not_come() -> None:
    alone, turn = peers(Heard())
    alone.expect()
    turn.stirred = False
    turn.begin(100.0 + EXPECT_S / 2)
    alone.tick()
    assert not turn.stirred
    turn.begin(100.0 + EXPECT_S)
    alone.tick()
    assert turn.stirred
    assert alone.next_deadline() is None


def test_nobody_is_expected_any_more_once_somebody_is_there() -> None:
    alone, _ = peers(Heard())
    alone.expect()
    assert alone.expects
    alone.regroup((ELM,))
    assert (alone.expects, alone.has_company) == (False, True)


def test_after_somebody_came_it_takes_a_while_until_all_count_the_same() -> None:
    some, turn = peers(Heard(), ELM)
    assert some.has_company
    assert not some.is_settled()
    turn.begin(100.0 + SETTLED_S)
    assert some.is_settled()
    assert some.window_s() > 0.0


def test_a_suspect_has_said_something_and_is_not_alive() -> None:
    some, _ = peers(Heard(beat(ELM), standing=Standing.SUSPECT), ELM)
    assert some.heartbeat_of(ELM) == beat(ELM)
    assert some.heartbeat_of(ELM, alive=True) is None


def test_who_drains_is_known_by_its_heartbeat_and_by_what_it_said_since() -> None:
    some, _ = peers(Heard(beat(ELM, draining=True)), ELM, OAK)
    assert (some.drains(ELM), some.drains(OAK), some.staying) == (True, False, (OAK,))
    some.said(OAK, drains=True)
    assert some.staying == ()
    some.said(OAK, drains=False)
    assert some.staying == (OAK,)


def test_others_are_in_the_state_that_they_told_last() -> None:
    some, turn = peers(Heard(beat(ELM), beat(OAK)), ELM, OAK)
    assert (some.state_of(ELM), some.any_unstable) == (NodeState.VERY_STABLE, False)
    some.heard(beat(ELM, state=NodeState.STABLE))
    assert (some.state_of(ELM), some.any_unstable) == (NodeState.STABLE, False)
    some.heard(beat(ELM, state=NodeState.UNSTABLE))
    assert (some.state_of(ELM), some.any_unstable) == (NodeState.UNSTABLE, True)
    turn.stirred = False
    some.heard(beat(ELM, state=NodeState.UNSTABLE))
    assert not turn.stirred, "it is as it was"
    some.heard(beat(ELM))
    assert (some.state_of(ELM), some.any_unstable, turn.stirred) == (NodeState.VERY_STABLE, False, True)


def test_who_is_gone_is_in_no_state_and_drains_no_more() -> None:
    some, _ = peers(Heard(beat(ELM)), ELM)
    some.heard(beat(ELM, draining=True, state=NodeState.UNSTABLE))
    assert some.drains(ELM)
    some.gone(ELM)
    assert (some.state_of(ELM), some.any_unstable, some.drains(ELM)) == (NodeState.VERY_STABLE, False, False)


def test_super_peers_are_those_that_were_heard_say_nothing_worse_and_do_not_drain() -> None:
    fir, yew = NodeId("fir"), NodeId("yew")
    some, _ = peers(Heard(beat(ELM), beat(OAK), beat(yew)), ELM, fir, OAK, yew)
    some.heard(beat(OAK, state=NodeState.STABLE))
    some.said(yew, drains=True)
    assert some.supers == (ELM,), "fir was never heard, oak is stable only, and yew drains"
    suspected, _ = peers(Heard(beat(ELM), standing=Standing.SUSPECT), ELM)
    assert suspected.supers == ()


def test_what_others_are_good_for_is_what_they_told_and_is_looked_up_now_and_then() -> None:
    network = Heard(beat(ELM, stay=Stay(9, True, 4096.0, 1.0, speed=2.0)))
    some, turn = peers(network, ELM, OAK)
    elm, own = Ability(Exponential(1 / 4096), 2.0), Ability(Exponential(1e-6))
    assert some.abilities() == {ELM: elm}
    assert some.company(own) == company_of([own, elm], silent=1), "oak has told nothing"
    faster = Ability(own.lifetime, 3.0)
    assert some.company(faster) == company_of([faster, elm], silent=1)
    network._members[ELM].heartbeat = beat(ELM, stay=Stay(10, True, 1024.0, 1.0))
    assert some.abilities() == {ELM: elm}
    turn.begin(100.0 + ABILITIES_S)
    assert some.company(own) == company_of([own, Ability(Exponential(1 / 1024))], silent=1)
    some.regroup((ELM,))
    assert some.company(own) == company_of([own, Ability(Exponential(1 / 1024))]), "at once"


def test_others_with_such_a_processor_tell_how_fast_it_is() -> None:
    def stays(speed: float, processor: int) -> Stay:
        return Stay(9, True, 4096.0, 1.0, speed, processor)

    network = Heard(beat(ELM, stay=stays(4.0, 7)), beat(OAK, stay=stays(9.0, 8)))
    some, turn = peers(network, ELM, OAK)
    assert math.exp(-some.alike(7).mean) == pytest.approx(4.0)
    assert some.alike(9) == some.alike(0) == NOTHING_SEEN
    network._members[ELM].heartbeat = beat(ELM, stay=stays(2.0, 7))
    turn.begin(100.0 + ABILITIES_S)
    assert math.exp(-some.alike(7).mean) == pytest.approx(2.0)
