"""Machines come and go by a schedule."""

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from statistics import mean

import pytest

from netlab.bridge import BridgedLan
from netlab.churn import Absence, Machine, churning, drawn_absences
from netlab.errors import LabError
from netlab.executions import uptime_s
from netlab.marks import needs_network_lab
from netlab.nodes import LabNode
from netlab.waiting import wait_until

SELDOM, OFTEN = Machine(1000.0, 10.0), Machine(10.0, 2.0)


def test_the_same_seed_draws_the_same_schedule_and_another_one_another() -> None:
    drawn = [drawn_absences(Random(seed), {1: SELDOM, 2: OFTEN}, 500.0) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0] == sorted(drawn[0], key=lambda absence: absence.dies_at_s)


def test_machines_stay_and_are_away_as_long_as_their_rates_say() -> None:
    absences = drawn_absences(Random(1), {1: SELDOM, 2: OFTEN}, 100_000.0)
    for number, machine in ((1, SELDOM), (2, OFTEN)):
        own = [absence for absence in absences if absence.number == number]
        assert mean(one.returns_at_s - one.dies_at_s for one in own) == pytest.approx(machine.away_s, rel=0.3)
        stays = [after.dies_at_s - before.returns_at_s for before, after in pairwise(own)]
        assert mean(stays) == pytest.approx(machine.stays_s, rel=0.3)
        assert min(stays) >= 0


@pytest.fixture
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabNode]:
    with BridgedLan(1) as lan:
        made = LabNode(lan.host(1), tmp_path_factory.mktemp("node"))
        yield made
        made.close()


@pytest.mark.real
@needs_network_lab
def test_a_node_is_killed_when_its_time_has_come_and_started_again(node: LabNode) -> None:
    node.start()
    began = uptime_s()
    with node.control() as control, churning({1: node}, [Absence(1, 0.1, 0.2), Absence(1, 1000.0, 1001.0)]) as deaths:
        wait_until(lambda: deaths and node.running, "that it was killed and is back")
        node.await_listening()
        assert control.get("/v1/status")["boot"] == 2
    assert [death.host for death in deaths] == ["host1"]
    assert began + 0.1 <= deaths[0].at_s <= uptime_s()
    assert node.running


@pytest.mark.real
@needs_network_lab
def test_what_fails_while_it_is_played_is_told_at_the_end(node: LabNode) -> None:
    with pytest.raises(LabError, match="there is no node on host1"):
        fail_to_kill(node)


def fail_to_kill(node: LabNode) -> None:
    over = uptime_s() + 0.3
    with churning({1: node}, [Absence(1, 0.0, 1000.0)]):
        wait_until(lambda: uptime_s() > over, "that it has been tried")
