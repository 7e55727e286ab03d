"""Graphs of workflow files and of runs."""

from collections.abc import Mapping
from typing import Any

from roost.app.drawing.graph.graph import DrawnStep, Graph, Link, joined_links
from roost.core.telling.views import STATES
from roost.languages.outline import Outline


def graph_of_outline(outline: Outline) -> Graph:
    steps = [DrawnStep(node.name, node.name, node.kind, node.what, node.pool) for node in outline.nodes]
    known = {step.key for step in steps}
    links = [
        Link(link.source, link.target, bare=link.kind == "after")
        for link in outline.links
        if link.source in known and link.target in known
    ]
    return Graph(outline.name, steps, joined_links(links))


def graph_of_run(detail: Mapping[str, Any]) -> Graph:
    """Draw a run as the API tells of it (``GET /v1/runs/{run}``), with its states."""
    known = {step["task"] for step in detail["steps"]}
    steps = [
        DrawnStep(
            step["task"],
            step["name"],
            step["kind"],
            step["what"],
            step.get("sized_by") or "",
            {state: step["counts"][state] for state in STATES},
        )
        for step in detail["steps"]
    ]
    links = [
        Link(edge["source"], step["task"], bare=edge["kind"] == "after")
        for step in detail["steps"]
        for edge in step["edges"]
        if edge["source"] in known
    ]
    return Graph(detail["name"], steps, joined_links(links))
