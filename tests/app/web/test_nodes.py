"""Looking at the nodes of the cluster."""

from roost.runtime.network import NetworkReport
from roost.runtime.ways import Way, WayReport
from tests.app.web.running_api import RunningApi


def test_the_nodes_are_listed_with_what_is_known_of_them(api: RunningApi) -> None:
    answer = api.get("/v1/nodes").json()
    assert answer["network"] is None
    assert answer["nodes"] == [
        {
            "node": "ash",
            "address": "10.0.0.1:47801",
            "standing": "alive",
            "free_cpus": 1.5,
            "offers": {"cpus": 2.0, "memory_bytes": 8 * 2**30, "python": "3.11"},
            "leases": 1,
            "heard_s_ago": 0.0,
            "coordinator": True,
        }
    ]


def test_the_ways_by_which_nodes_are_found_are_told(api: RunningApi) -> None:
    ways = [WayReport(Way.MULTICAST, True, 3, 0.5, "works"), WayReport(Way.MDNS, None, 0, None, "nobody")]
    api.service.found_by = NetworkReport("10.0.0.1:47801", ways, ["the clock of elm is off"])
    told = api.get("/v1/nodes").json()["network"]
    assert (told["address"], told["remarks"]) == ("10.0.0.1:47801", ["the clock of elm is off"])
    assert [(way["way"], way["works"]) for way in told["ways"]] == [("multicast", True), ("mdns", None)]
