"""What came of the work."""

from msgspec.structs import replace

from roost.lab.what_if.outcome import Outcome

ONE = Outcome(
    is_done=True, make_span_s=10.0, busy_s=40.0, aborted_s=3.0, repeated_s=1.0, executions=5, deaths=1,
    nodes_variance=0.0, nodes_jain=1.0,
)  # fmt: skip


def test_what_was_in_vain_is_a_share_of_the_busy_time() -> None:
    assert ONE.wasted == 0.1
    assert replace(ONE, busy_s=0.0, aborted_s=0.0).wasted == 0.0
