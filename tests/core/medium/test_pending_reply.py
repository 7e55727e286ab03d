"""The answer to a submission says if fewer disks have it than a person wanted."""

import pytest

from roost.core.actions import Accepted, Refused, Reply
from roost.core.medium.pending_reply import PendingReply
from roost.model.ids import CauseId
from tests.core.harness import RUN

CAUSE = CauseId("submit-1")


@pytest.mark.parametrize(
    ("disks", "warning"), [(1, "it is on 1 disk and not on 3"), (2, "it is on 2 disks and not on 3")]
)
def test_too_few_disks_are_a_warning(disks: int, warning: str) -> None:
    reply = PendingReply(RUN, Reply(CAUSE, Accepted(elements=2, warnings=("w",))), safe=3).on_disks(disks)
    assert isinstance(reply.outcome, Accepted)
    first, second = reply.outcome.warnings
    assert (first, second) == ("w", f"{warning}, because no more nodes are there")


def test_enough_disks_and_what_was_not_accepted_are_answered_as_they_are() -> None:
    accepted, refused = Reply(CAUSE, Accepted()), Reply(CAUSE, Refused("no"))
    assert PendingReply(RUN, accepted, safe=2).on_disks(2) is accepted
    assert PendingReply(RUN, accepted).on_disks(1) is accepted
    assert PendingReply(RUN, refused, safe=2).on_disks(1) is refused
