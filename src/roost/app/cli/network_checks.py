"""What ``doctor`` says about finding other nodes: which ways work, which do not, and why."""

from typing import Any

from roost.app.cli.checks import FAIL, OK, WARN, Finding
from roost.client.control import node_of
from roost.model.errors import RoostError
from roost.runtime.home import Home

_REMEDY = "another way will do; 'roost config set peers ADDRESS' names a machine where none does"


def network_findings(home: Home) -> list[Finding]:
    """Ask the node; where none answers, the check of the node says so."""
    try:
        with node_of(home) as control:
            told = control.get("/v1/nodes")
    except RoostError:
        return []
    if told["network"] is None:
        return [Finding(OK, "network", "the node stays alone; 'roost config set mesh on' lets it find others")]
    alive = [node for node in told["nodes"] if node["standing"] == "alive"]
    count = "alone so far" if len(alive) == 1 else f"{len(alive)} nodes"
    summary = Finding(OK, "network", f"{count}; this one is at {told['network']['address']}")
    ways = [_of_way(way) for way in told["network"]["ways"]]
    return [
        summary,
        *_namesake(told["network"].get("namesake_at", "")),
        *ways,
        *(Finding(WARN, "network", remark) for remark in told["network"]["remarks"]),
    ]


def _namesake(address: str) -> list[Finding]:
    """Two nodes with one name spoil each other's work: each takes the other's leases for its own."""
    if not address:
        return []
    found = f"ANOTHER NODE HAS THE NAME OF THIS ONE, at {address}: its home was copied, or it never met this one before"
    return [Finding(FAIL, "name", found, "on one of the two: 'roost leave --force', then join again under a new name")]


def _of_way(way: dict[str, Any]) -> Finding:
    """A way by which nobody was heard is no fault: perhaps nobody is there."""
    if way["works"] is False:
        return Finding(WARN, way["way"], way["said"], _REMEDY)
    return Finding(OK, way["way"], way["said"])
