"""The files of a flow: its own, those that it includes, and those that its tasks take their descriptions from.

An included file is read as it stands, with its own values; the defaults of the file that includes it fill in what its
own leave open. Its tasks join the flow under their names, or behind a prefix.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from roost.languages.flow.commands import read_env
from roost.languages.flow.fields import Fields
from roost.languages.flow.files import path_inside, read_text
from roost.languages.flow.keywords import DEFAULT_KEYS, FLOW_KEYS, INCLUDE_KEYS, JOB_KEY, KEYS_BESIDE, PRIVATE_PREFIX
from roost.languages.flow.names import NAME, NAME_RULE
from roost.languages.flow.nodes import ListNode, MapNode, Node, ScalarNode, kind_of, map_node
from roost.languages.flow.reader import read_nodes
from roost.languages.flow.requirements import read_requirements
from roost.languages.flow.values import Values, read_values
from roost.languages.problems import Problems, SourceFile, shown
from roost.model.errors import InvalidInput
from roost.model.limits import FLOW_BYTES_MAX, FLOW_COPIES_MAX, FLOW_FILES_MAX, FLOW_INCLUDES_DEPTH_MAX, MIB
from roost.model.task import Protocol
from roost.policy.catalogue import POLICIES

_PREFIX_EXAMPLE: Final = "for example prep_"


@dataclass(frozen=True, slots=True)
class Part:
    """The tasks of one file, with all that they are read with."""

    #: The map below ``tasks``; None if there is none, or it is none.
    section: Fields | None
    values: Values
    defaults: MapNode | None
    prefix: str
    #: How the tasks of this file are called in the flow, if that is otherwise than in the file.
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Include:
    """A file that another one brings in."""

    file: SourceFile
    path: Path
    line: int
    prefix: str
    values: MapNode | None


class Parts:
    """Reads a flow file and all that it brings in; ``all`` are its parts, those that are included first."""

    def __init__(self, root: MapNode, problems: Problems, overrides: Mapping[str, str]) -> None:
        self._problems = problems
        self._room = FLOW_COPIES_MAX
        self._jobs: dict[Path, MapNode | None] = {}
        self.all: list[Part] = []
        #: Whether the flow, or a file that it includes, asks for a quorum.
        self.quorum = False
        #: The policy that the flow names, or the first file that it includes and that names one.
        self.policy: str | None = None
        self.flow = Fields(root, "the flow", self._read_values(root, overrides, None), problems)
        self._read_part(self.flow, "", None, ())

    def with_job(self, task: MapNode, where: Fields) -> MapNode | None:
        """Return a task together with the description that its ``job`` names; what the task says itself wins.

        None stands for a description that cannot be had, which has been noted.
        """
        name = where.text(JOB_KEY, "a file's name, for example resize.yaml")
        job = None if name is None else self._job(where, name)
        return None if job is None else _merged(task, job, frozenset(job.entries))

    def _read_values(self, root: MapNode, overrides: Mapping[str, str], given: MapNode | None) -> Values:
        plain = Fields(root, "the flow", Values({}, self._problems), self._problems)
        plain.section("values", "a map, for example {count: 10}")
        return read_values(plain.raw("values"), overrides, self._problems, given)

    def _read_part(self, flow: Fields, prefix: str, outer: MapNode | None, inside: tuple[Path, ...]) -> None:
        flow.refuse_others([*FLOW_KEYS, *(key for key in flow.keys if key.startswith(PRIVATE_PREFIX))])
        self.quorum |= "quorum" in flow and bool(flow.truth("quorum"))
        named = flow.choice("policy", list(POLICIES)) if "policy" in flow else None
        self.policy = self.policy or named
        defaults = self._defaults(flow, outer)
        for include in _includes(flow, self._problems) if "include" in flow else ():
            self._include(include, prefix, defaults, inside)
        section = flow.section("tasks", "a map from names to tasks")
        names = {name: prefix + name for name in section.keys} if prefix and section is not None else {}
        self.all.append(Part(section, flow.values, defaults, prefix, names))

    def _include(self, include: _Include, prefix: str, defaults: MapNode | None, inside: tuple[Path, ...]) -> None:
        path = include.path.resolve()
        if path in inside or len(inside) >= FLOW_INCLUDES_DEPTH_MAX:
            wrong = "is included by what it includes itself" if path in inside else "lies too many includes deep"
            self._problems.add(include.line, f"{include.file.name} {wrong}; remove one of the includes")
            return
        try:
            root = self._file(include.path, include.file)
        except InvalidInput as error:
            self._problems.add(include.line, f"'include': {error}")
            return
        if not isinstance(root, MapNode):
            found = "nothing" if root is None else kind_of(root)
            self._problems.add(include.line, f"{include.file.name} holds no map with 'tasks', but {found}; mend it")
            return
        values = self._read_values(root, {}, include.values)
        flow = Fields(root, f"the file {include.file.name}", values, self._problems)
        self._read_part(flow, prefix + include.prefix, defaults, (*inside, path))

    def _file(self, path: Path, file: SourceFile) -> Node | None:
        """Read one more file, with lines that say in which file they are."""
        if len(self._problems.files) > FLOW_FILES_MAX:
            raise InvalidInput(f"a flow has at most {FLOW_FILES_MAX} files; put tasks of several files into one")
        text = read_text(path, file.name, FLOW_BYTES_MAX)
        self._room -= len(text)
        if self._room < 0:
            raise InvalidInput(f"the files of this flow are larger than {FLOW_COPIES_MAX // MIB} MiB; split it")
        return read_nodes(text, file.name, self._problems.begin_file(file))

    def _job(self, where: Fields, name: str) -> MapNode | None:
        try:
            path = path_inside(where.folder(JOB_KEY), name)
            if path not in self._jobs:
                # What is wrong with the file is told once, where it is named first.
                self._jobs[path] = None
                self._jobs[path] = self._read_job(path, name, where.line(JOB_KEY))
        except InvalidInput as error:
            where.wrong(JOB_KEY, f"'{JOB_KEY}' of {where.where}: {error}")
            return None
        return self._jobs[path]

    def _read_job(self, path: Path, name: str, line: int) -> MapNode:
        origin = self._problems.file_at(line)
        file = SourceFile(str(Path(origin.name).parent / name), path.parent)
        root = self._file(path, file)
        if not isinstance(root, MapNode):
            found = "nothing" if root is None else kind_of(root)
            raise InvalidInput(f"{shown(name)} holds {found}; write the keys of one task into it")
        if "tasks" in root.entries:
            raise InvalidInput(f"{shown(name)} is a flow with 'tasks'; bring it in with 'include'")
        if JOB_KEY in root.entries:
            raise InvalidInput(f"{shown(name)} takes its description from another file; name that file here")
        return root

    def _defaults(self, flow: Fields, outer: MapNode | None) -> MapNode | None:
        """Return the defaults if they are right; what is wrong with them is told once, not for every task."""
        before = len(self._problems)
        node = _own_defaults(flow)
        if node is None or len(self._problems) > before:
            return outer
        return node if outer is None else _merged(node, outer, frozenset(DEFAULT_KEYS))


def with_defaults(task: MapNode, defaults: MapNode) -> MapNode:
    """Return the task with the defaults that it lacks, as far as they mean anything beside what it does."""
    work = next((key for key in KEYS_BESIDE if key in task.entries), None)
    return _merged(task, defaults, frozenset(DEFAULT_KEYS if work is None else KEYS_BESIDE[work]))


def _merged(own: MapNode, other: MapNode, keys: frozenset[str]) -> MapNode:
    """Return a map with those ``keys`` of another that it lacks; variables are merged one by one."""
    entries, lines = dict(own.entries), dict(own.key_lines)
    for key, value in other.entries.items():
        mine = entries.get(key)
        if key not in keys:
            continue
        if mine is None:
            entries[key], lines[key] = value, other.key_lines[key]
        elif key == "env" and isinstance(mine, MapNode) and isinstance(value, MapNode):
            both = {**value.entries, **mine.entries}
            entries[key] = map_node(mine.line, both, {**value.key_lines, **mine.key_lines})
    return map_node(own.line, entries, lines)


def _own_defaults(flow: Fields) -> MapNode | None:
    """Return ``defaults`` with the ``env`` of the whole flow in it."""
    section, node = flow.section("defaults", "a map, for example {retries: 2}"), flow.raw("defaults")
    read_env(flow)
    if section is not None:
        section.refuse_others(DEFAULT_KEYS)
        read_requirements(section)
        read_env(section)
        section.text("cwd", "a folder's name")
        section.choice("protocol", [protocol.value for protocol in Protocol])
    env = flow.raw("env")
    if not isinstance(env, MapNode):
        return node if isinstance(node, MapNode) else None
    whole = map_node(env.line, {"env": env}, {"env": flow.line("env")})
    return _merged(node, whole, frozenset({"env"})) if isinstance(node, MapNode) else whole


def _includes(flow: Fields, problems: Problems) -> list[_Include]:
    node = flow.raw("include")
    items = node.items if isinstance(node, ListNode) else () if node is None else (node,)
    return [include for item in items if (include := _read_include(flow, item, problems)) is not None]


def _read_include(flow: Fields, item: Node, problems: Problems) -> _Include | None:
    """Read ``steps.yaml`` or ``{file: steps.yaml, prefix: prep_, values: {n: 3}}``."""
    if isinstance(item, ScalarNode):
        item = map_node(item.line, {"file": item}, {"file": item.line})
    if not isinstance(item, MapNode):
        flow.mistyped("include", item, "a file's name, or a list of names")
        return None
    form = Fields(item, f"'include' of {flow.where}", flow.values, problems)
    form.refuse_others(INCLUDE_KEYS)
    name, prefix = form.text("file", "a file's name, for example steps.yaml"), form.text("prefix", _PREFIX_EXAMPLE)
    if "file" not in form:
        form.wrong("", f"{form.where} names no 'file'; add it")
    if prefix and not NAME.fullmatch(prefix):
        form.wrong("prefix", f"{shown(prefix)} cannot begin the name of a task; {NAME_RULE}")
    given = form.filled("values") if form.section("values", "a map, for example {count: 10}") is not None else None
    if name is None:
        return None
    try:
        path = path_inside(form.folder("file"), name)
    except InvalidInput as error:
        form.wrong("file", f"'include': {error}")
        return None
    line = form.line("file")
    file = SourceFile(str(Path(problems.file_at(line).name).parent / name), path.parent)
    return _Include(file, path, line, prefix or "", given if isinstance(given, MapNode) else None)
