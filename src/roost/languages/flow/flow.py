"""A whole flow file to the HTTP API's submission."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import UNSET

from roost.languages.environment import carried_env, inherited_env
from roost.languages.flow.commands import command_json
from roost.languages.flow.drafts import Draft, read_draft
from roost.languages.flow.elements import Room
from roost.languages.flow.fields import Fields
from roost.languages.flow.functions import Functions
from roost.languages.flow.graph import ONE_ELEMENT, settle, warn_of_vain_tasks
from roost.languages.flow.inputs import read_inputs
from roost.languages.flow.keywords import JOB_KEY
from roost.languages.flow.names import NAME, NAME_RULE
from roost.languages.flow.nodes import MapNode, Node, kind_of
from roost.languages.flow.parts import Part, Parts, with_defaults
from roost.languages.flow.reader import read_nodes
from roost.languages.flow.requirements import read_requirements
from roost.languages.flow.scope import Scope
from roost.languages.flow.scripts import script_json
from roost.languages.flow.types import check_types
from roost.languages.outline import Reading
from roost.languages.problems import Problems, did_you_mean, located, shown
from roost.model.errors import InvalidInput
from roost.model.limits import NAME_LENGTH_MAX, TASKS_MAX


def open_flow(
    text: str, name: str = "flow.yaml", folder: Path | None = None, overrides: Mapping[str, str] | None = None
) -> Reading:
    """Read flow text to its submission and what is merely untidy in it; raise InvalidInput with the lines.

    ``folder`` is where its files are, this folder if none is given; ``overrides`` are values from ``--set``.
    """
    problems = Problems(name, (folder or Path.cwd()).absolute())
    root = _root(read_nodes(text, name), name)
    submission = _FlowReader(root, problems, overrides or {}).submission(Path(name).stem)
    problems.stop_if_any()
    return Reading(submission, None, problems.warnings)


def _root(node: Node | None, name: str) -> MapNode:
    if isinstance(node, MapNode):
        return node
    line, found = (node.line, kind_of(node)) if node is not None else (1, "nothing")
    raise InvalidInput(
        located(name, line, f"a flow file holds a map with 'tasks', but here is {found}; begin with 'tasks:'")
    )


class _FlowReader:
    def __init__(self, root: MapNode, problems: Problems, overrides: Mapping[str, str]) -> None:
        self._problems = problems
        self._inherited = inherited_env()
        self._parts = Parts(root, problems, overrides)
        self._flow = self._parts.flow
        self._functions = Functions(carried_env())
        #: Tasks that could not be read.
        self._broken: set[str] = set()

    def submission(self, stem: str) -> dict[str, Any]:
        for file in self._problems.files:
            if "{" in str(file.folder):
                self._flow.wrong("", f"the folder {file.folder} holds braces, which stand for placeholders; rename it")
        drafts = self._drafts()
        settle(drafts, self._problems, self._broken)
        for draft in drafts.values():
            check_types(draft, drafts)
        tasks = [self._task_json(draft, drafts) for draft in drafts.values()]
        final = self._final(drafts)
        if final and not self._problems:
            warn_of_vain_tasks(drafts, final, self._problems)
        submission = {"name": self._name(stem), "kind": "flow", "cwd": None, "final": final, "tasks": tasks}
        policy = {"policy": self._parts.policy} if self._parts.policy else {}
        return submission | ({"quorum": True} if self._parts.quorum else {}) | policy

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
        if not {"tasks", "include"} & set(self._flow.keys):
            self._flow.wrong("tasks", "the flow has no 'tasks'; add at least one")
            return {}
        sections = [part.section for part in self._parts.all if part.section is not None]
        count = sum(len(list(section.keys)) for section in sections)
        if sections and not 0 < count <= TASKS_MAX:
            self._flow.wrong("tasks", f"the flow has {count:,} tasks; use 1 to {TASKS_MAX:,}")
            return {}
        room = Room()
        drafts: dict[str, Draft] = {}
        for part in self._parts.all:
            self._read_part(part, drafts, room)
        if not (drafts or self._problems):
            self._flow.wrong("tasks", "the flow has no 'tasks', nor have the files that it includes; add at least one")
        return drafts

    def _read_part(self, part: Part, drafts: dict[str, Draft], room: Room) -> None:
        section = part.section
        for written in section.keys if section is not None else ():
            assert section is not None
            name = part.prefix + written
            task = self._task_fields(part, section, written, name)
            if task is None:
                self._broken.add(name)
            elif name in drafts:
                section.wrong(written, f"a task '{name}' is there already; give one of the includes a 'prefix'")
            else:
                drafts[name] = read_draft(name, section.line(written), task, room, part.names)

    def _task_fields(self, part: Part, section: Fields, written: str, name: str) -> Fields | None:
        if not NAME.fullmatch(name):
            section.wrong(written, f"{shown(name)} cannot be a task's name; {NAME_RULE}")
            return None
        node: Node | None = section.raw(written)
        if not isinstance(node, MapNode):
            section.wrong(written, f"task '{name}' is not a map; write its 'command' or 'function' below it, indented")
            return None
        where = f"task '{name}'"
        if JOB_KEY in node.entries:
            node = self._parts.with_job(node, Fields(node, where, part.values, self._problems))
            if node is None:
                return None
        if part.defaults is not None:
            node = with_defaults(node, part.defaults)
        return Fields(node, where, part.values, self._problems)

    def _task_json(self, draft: Draft, drafts: Mapping[str, Draft]) -> dict[str, Any]:
        task = {
            "name": draft.name,
            **self._work_json(draft, drafts),
            "array": _array_json(draft),
            "items": draft.elements.items,
            "edges": [wait.as_json() for wait in draft.waits],
            **read_requirements(draft.fields),
        }
        if draft.mappers:
            task["sized_by"] = draft.mappers[-1]
        return task

    def _work_json(self, draft: Draft, drafts: Mapping[str, Draft]) -> dict[str, Any]:
        match draft.work:
            case "value" | "value_from":
                return {"value": {"json": None if draft.constant is UNSET else draft.constant}}
            case "manual":
                return {"manual": None if draft.form is None else draft.form.json}
            case None:
                return {}
        scope = Scope(draft, drafts, read_inputs(draft.fields))
        if draft.is_command:
            return {"command": command_json(draft, scope, self._inherited)}
        if draft.work == "function":
            return {"function": self._functions.json(draft, scope)}
        return {"script": script_json(draft, scope)}

    def _final(self, drafts: Mapping[str, Draft]) -> list[str]:
        final: list[str] = []
        for line, name in self._flow.words("result") if "result" in self._flow else ():
            if name not in drafts:
                hint = did_you_mean(name, drafts)
                self._problems.add(line, f"the result {shown(name)} is not a task of this file{hint}")
            elif name not in final:
                final.append(name)
        return final


def _array_json(draft: Draft) -> str | None:
    """Return the indices unless the API would choose the same by itself: 0 alone, or as many as there are items."""
    if draft.mappers:
        return None
    if draft.elements.array is None and (draft.elements.items is not None or draft.indices in {None, ONE_ELEMENT}):
        return None
    return str(draft.indices)
