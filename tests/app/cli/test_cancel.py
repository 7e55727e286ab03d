"""`roost cancel`."""

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, run


def test_cancel_says_how_many_elements_it_concerned(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5))
    node.answers["POST /v1/runs/5-kedova/cancel"] = {"elements": 2, "warnings": []}
    assert roost("cancel", "last") == (0, "", "5-kedova: cancelled 2 elements\n")


def test_cancel_needs_a_run(roost: Roost, node: FakeNode) -> None:
    assert roost("cancel").code == 2
    assert node.asked == []
