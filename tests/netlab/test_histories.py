"""A node in the laboratory that was on line before there was one."""

from itertools import pairwise
from random import Random
from statistics import mean

import pytest

from netlab.bridge import BridgedLan
from netlab.histories import drawn_history, live_before
from netlab.marks import needs_network_lab
from netlab.nodes import LabNode

PERIODS = 2000


def test_a_drawn_history_has_so_many_lives_as_long_as_was_said_with_pauses_between_them() -> None:
    stretches = drawn_history(Random(1), 60.0, 5.0, periods=50).stretches
    assert len(stretches) == 50
    assert all(one.ended_s < other.began_s for one, other in pairwise(stretches))
    many = drawn_history(Random(1), 60.0, 5.0, PERIODS)
    assert many.times == PERIODS
    assert many.total_s / PERIODS == pytest.approx(60.0, rel=0.1)
    pauses = [other.began_s - one.ended_s for one, other in pairwise(many.stretches)]
    assert mean(pauses) == pytest.approx(5.0, rel=0.2)


@pytest.mark.real
@needs_network_lab
def test_a_node_that_starts_knows_its_history_as_if_it_had_lived_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    log = drawn_history(Random(1), 60.0, 5.0)
    with BridgedLan(1) as lan:
        node = LabNode(lan.host(1), tmp_path_factory.mktemp("node"))
        node.home.create()
        live_before(node.home, log)
        node.start()
        with node.control() as control:
            told = control.get("/v1/status")["reliability"]
        node.close()
    assert (told["known"], told["periods"]) == (True, log.times + 1)
    assert told["mean_s"] == pytest.approx(log.total_s / log.times, rel=0.1)
