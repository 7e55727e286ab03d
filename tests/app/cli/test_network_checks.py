"""What the doctor says about finding other nodes."""

from pathlib import Path
from typing import Any

from roost.app.cli.checks import FAIL, OK, WARN
from roost.app.cli.network_checks import network_findings
from roost.runtime.home import Home
from tests.app.cli.fake_node import FakeNode


def way(name: str, works: bool | None, said: str = "said") -> dict[str, Any]:
    return {"way": name, "works": works, "heard": 0, "heard_s_ago": None, "said": said}


def nodes(*standings: str) -> list[dict[str, Any]]:
    return [{"node": f"node{number}", "standing": standing} for number, standing in enumerate(standings)]


def test_without_a_node_nothing_is_said(home: Path) -> None:
    assert network_findings(Home(home)) == []


def test_a_node_that_stays_alone_by_its_owner_s_wish_is_well(home: Path, node: FakeNode) -> None:
    node.answers["GET /v1/nodes"] = {"nodes": nodes("alive"), "network": None}
    (finding,) = network_findings(Home(home))
    assert finding.verdict == OK
    assert "stays alone" in finding.found


def test_each_way_says_how_it_does_and_remarks_are_warnings(home: Path, node: FakeNode) -> None:
    ways = [way("multicast", False, "eth0 refuses it"), way("broadcast", True), way("mdns", None)]
    network = {"address": "10.0.0.1:47801", "ways": ways, "remarks": ["the clock of elm is off"]}
    node.answers["GET /v1/nodes"] = {"nodes": nodes("alive", "alive", "dead"), "network": network}
    findings = network_findings(Home(home))
    told = [(finding.verdict, finding.what) for finding in findings]
    assert told == [(OK, "network"), (WARN, "multicast"), (OK, "broadcast"), (OK, "mdns"), (WARN, "network")]
    assert findings[0].found == "2 nodes; this one is at 10.0.0.1:47801"
    assert (findings[1].found, "peers" in findings[1].remedy) == ("eth0 refuses it", True)
    assert findings[4].found == "the clock of elm is off"


def test_a_lone_node_says_so(home: Path, node: FakeNode) -> None:
    network: dict[str, Any] = {"address": "10.0.0.1:47801", "ways": [], "remarks": []}
    node.answers["GET /v1/nodes"] = {"nodes": nodes("alive"), "network": network}
    assert network_findings(Home(home))[0].found.startswith("alone so far")


def test_another_node_with_the_same_name_is_a_failure(home: Path, node: FakeNode) -> None:
    network: dict[str, Any] = {"address": "a:1", "ways": [], "remarks": [], "namesake_at": "10.0.0.9"}
    node.answers["GET /v1/nodes"] = {"nodes": nodes("alive"), "network": network}
    (loud,) = [finding for finding in network_findings(Home(home)) if finding.verdict == FAIL]
    assert loud.found.startswith("ANOTHER NODE HAS THE NAME OF THIS ONE, at 10.0.0.9")
    assert "roost leave --force" in loud.remedy
