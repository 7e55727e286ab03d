"""What an invitation hands over; two machines that pair are in tests/real/test_joining.py."""

from roost.app.cli.invite import _addresses
from roost.app.control import this_home
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode


def test_the_addresses_are_those_that_the_node_knows(roost: Roost, node: FakeNode) -> None:
    known = [{"address": "10.0.0.1:47801"}, {"address": ""}, {"address": "10.0.0.2:47801"}]
    node.answers["GET /v1/nodes"] = {"nodes": known}
    assert _addresses(this_home()) == ("10.0.0.1:47801", "10.0.0.2:47801")


def test_without_a_node_nobody_knows_any(roost: Roost) -> None:
    assert _addresses(this_home()) == ()


def test_the_help_has_an_example(roost: Roost) -> None:
    assert "roost invite" in roost("invite", "--help").out
