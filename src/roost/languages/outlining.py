"""The outline of a workflow from its submission: for languages that are read straight into one, and to draw a run."""

import shlex
from collections.abc import Mapping
from typing import Any

from roost.languages.outline import Outline, OutlineLink, OutlineNode, OutlinePort, kind_of
from roost.languages.trace.recorded import own_words, recorded_of
from roost.model.recorded import Replayed

#: How much is shown of what a task does.
_WHAT_LENGTH_MAX = 120


def outline_of(submission: Mapping[str, Any]) -> Outline:
    """Return nodes and links in the order of the submission; it knows no lines, so all are on line 1."""
    tasks = submission["tasks"]
    links = tuple(_link(task["name"], edge) for task in tasks for edge in task.get("edges") or ())
    nodes = tuple(map(_node, tasks))
    return Outline(submission.get("name") or "workflow", nodes, links, tuple(submission.get("final") or ()))


def _node(task: Mapping[str, Any]) -> OutlineNode:
    kind = kind_of(task)
    what = _what(kind, task.get(kind) or {})
    ports = tuple(
        OutlinePort(edge["port"], edge.get("type") or "", 1) for edge in task.get("edges") or () if edge.get("port")
    )
    return OutlineNode(task["name"], kind, 1, what, ports, "", task.get("sized_by") or "")


def _link(target: str, edge: Mapping[str, Any]) -> OutlineLink:
    return OutlineLink(edge["source"], target, edge.get("port") or "", edge["kind"], 1, edge.get("pick") or "")


def _what(kind: str, work: Any) -> str:
    match kind:
        case "command":
            recorded = recorded_of(work)
            text = shlex.join(own_words(work["argv"], recorded))
            if isinstance(recorded, Replayed):
                text = f"waits {recorded.seconds:g} s"
        case "function":
            text = work["call"]
        case "script":
            text = work.get("entry") or ""
        case "value":
            text = repr(work.get("json"))
        case "manual":
            text = work.get("title") or ""
        case _:
            text = ""
    line = " ".join(text.split())
    return line if len(line) <= _WHAT_LENGTH_MAX else f"{line[: _WHAT_LENGTH_MAX - 1]}…"
