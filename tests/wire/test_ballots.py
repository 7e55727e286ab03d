"""What nodes say to decide by a quorum; tests/wire/test_messages.py has what holds for all messages."""

import msgspec
import pytest

from roost.model.ballots import Ballot
from roost.model.elements import Elements
from roost.model.errors import PeerError
from roost.model.ids import NodeId, TaskId
from roost.model.limits import BALLOT_NUMBER_MAX
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.states import Done
from roost.wire.ballots import Hold, Outvoted
from roost.wire.codec import decode, encode
from tests.tokens import attempt

ASH = NodeId("ash")


def test_results_cross_with_the_vote_that_they_are_for() -> None:
    values = Elements({Done(attempt(3), ASH): RangeSet.span(0, 2)})
    hold = Hold(TaskId("1-bababa/a"), 0, Ballot(1, ASH, 1), values, ((attempt(3), ASH, pack(0, [b"x", b"y"])),), ASH)
    assert decode(encode(hold), Hold) == hold


@pytest.mark.parametrize("number", [-1, BALLOT_NUMBER_MAX + 1])
def test_a_number_that_no_ballot_has_is_refused(number: int) -> None:
    ballot = Ballot(1, ASH, 1)
    told = encode(msgspec.structs.replace(Outvoted(ballot, ballot), largest=Ballot(number, ASH, 1)))
    with pytest.raises(PeerError):
        decode(told, Outvoted)
