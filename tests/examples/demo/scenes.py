"""Answers of the API and scenes, as small as the demonstration's parts need them."""

from typing import Any

from examples.demo.scene import Scene, scene_of

NAMES = ("wren", "finch", "owl")


def node(name: str, standing: str = "alive") -> dict[str, Any]:
    return {"node": name, "standing": standing}


def step(name: str, done_on: dict[str, int] | None = None, at_work: str = "", **ranges: str) -> dict[str, Any]:
    """A step whose elements at work are written as ``wren 3, owl 4``."""
    told = [word.split() for word in at_work.split(", ") if word]
    return {
        "name": name,
        "ranges": ranges,
        "counts": {"failed": 1 if "failed" in ranges else 0, "cancelled": 0, "aborted": 0},
        "running": [{"node": who, "index": int(index)} for who, index in told],
        "done_on": done_on or {},
    }


def scene(*steps: dict[str, Any], **standings: str) -> Scene:
    nodes = [node(name, standings.get(name, "alive")) for name in NAMES]
    return scene_of(NAMES, nodes, {"steps": list(steps)})
