"""How a mesh of real nodes grows."""

import pytest

from roost.lab.meshes.scale import Load, Quiet, be_quiet, cost_of_quiet, cost_of_work, work


def test_a_mesh_at_work_is_near_the_ideal() -> None:
    worked = work(Load(4, 3, 2.0, 1))
    assert worked.ideal_s == 6.0
    assert 6.0 <= worked.make_span_s < 7.0
    assert worked.begun == 12
    assert worked.bytes < worked.copied_bytes


def test_what_an_idle_node_says_does_not_grow_with_the_mesh() -> None:
    few, more = (be_quiet(Quiet(nodes, 4.0, 1)) for nodes in (10, 20))
    assert more.messages == pytest.approx(few.messages, rel=0.1)
    assert more.bytes == pytest.approx(few.bytes, rel=0.1)


def test_what_a_node_costs_is_measured() -> None:
    assert cost_of_quiet(Quiet(2, 1.0, 1)).ms_per_node_second > 0.0
    assert cost_of_work(Load(2, 1, 1.0, 1)).ms_per_node_second > 0.0
