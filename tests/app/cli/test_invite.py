"""What an invitation hands over; two machines that pair are in tests/real/test_joining.py."""

from roost.app.cli.invite import _nodes
from roost.client.control import this_home
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode


def test_the_nodes_are_those_that_the_node_knows(roost: Roost, node: FakeNode) -> None:
    known = [{"node": "ash", "address": "10.0.0.1:47801"}, {"node": "elm", "address": ""}]
    node.answers["GET /v1/nodes"] = {"nodes": [{**each, "standing": "alive"} for each in known]}
    assert _nodes(this_home()) == known


def test_without_a_node_its_name_is_settled_now_so_that_nobody_else_gets_it(roost: Roost) -> None:
    home = this_home()
    home.create()
    (alone,) = _nodes(home)
    assert alone["address"] == ""
    assert _nodes(home) == [alone]


def test_the_help_has_an_example(roost: Roost) -> None:
    assert "roost invite" in roost("invite", "--help").out
