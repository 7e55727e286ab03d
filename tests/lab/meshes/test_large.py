"""Numbers of nodes that only the policy is tried with."""

from roost.lab.meshes.large import Crowd, span_of


def test_nodes_that_stay_do_as_much_each() -> None:
    spanned = span_of(Crowd(50, 3, 1000.0, 0.05, 1))
    assert spanned.executions == 150
    assert 3000.0 <= spanned.make_span_s < 3001.0
    assert spanned.ideal_s == 3000.0
