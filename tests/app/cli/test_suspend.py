"""`roost suspend`."""

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, run


def test_suspend_says_how_many_elements_it_concerned(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(run(5))
    node.answers["POST /v1/runs/5-kedova/suspend"] = {"elements": 2, "warnings": []}
    assert roost("suspend", "last") == (0, "", "5-kedova: suspended 2 elements\n")


def test_suspend_needs_a_run(roost: Roost, node: FakeNode) -> None:
    assert roost("suspend").code == 2
    assert node.asked == []
