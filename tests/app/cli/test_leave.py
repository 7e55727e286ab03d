"""`roost leave` beside a node that a test plays; real ones are in tests/real/test_leaving.py."""

import json
from pathlib import Path
from typing import Any

from roost.runtime.home import Home
from roost.runtime.trust.key_file import KeyStore
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import Asked, FakeNode, error

DRAINED = {"draining": True, "running": 0, "unwritten": 0, "only_here": 0, "others": 1, "may_stop": True}


def test_it_drains_then_leaves_and_waits_for_the_end(roost: Roost, home: Path) -> None:
    node = FakeNode(home)

    def leave(_asked: Asked) -> Any:
        node.release()
        return {"stopping": True}

    node.answers |= {"POST /v1/drain": DRAINED, "POST /v1/leave": leave}
    node.pid = 2**22 + 1
    node.start()
    ended = roost("leave", "--json")
    assert (ended.code, json.loads(ended.out)) == (0, {"left": True})
    assert [asked.path for asked in node.asked] == ["/v1/drain", "/v1/leave"]
    assert node.posted("/v1/leave") == [{"force": False}]
    node.stop()


def test_one_that_may_not_leave_is_told_why_and_works_on(roost: Roost, node: FakeNode) -> None:
    refusal = error("unavailable", "this node cannot leave yet: no other node is there")
    node.answers |= {"POST /v1/drain": DRAINED, "POST /v1/leave": (503, refusal)}
    ended = roost("leave")
    assert ended.code == 4
    assert ended.err == "roost: this node cannot leave yet: no other node is there\n"
    assert node.posted("/v1/drain")[-1] == {"on": False}


def test_without_a_node_it_takes_force(roost: Roost, home: Path) -> None:
    Home(home).create()
    KeyStore(Home(home)).ensure("attic")
    refused = roost("leave")
    assert refused.code == 4
    assert "no node runs here that could hand over what it has; 'roost up', then leave" in refused.err
    assert KeyStore(Home(home)).load() is not None
    assert roost("leave", "--force").code == 0
    assert KeyStore(Home(home)).load() is None
