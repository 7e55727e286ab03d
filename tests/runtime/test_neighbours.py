"""The nodes of the cluster as one of them sees them."""

from pathlib import Path

import pytest

from roost.core.events import Heard, Started
from roost.core.telling.network_views import Offered, ReliabilityView
from roost.model.clock import Stamp
from roost.model.ids import NodeId, TaskId
from roost.model.limits import BEATS_PER_BOOT
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.vitals import Condition, NodeState, Role, Sign
from roost.runtime.neighbours import node_views
from roost.wire.messages import Claim, Heartbeat, Hello, Members, News, RunningLease, Standing, Stay
from tests.runtime.networking import run, stations
from tests.tokens import attempt

ELM, OAK, YEW = NodeId("elm"), NodeId("oak"), NodeId("yew")
OFFERS = Capacity.of(4.0, 2**30, "3.12")


def stamp(node: NodeId) -> Stamp:
    return Stamp(1_000, 0, node)


def test_every_node_is_shown_with_what_it_said_and_the_gone_last(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with stations(tmp_path, "ash") as (ash,):
            lease = RunningLease(TaskId("1-bababa/work"), attempt(1), RangeSet.span(0, 3))
            finished = RunningLease(TaskId("1-bababa/work"), attempt(2), RangeSet.span(3, 4), 1.0)
            claim = Claim(stamp(ELM), ELM)
            beat = Heartbeat(
                ELM,
                1,
                0,
                BEATS_PER_BOOT + 1,
                OFFERS,
                1.5,
                (lease, finished),
                coordinator=claim,
                stay=Stay(12, True, 7899.995, 0.7),
                condition=Condition(NodeState.UNSTABLE, Sign.REMAINING, 30),
            )
            gone, word = News(OAK, 1, 0, Standing.ALIVE), News(YEW, 1, 0, Standing.ALIVE, "10.0.0.7:4000")
            ash.node.handle(Started(), 1.0)
            for sender, message in (
                (OAK, Hello(gone)),
                (ELM, beat),
                (ELM, Members((word,))),
                (OAK, Members((News(OAK, 1, 1, Standing.LEFT),))),
            ):
                ash.node.handle(Heard(sender, stamp(sender), message), 1.1)
            own, elm, yew, oak = node_views(ash.node, ash.network)
            assert (own.node, own.address, own.standing) == ("ash", ash.network.address, Standing.ALIVE)
            assert (own.offers, own.free_cpus, own.heard_s_ago) == (Offered(1, 2**30, "3.11"), 1, 0.0)
            assert (elm.node, elm.offers, elm.free_cpus, elm.leases, elm.coordinator) == (
                ELM,
                Offered.of(OFFERS),
                1.5,
                1,
                True,
            )
            assert own.reliability == ReliabilityView("exponential", 1, False, 1e8, rate=1e-8)
            assert elm.reliability is not None
            assert (elm.reliability.model, elm.reliability.periods, elm.reliability.known) == ("weibull", 12, True)
            assert (elm.reliability.scale, elm.reliability.shape, elm.reliability.rate) == (7899.995, 0.7, None)
            assert elm.reliability.mean_s == pytest.approx(10_000.0, rel=1e-5)
            assert (yew.reliability, oak.reliability) == (None, None)
            assert elm.attributes == OFFERS.attributes
            assert own.attributes["python"] == "3.11"
            assert yew.attributes == {}
            assert (own.state, own.role) == ("very stable", Role.SUPER_PEER)
            assert (elm.state, elm.role, elm.why) == ("unstable", Role.WORKER, "its battery is at 30 %")
            assert (yew.state, yew.role, yew.why) == (None, None, None)
            assert (yew.node, yew.address, yew.offers, yew.heard_s_ago) == (YEW, "10.0.0.7:4000", None, None)
            assert (oak.node, oak.standing) == (OAK, Standing.LEFT)

    run(scenario())


def test_without_a_network_there_is_only_this_one(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with stations(tmp_path, "ash") as (ash,):
            (own,) = node_views(ash.node, None)
            assert (own.node, own.address, own.coordinator) == ("ash", "", False)

    run(scenario())
