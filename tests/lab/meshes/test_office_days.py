"""LAN's test on real nodes."""

import pytest

from roost.lab.meshes.office_days import OfficeDay, live_through
from roost.model.errors import InvalidInput

LOW = (False,) * 4


def test_a_node_alone_does_the_chain_without_waiting() -> None:
    result = live_through(OfficeDay(1, ((0, LOW),), 120.0, 1))
    assert result.make_span_min == pytest.approx(8.0, abs=0.001)
    assert result.wait_min == pytest.approx(0.0, abs=0.001)


def test_two_chains_on_two_nodes_wait_for_milliseconds() -> None:
    result = live_through(OfficeDay(2, ((0, LOW), (0, LOW)), 12.0, 1))
    assert result.make_span_min == pytest.approx(0.8, abs=0.01)


def test_what_failed_nodes_were_at_is_done_by_the_others() -> None:
    whole, left = (live_through(OfficeDay(3, ((0, LOW), (1, LOW)), 120.0, 1, failing)) for failing in (0, 2))
    assert left.make_span_min > whole.make_span_min + 2.0
    assert left.make_span_min < 20.0


def test_not_all_nodes_can_fail() -> None:
    with pytest.raises(InvalidInput, match="one has to do the work"):
        live_through(OfficeDay(2, ((0, LOW),), 1.0, 1, 2))
