"""What a task waits for: ``needs``, ``each``, ``all``, ``spread`` and ``after``.

``needs: x`` takes the one result of x, ``each: x`` the result of the element with the same index, ``all: x`` the list
of all results, ``spread: x`` an item of the list that x gives, ``after: x`` nothing but the waiting. A task's name is
the name under which its result arrives, unless the map form gives another: ``each: {text: make}``. ``make.count`` is
the part ``count`` of the result, and the long form says what the port takes: ``{n: {from: make, pick: count, type:
Number}}``.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from roost.languages.flow.fields import Fields, unquoted_placeholder
from roost.languages.flow.names import NAME, NAME_RULE
from roost.languages.flow.nodes import MapNode
from roost.languages.problems import shown
from roost.model.limits import EDGES_MAX, NAME_LENGTH_MAX
from roost.model.task import EdgeKind, PortType

_KINDS: Final = {
    "needs": EdgeKind.BROADCAST, "each": EdgeKind.EACH, "all": EdgeKind.ALL, "spread": EdgeKind.SPREAD,
    "after": EdgeKind.AFTER,
}  # fmt: skip
EDGE_KEYS: Final = tuple(_KINDS)
#: The key that makes an edge of this kind.
KEY_OF_KIND: Final = {kind: key for key, kind in _KINDS.items()}
#: The keys of a port's long form.
PORT_KEYS: Final = ("from", "pick", "type")
#: What a port may take.
PORT_TYPES: Final = tuple(kind.value for kind in PortType if kind is not PortType.ANY)


class Wait(msgspec.Struct, frozen=True, gc=False):
    """One edge as it was written."""

    source: str
    kind: EdgeKind
    #: The name under which the result arrives; empty if nothing does.
    port: str
    line: int
    #: The part of the result that arrives; empty for all of it.
    pick: str = ""
    #: What the port takes; empty for anything.
    type: str = ""

    def as_json(self) -> dict[str, str]:
        edge = {"source": self.source, "kind": self.kind.value, "port": self.port}
        if self.pick:
            edge["pick"] = self.pick
        # A list of all results is an Array whatever they are; the node would look at each of them.
        if self.type and self.kind is not EdgeKind.ALL:
            edge["type"] = self.type
        return edge


def read_waits(task: Fields, names: Mapping[str, str]) -> list[Wait]:
    """Return the edges in the order of the file. ``names`` are the tasks that this file calls otherwise."""
    waits: dict[tuple[str, str], Wait] = {}
    for key in task.keys:
        kind = _KINDS.get(key)
        for wait in _written(task, key, kind) if kind is not None else ():
            # Two results cannot arrive under one name; waiting twice for the same end is merely untidy.
            name = ("port", wait.port) if wait.port else ("after", wait.source)
            if wait.port and name in waits:
                other = f"'{key}: {{other: {wait.source}}}'"
                task.wrong(key, f"{task.where} gets two results as '{wait.port}'; rename one: {other}")
            waits.setdefault(name, wait)
    if len(waits) > EDGES_MAX:
        task.wrong("needs", f"{task.where} waits for {len(waits):,} others; at most {EDGES_MAX:,} are allowed")
    return [msgspec.structs.replace(wait, source=names.get(wait.source, wait.source)) for wait in waits.values()]


def _written(task: Fields, key: str, kind: EdgeKind) -> Iterable[Wait]:
    """Return each edge of one key."""
    node = task.raw(key)
    if isinstance(node, MapNode) and unquoted_placeholder(node) is None:
        return _named(task, key, kind)
    if key == "after":
        return [Wait(text, kind, "", line) for line, text in task.words(key)]
    parted = ((line, *_parted(text)) for line, text in task.words(key))
    return [Wait(source, kind, source, line, pick) for line, source, pick in parted]


def _named(task: Fields, key: str, kind: EdgeKind) -> Iterator[Wait]:
    """Yield the edges of a map from ports to sources."""
    if key == "after":
        task.wrong(key, f"'after' of {task.where} brings no results to name; give a task's name or a list of names")
        return
    section = task.section(key, "a map")
    assert section is not None
    for port in section.keys:
        if not NAME.fullmatch(port):
            section.wrong(port, f"{shown(port)} cannot be a name in {section.where}; {NAME_RULE}")
            continue
        read = _long if isinstance(section.raw(port), MapNode) else _short
        found = read(section, port, kind)
        if found is not None:
            yield found


def _short(section: Fields, port: str, kind: EdgeKind) -> Wait | None:
    text = section.text(port, "a task's name")
    if text is None:
        return None
    source, pick = _parted(text)
    return Wait(source, kind, port, section.line(port), pick)


def _long(section: Fields, port: str, kind: EdgeKind) -> Wait | None:
    """Read ``{from: make, pick: count, type: Number}``."""
    form = section.section(port, "a task's name")
    if form is None:
        return None
    form.refuse_others(PORT_KEYS)
    text, pick = form.text("from", "a task's name"), form.text("pick", "the name or number of a part")
    wanted = form.choice("type", PORT_TYPES)
    if text is None:
        if "from" not in form:
            form.wrong("", f"{form.where} has no 'from'; name the task whose result it takes")
        return None
    source, part = _parted(text)
    if pick is not None and part:
        form.wrong("pick", f"{form.where} picks '{part}' in 'from' and '{pick}' in 'pick'; keep one of them")
    if pick is not None and not 0 < len(pick) <= NAME_LENGTH_MAX:
        form.wrong("pick", f"'pick' of {form.where} has {len(pick):,} characters; use 1 to {NAME_LENGTH_MAX}")
    return Wait(source, kind, port, section.line(port), pick or part, wanted or "")


def _parted(text: str) -> tuple[str, str]:
    """Return the task and the part of its result that ``make.count`` names; no task has a dot in its name."""
    if "." not in text:
        return text, ""
    source, _, pick = text.partition(".")
    # What is no name of a part belongs to the task's, which then is not found and told as it was written.
    return (source, pick) if 0 < len(pick) <= NAME_LENGTH_MAX else (text, "")
