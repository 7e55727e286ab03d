"""What `join` refuses before it asks anybody; two machines that pair are in tests/real/test_joining.py."""

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode

CODE = "4821-kedovami-ributano"


@pytest.mark.parametrize("code", ["hello", "4821", "4821-kedovami", ""])
def test_what_is_no_code_is_refused_in_one_sentence(roost: Roost, code: str) -> None:
    ended = roost("join", code)
    assert ended.code != 0
    assert ended.err.startswith("roost: ")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("at", ["ash", "ash:", ":80", "ash:http", "ash:70000"])
def test_an_address_has_a_host_and_a_port(roost: Roost, at: str) -> None:
    assert "write HOST:PORT" in roost("join", CODE, "--at", at).err


def test_a_node_that_runs_keeps_its_key(roost: Roost, node: FakeNode) -> None:
    assert "roost down" in roost("join", CODE).err


def test_nobody_at_the_address_is_said(roost: Roost) -> None:
    ended = roost("join", CODE, "--at", "127.0.0.1:1")
    assert ended.code == 4
    assert "cannot be joined" in ended.err
    assert "roost invite" in ended.err
