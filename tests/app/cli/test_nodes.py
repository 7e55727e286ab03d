"""The table of nodes."""

import json
from typing import Any

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode


def view(name: str, **more: Any) -> dict[str, Any]:
    offers = {"cpus": 4.0, "memory_bytes": 2**30, "python": "3.11"}
    known = {"address": "10.0.0.1:47801", "standing": "alive", "free_cpus": 1.5, "offers": offers, "leases": 2}
    state = {"state": "very stable", "role": "super-peer", "why": "nothing speaks against it"}
    return {"node": name, **known, "heard_s_ago": 0.25, "coordinator": False, "reliability": None, **state, **more}


def test_nodes_are_listed_with_what_they_have_free(roost: Roost, node: FakeNode) -> None:
    unheard = {"offers": None, "heard_s_ago": None, "address": "", "state": None, "role": None, "why": None}
    strange = view("elm", standing="dead", **unheard)
    node.answers["GET /v1/nodes"] = {"nodes": [view("ash", coordinator=True), strange], "network": None}
    lines = roost("nodes").out.splitlines()
    own = ["ash", "(coordinator)", "alive", "very", "stable", "super-peer", "10.0.0.1:47801", "1.5", "4", "2", "?"]
    assert lines[1].split() == [*own, "0.2", "s", "ago"]
    assert lines[2].split() == ["elm", "dead", "?", "?", "1.5", "?", "2", "?"]


def test_of_a_node_that_is_not_very_stable_it_is_said_why(roost: Roost, node: FakeNode) -> None:
    low = view("elm", state="too unstable", role="none", why="its battery is at 15 %")
    node.answers["GET /v1/nodes"] = {"nodes": [view("ash"), low], "network": None}
    lines = roost("nodes").out.splitlines()
    assert lines[2].split()[:5] == ["elm", "alive", "too", "unstable", "none"]
    assert lines[3:] == ["elm is too unstable: its battery is at 15 %"]


def test_how_long_nodes_tend_to_stay_is_shown_where_it_is_known(roost: Roost, node: FakeNode) -> None:
    known = {"model": "weibull", "scale": 7899.995, "shape": 0.7, "mean_s": 10_000.0, "periods": 30, "known": True}
    young = {"model": "exponential", "rate": 1e-8, "mean_s": 1e8, "periods": 1, "known": False}
    nodes = [view("ash", reliability=known), view("elm", reliability=young)]
    node.answers["GET /v1/nodes"] = {"nodes": nodes, "network": None}
    ash, elm = roost("nodes").out.splitlines()[1:]
    assert ash.split()[9:] == ["2", "h", "46", "min", "0.2", "s", "ago"]
    assert elm.split()[9:] == ["?", "0.2", "s", "ago"]


def test_how_nodes_do_is_shown_where_they_are_compared_by_it(roost: Roost, node: FakeNode) -> None:
    nodes = [view("ash", performance=1.0), view("elm", performance=0.123456), view("oak", performance=None)]
    node.answers["GET /v1/nodes"] = {"nodes": nodes, "network": None}
    head, *lines = [line.split() for line in roost("nodes").out.splitlines()]
    assert head[-2:] == ["DOES", "HEARD"]
    assert [line[-4] for line in lines] == ["1.0000", "0.1235", "?"]
    node.answers["GET /v1/nodes"] = {"nodes": [nodes[0], nodes[2]], "network": None}
    assert "DOES" not in roost("nodes").out, "a node knows its own, always"


def test_a_node_that_is_alone_says_so_and_how_to_change_it(roost: Roost, node: FakeNode) -> None:
    answer = {"nodes": [view("ash")], "network": None}
    node.answers["GET /v1/nodes"] = answer
    assert "roost invite" in roost("nodes").err
    assert json.loads(roost("nodes", "--json").out) == answer


def test_for_programs_the_nodes_are_asked_for_all_that_they_say_of_themselves(roost: Roost, node: FakeNode) -> None:
    node.answers["GET /v1/nodes"] = {"nodes": [view("ash", attributes={"os": "linux"})], "network": None}
    told = json.loads(roost("nodes", "--json").out)
    assert told["nodes"][0]["attributes"] == {"os": "linux"}
    assert [asked.query for asked in node.asked if asked.path == "/v1/nodes"] == [{"attributes": "true"}]


def test_one_that_drains_is_shown_as_such(roost: Roost, node: FakeNode) -> None:
    node.answers["GET /v1/nodes"] = {"nodes": [view("ash"), view("elm", draining=True)], "network": None}
    assert roost("nodes").out.splitlines()[2].split()[:2] == ["elm", "draining"]


def test_a_removed_node_is_not_told_the_new_key(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/key"] = {"key": "c0ffee00", "told": ["oak"], "untold": []}
    ended = roost("nodes", "remove", "elm")
    assert ended.code == 0
    assert "elm is kept out" in ended.err
    assert node.posted("/v1/key") == [{"without": "elm"}]
