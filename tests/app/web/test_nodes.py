"""Looking at the nodes of the cluster; one of them leaves, and their key changes."""

import pytest

from roost.core.queue.draining import Remaining
from roost.core.telling.network_views import NetworkReport, Way, WayReport
from roost.model.task import Needs
from tests.app.web.running_api import RunningApi

STAYS = {
    "model": "exponential",
    "periods": 4,
    "known": True,
    "mean_s": 50.0,
    "rate": 0.02,
    "scale": None,
    "shape": None,
}


def test_the_nodes_are_listed_with_what_is_known_of_them(api: RunningApi) -> None:
    answer = api.get("/v1/nodes").json()
    assert answer["network"] is None
    assert answer["nodes"] == [
        {
            "node": "ash",
            "address": "10.0.0.1:47801",
            "standing": "alive",
            "free_cpus": 1.5,
            "offers": {
                "cpus": 2.0,
                "memory_bytes": 8 * 2**30,
                "python": "3.11",
                "programs": [],
                "javascript": False,
            },
            "leases": 1,
            "heard_s_ago": 0.0,
            "coordinator": True,
            "draining": False,
            "reliability": STAYS,
            "performance": 0.75,
            "state": "stable",
            "role": "worker",
            "why": "others use 80 % of its processors",
            "attributes": {},
        }
    ]


def test_what_the_nodes_say_of_themselves_is_told_whole_if_it_is_asked_for(api: RunningApi) -> None:
    (node,) = api.get("/v1/nodes?attributes=true").json()["nodes"]
    assert node["attributes"] == {"os": "linux", "programs": ["ffmpeg", "sh"]}


def test_whether_any_node_can_run_something_is_told(api: RunningApi) -> None:
    needs = [{"require": "gpu", "cpus": 2, "memory_bytes": 5}, {}]
    assert api.post("/v1/fitting", {"needs": needs}).json() == {
        "why_nobody": ["no node here meets it; nearest: ash lacks gpu", None]
    }
    assert api.service.fitted == [Needs.of(2.0, 5, condition="gpu"), Needs()]


def test_needs_that_cannot_be_read_are_refused_with_the_column(api: RunningApi) -> None:
    refused = api.post("/v1/fitting", {"needs": [{"require": "gpu and"}]})
    assert refused.status == 400
    assert refused.json()["error"]["message"].startswith("field 'require': column 8: ")


def test_the_ways_by_which_nodes_are_found_are_told(api: RunningApi) -> None:
    ways = [WayReport(Way.MULTICAST, True, 3, 0.5, "works"), WayReport(Way.MDNS, None, 0, None, "nobody")]
    api.service.found_by = NetworkReport("10.0.0.1:47801", ways, ["the clock of elm is off"])
    told = api.get("/v1/nodes").json()["network"]
    assert (told["address"], told["remarks"]) == ("10.0.0.1:47801", ["the clock of elm is off"])
    assert [(way["way"], way["works"]) for way in told["ways"]] == [("multicast", True), ("mdns", None)]


def test_a_node_is_drained_and_let_work_again(api: RunningApi) -> None:
    assert api.get("/v1/drain").json() == {
        "draining": False,
        "running": 1,
        "unwritten": 0,
        "only_here": 0,
        "others": 2,
        "may_stop": False,
    }
    assert api.post("/v1/drain", {}).json()["draining"]
    assert api.post("/v1/drain", {"on": True, "at_once": True}).json()["may_stop"]
    assert not api.post("/v1/drain", {"on": False}).json()["draining"]


@pytest.mark.parametrize(
    ("left", "why"),
    [
        (Remaining(False, 0, 0, 0, 2), "it still takes work ('roost drain' ends that)"),
        (Remaining(True, 1, 0, 0, 2), "it still works on 1 leases"),
        (Remaining(True, 0, 1, 2, 2), "3 things are on no other disk yet"),
        (Remaining(True, 0, 0, 0, 0), "no other node is there that stays and could go on with its work"),
    ],
)
def test_a_node_that_holds_something_alone_leaves_by_force_only(api: RunningApi, left: Remaining, why: str) -> None:
    api.service.left = left
    refused = api.post("/v1/leave", {})
    assert refused.status == 503
    assert refused.json()["error"]["message"] == f"this node cannot leave yet: {why}; --force leaves all the same"
    assert not api.service.stopped
    assert api.post("/v1/leave", {"force": True}).json() == {"stopping": True}
    assert api.service.stopped


def test_a_node_that_has_given_everything_away_leaves(api: RunningApi) -> None:
    api.service.left = Remaining(True, 0, 0, 0, 1)
    assert api.post("/v1/leave", {}).status == 200
    assert api.service.stopped


def test_a_new_key_goes_to_all_but_the_one_that_is_kept_out(api: RunningApi) -> None:
    assert api.post("/v1/key", {}).json() == {"key": "c0ffee00", "told": ["elm"], "untold": ["oak"]}
    assert api.post("/v1/key", {"without": "elm"}).json()["told"] == []
