"""Who has done how much and for whom, and how evenly."""

import pytest

from roost.core.telling.work_shared import Evenness, WorkOf, work_shared
from roost.model.ids import NodeId
from tests.core.harness import ASH, OTHER_RUN, Bench, task

ELM = NodeId("elm")


def test_what_was_done_is_told_by_node_and_by_user() -> None:
    bench = Bench(task("a", 4), cpus=1)
    for index in "0123":
        bench.done("a", index, each_s=2.0)
    bench.submit(task("b", 2, run=OTHER_RUN), owner="bob")
    bench.done("b", "0", each_s=6.0, run=OTHER_RUN)
    told = work_shared(bench.node.queue.usage, (ASH, ELM))
    assert told.nodes == [WorkOf(ASH, 5, pytest.approx(14.0)), WorkOf(ELM, 0, 0.0)]
    assert told.users == [WorkOf("ann", 4, pytest.approx(8.0)), WorkOf("bob", 1, pytest.approx(6.0))]
    # (5 + 0)² / (2 · 25), and with the mean 2.5 (6.25 + 6.25) / 1.
    assert told.elements_by_node == Evenness(0.5, 12.5)
    # (4 + 1)² / (2 · 17), and with the mean 2.5 (2.25 + 2.25) / 1.
    assert told.elements_by_user == Evenness(pytest.approx(25 / 34), 4.5)
    # (8 + 6)² / (2 · 100), and with the mean 7 (1 + 1) / 1.
    assert told.busy_s_by_user == Evenness(pytest.approx(0.98), pytest.approx(2.0))


def test_where_nothing_was_done_there_is_nothing_to_measure() -> None:
    told = work_shared(Bench().node.queue.usage, (ASH,))
    assert (told.nodes, told.users) == ([WorkOf(ASH, 0, 0.0)], [])
    assert told.elements_by_node == told.busy_s_by_user == Evenness(None, None)
