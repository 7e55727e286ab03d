"""What a task waits for: ``needs``, ``each``, ``all`` and ``after``.

``needs: x`` takes the one result of x, ``each: x`` the result of the element with the same index, ``all: x`` the list
of all results, ``after: x`` nothing but the waiting. A task's name is the name under which its result arrives, unless
the map form gives another: ``each: {text: make}``.
"""

from collections.abc import Iterator

import msgspec

from roost.app.flows.fields import Fields, unquoted_placeholder
from roost.app.flows.names import NAME, NAME_RULE
from roost.app.flows.nodes import MapNode
from roost.app.flows.problems import shown
from roost.model.limits import EDGES_MAX
from roost.model.task import EdgeKind

_KINDS = {"needs": EdgeKind.BROADCAST, "each": EdgeKind.EACH, "all": EdgeKind.ALL, "after": EdgeKind.AFTER}
EDGE_KEYS = tuple(_KINDS)
_KEYS = frozenset(EDGE_KEYS)
_VALUES = {kind: kind.value for kind in EdgeKind}


class Wait(msgspec.Struct, frozen=True, gc=False):
    """One edge as it was written."""

    source: str
    kind: EdgeKind
    #: The name under which the result arrives; empty if nothing does.
    port: str
    line: int

    def as_json(self) -> dict[str, str]:
        return {"source": self.source, "kind": _VALUES[self.kind], "port": self.port}


def read_waits(task: Fields) -> list[Wait]:
    """Return the edges in the order of the file."""
    if task.lacks_all(_KEYS):
        return []
    waits: dict[tuple[str, str], Wait] = {}
    for key in task.keys:
        for port, source, line in _written(task, key) if key in _KINDS else ():
            wait = Wait(source, _KINDS[key], "" if key == "after" else port, line)
            # Two results cannot arrive under one name; waiting twice for the same end is merely untidy.
            name = ("port", wait.port) if wait.port else ("after", wait.source)
            if wait.port and name in waits:
                task.wrong(key, f"{task.where} gets two results as '{port}'; rename one: '{key}: {{other: {source}}}'")
            waits.setdefault(name, wait)
    if len(waits) > EDGES_MAX:
        task.wrong("needs", f"{task.where} waits for {len(waits):,} others; at most {EDGES_MAX:,} are allowed")
    return list(waits.values())


def _written(task: Fields, key: str) -> Iterator[tuple[str, str, int]]:
    """Yield (port, source, line) for each edge of one key."""
    node = task.raw(key)
    if not isinstance(node, MapNode) or unquoted_placeholder(node) is not None:
        for line, source in task.words(key):
            yield source, source, line
        return
    if key == "after":
        task.wrong(key, f"'after' of {task.where} brings no results to name; give a task's name or a list of names")
        return
    section = task.section(key, "a map")
    assert section is not None
    for port in section.keys:
        named = section.text(port, "a task's name")
        if not NAME.fullmatch(port):
            section.wrong(port, f"{shown(port)} cannot be a name in {section.where}; {NAME_RULE}")
        elif named is not None:
            yield port, named, section.line(port)
