"""How executions have ended travels through the journal, and begins with none."""

from roost.model.executions import NO_EXECUTIONS, Executions
from roost.wire.codec import decode, encode


def test_it_begins_with_none_and_is_kept_as_it_is() -> None:
    assert Executions(finished=0, aborted=0) == NO_EXECUTIONS
    assert decode(encode(Executions(12, 3)), Executions) == Executions(12, 3)
