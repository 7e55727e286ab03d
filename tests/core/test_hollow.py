"""Values without their data are values of the same shape, in which nothing of it is left."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.core.actions import LookUp
from roost.core.events import ElementsDone, Heard, Recalled
from roost.core.hollow import emptied, filled, measured
from roost.model.clock import Stamp
from roost.model.ids import BlobHash, LeaseId, NodeId, RunId, TaskId
from roost.model.segments import Segment, pack
from roost.wire.messages import Delivery, Purpose, RunDigests
from tests.strategies import fact_strategies, message_strategies, segments

SECRET = b"the number of an account"
ANYTHING = st.one_of(*fact_strategies.values(), *message_strategies.values())


@given(ANYTHING)
def test_only_the_data_is_taken_out(value: Any) -> None:
    hollow = measured(value)
    assert type(hollow) is type(value)
    assert emptied(hollow) == emptied(value)
    assert emptied(filled(hollow)) == emptied(value)


@given(segments)
def test_what_is_filled_has_as_many_values_and_as_many_bytes(segment: Segment) -> None:
    again = filled(measured(segment))
    assert (again.start, again.count, len(again.payload)) == (segment.start, segment.count, len(segment.payload))
    assert len(again.values()) == segment.count


@pytest.mark.parametrize("length", [254, 255, 256, 8_190, 8_200, 65_535, 65_536, 70_000])
def test_long_values_keep_their_length(length: int) -> None:
    segment = pack(3, [b"x" * length, b"y", b""])
    again = filled(measured(segment))
    assert len(again.payload) == len(segment.payload)
    assert again.cut(4, 6).values()[0] == b""


def test_what_was_no_list_of_values_stays_none() -> None:
    announced = Segment(0, 1_000_000_000, b"few")
    assert filled(measured(announced)) == Segment(0, 1_000_000_000, bytes(3))


def test_data_is_found_wherever_it_is() -> None:
    delivery = Delivery(
        Purpose.INPUTS, blobs=((BlobHash("00ff"), SECRET),), items=((TaskId("5-kedova/a"), pack(0, [SECRET])),)
    )
    heard = Heard(NodeId("oak"), Stamp(1, 0, NodeId("oak")), delivery)
    done = ElementsDone(LeaseId(1), (pack(0, [SECRET]),), 0.1)
    for value in (heard, Recalled((), (), about=heard), done, LookUp((), (), heard)):
        assert SECRET in repr(value).encode()
        assert SECRET not in repr(measured(value)).encode()
        assert SECRET not in repr(emptied([value])).encode()


def test_bytes_by_which_the_core_decides_stay() -> None:
    digests = RunDigests((1,), ((RunId("5-kedova"), b"12345678"),))
    assert measured(digests) == emptied(digests) == digests
