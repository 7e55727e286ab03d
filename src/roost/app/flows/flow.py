"""A whole flow file to the HTTP API's submission."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roost.app.environment import inherited_env
from roost.app.flows.commands import command_json, read_env
from roost.app.flows.drafts import DEFAULT_KEYS, Draft, read_draft
from roost.app.flows.elements import Room
from roost.app.flows.fields import Fields
from roost.app.flows.functions import function_json
from roost.app.flows.graph import ONE_ELEMENT, settle
from roost.app.flows.inputs import read_inputs
from roost.app.flows.names import NAME, NAME_RULE
from roost.app.flows.nodes import MapNode, Node, kind_of, map_node
from roost.app.flows.problems import Problems, did_you_mean, located, shown
from roost.app.flows.reader import check_length, read_nodes
from roost.app.flows.requirements import read_requirements
from roost.app.flows.scope import Scope
from roost.app.flows.values import Values, read_values
from roost.model.errors import InvalidInput, NotFound
from roost.model.limits import FLOW_BYTES_MAX, NAME_LENGTH_MAX, TASKS_MAX
from roost.model.task import Protocol

_FLOW_KEYS = ("name", "description", "values", "defaults", "tasks", "result")
#: Keys that begin so are for the person's own use: places to keep anchors in.
_PRIVATE_PREFIX = "x-"


def read_flow(path: Path, overrides: Mapping[str, str]) -> dict[str, Any]:
    """Read the flow file at ``path``, with values from ``--set``; raise InvalidInput with the lines of its mistakes."""
    try:
        with path.open("rb") as file:
            data = file.read(FLOW_BYTES_MAX + 1)
    except FileNotFoundError:
        raise NotFound(f"there is no flow file {path}; check its name") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"the flow file {path} cannot be read: {reason}") from None
    check_length(len(data), str(path))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(located(str(path), line, "this is not UTF-8 text; save the file as UTF-8")) from None
    return check_flow(text, str(path), path.resolve().parent, overrides)


def check_flow(
    text: str, name: str = "flow.yaml", folder: Path | None = None, overrides: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Turn flow text into a submission; ``folder`` is where its files are, this folder if none is given."""
    problems = Problems(name)
    root = _root(read_nodes(text, name), name)
    reader = _FlowReader(root, problems, (folder or Path.cwd()).absolute(), overrides or {}, "{values" in text)
    submission = reader.submission(Path(name).stem)
    problems.stop_if_any()
    return submission


def _root(node: Node | None, name: str) -> MapNode:
    if isinstance(node, MapNode):
        return node
    line, found = (node.line, kind_of(node)) if node is not None else (1, "nothing")
    raise InvalidInput(
        located(name, line, f"a flow file holds a map with 'tasks', but here is {found}; begin with 'tasks:'")
    )


class _FlowReader:
    def __init__(
        self, root: MapNode, problems: Problems, folder: Path, overrides: Mapping[str, str], uses_values: bool
    ) -> None:
        self._problems = problems
        self._folder = folder
        self._inherited = inherited_env()
        plain = Fields(root, "the flow", Values({}, problems), problems)
        plain.section("values", "a map, for example {count: 10}")
        self._values = read_values(plain.raw("values"), overrides, problems, uses_values)
        self._flow = Fields(root, "the flow", self._values, problems)

    def submission(self, stem: str) -> dict[str, Any]:
        if "{" in str(self._folder):
            self._flow.wrong("", f"the folder {self._folder} holds braces, which stand for placeholders; rename it")
        self._flow.refuse_others([*_FLOW_KEYS, *(key for key in self._flow.keys if key.startswith(_PRIVATE_PREFIX))])
        drafts = self._drafts()
        settle(drafts, self._problems)
        tasks = [self._task_json(draft, drafts) for draft in drafts.values()]
        return {"name": self._name(stem), "kind": "flow", "cwd": None, "final": self._final(drafts), "tasks": tasks}

    def _name(self, stem: str) -> str:
        name = self._flow.text("name")
        if name is None:
            return stem[:NAME_LENGTH_MAX] if stem and stem.isprintable() else "flow"
        if not name.strip() or len(name) > NAME_LENGTH_MAX or not name.isprintable():
            self._flow.wrong(
                "name", f"{shown(name)} cannot be the flow's name; use 1 to {NAME_LENGTH_MAX} characters on one line"
            )
        return name

    def _drafts(self) -> dict[str, Draft]:
        section = self._flow.section("tasks", "a map from names to tasks")
        if section is None:
            if "tasks" not in self._flow:
                self._flow.wrong("tasks", "the flow has no 'tasks'; add at least one")
            return {}
        names = list(section.keys)
        if not 0 < len(names) <= TASKS_MAX:
            self._flow.wrong("tasks", f"the flow has {len(names):,} tasks; use 1 to {TASKS_MAX:,}")
            return {}
        room, defaults = Room(), self._defaults()
        drafts: dict[str, Draft] = {}
        for name in names:
            task = self._task_fields(section, name, defaults)
            if task is not None:
                drafts[name] = read_draft(name, task, self._folder, room)
        return drafts

    def _task_fields(self, section: Fields, name: str, defaults: MapNode | None) -> Fields | None:
        if not NAME.fullmatch(name):
            section.wrong(name, f"{shown(name)} cannot be a task's name; {NAME_RULE}")
            return None
        node = section.raw(name)
        if not isinstance(node, MapNode):
            section.wrong(name, f"task '{name}' is not a map; write its 'command' or 'function' below it, indented")
            return None
        if defaults is not None:
            node = _with_defaults(node, defaults)
        return Fields(node, f"task '{name}'", self._values, self._problems)

    def _defaults(self) -> MapNode | None:
        """Return the defaults if they are right; what is wrong with them is told once, not for every task."""
        section = self._flow.section("defaults", "a map, for example {retries: 2}")
        if section is None:
            return None
        mine = Problems(self._problems.name)
        fields = section.noting(mine)
        fields.refuse_others(DEFAULT_KEYS)
        read_requirements(fields)
        read_env(fields)
        fields.text("cwd", "a folder's name")
        fields.choice("protocol", [protocol.value for protocol in Protocol])
        self._problems.take(mine)
        node = self._flow.raw("defaults")
        return node if isinstance(node, MapNode) and not mine else None

    def _task_json(self, draft: Draft, drafts: Mapping[str, Draft]) -> dict[str, Any]:
        task = draft.fields
        scope = Scope(draft, drafts, read_inputs(task, self._folder))
        work: dict[str, Any] = {}
        if draft.is_command:
            work = {"command": command_json(draft, scope, self._folder, self._inherited)}
        elif draft.work == "function":
            work = {"function": function_json(draft, scope, self._folder)}
        return {
            "name": draft.name,
            **work,
            "array": _array_json(draft),
            "items": draft.elements.items,
            "edges": [wait.as_json() for wait in draft.waits],
            **read_requirements(task),
        }

    def _final(self, drafts: Mapping[str, Draft]) -> list[str]:
        final: list[str] = []
        for line, name in self._flow.words("result") if "result" in self._flow else ():
            if name not in drafts:
                hint = did_you_mean(name, drafts)
                self._problems.add(line, f"the result {shown(name)} is not a task of this file{hint}")
            elif name not in final:
                final.append(name)
        return final


def _with_defaults(task: MapNode, defaults: MapNode) -> MapNode:
    """Return the task with the defaults that it lacks; variables are merged one by one."""
    entries, lines = dict(task.entries), dict(task.key_lines)
    for key, value in defaults.entries.items():
        own = entries.get(key)
        if "function" in entries and key in {"env", "cwd", "protocol"}:
            continue
        if own is None:
            entries[key], lines[key] = value, defaults.key_lines[key]
        elif key == "env" and isinstance(own, MapNode) and isinstance(value, MapNode):
            merged = {**value.entries, **own.entries}
            entries[key] = map_node(own.line, merged, {**value.key_lines, **own.key_lines})
    return map_node(task.line, entries, lines)


def _array_json(draft: Draft) -> str | None:
    """Return the indices unless the API would choose the same by itself: 0 alone, or as many as there are items."""
    if draft.elements.array is None and (draft.elements.items is not None or draft.indices in {None, ONE_ELEMENT}):
        return None
    return str(draft.indices)
