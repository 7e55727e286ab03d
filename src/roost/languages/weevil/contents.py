"""What is inside the nodes: the values, from the document or from files, and the code of the jobs."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from roost.languages.outline import OutlinePort
from roost.languages.problems import Problems, did_you_mean, shown
from roost.languages.script_syntax import why_no_script
from roost.languages.weevil.document import Document, JobNode, PoolNode, ValueNode
from roost.languages.weevil.files import FileKind, Files, FoundFile
from roost.languages.weevil.jobs import ENTRY, Entry, find_entry
from roost.languages.weevil.literals import NoLiteral
from roost.languages.weevil.values import read_value
from roost.model.errors import InvalidInput
from roost.model.limits import JOB_BYTES_MAX, VALUE_FILE_BYTES_MAX

_JOB_FILE: Final = FileKind((".js",), ("jobs",), JOB_BYTES_MAX, "job/{}/{}.js")
_LAST_LINE_END: Final = re.compile(r"\r?\n\Z")
_VALUE_FILE: Final = FileKind((".json", ".txt", ".js"), ("values", "data"), VALUE_FILE_BYTES_MAX, "inputs/{}")


@dataclass(frozen=True, slots=True)
class JobContent:
    #: The file it comes from.
    file: str
    code: str
    #: The ports in the order of the function's parameters.
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    #: By the ids of the value nodes.
    values: Mapping[str, Any]
    jobs: Mapping[JobNode, JobContent]


def read_contents(document: Document, files: Files, overrides: Mapping[str, str], problems: Problems) -> Contents:
    """Read every value and every job once; ``overrides`` replace values by their ids."""
    reader = _Reader(files, problems)
    values = {node.id: node for node in document.nodes if isinstance(node, ValueNode)}
    for name in overrides:
        if name not in values:
            hint = did_you_mean(name, values) or "; name the id of a <value>"
            problems.add(1, f"--set {shown(name)} is not a value of this workflow{hint}")
    return Contents(
        {id_: reader.value(node, overrides.get(id_)) for id_, node in values.items()},
        {job: reader.job(job) for job in jobs_of(document)},
    )


def jobs_of(document: Document) -> Iterator[JobNode]:
    """Yield every job, also those inside pools."""
    for node in document.nodes:
        match node:
            case JobNode():
                yield node
            case PoolNode():
                yield from (job for job in (node.processor, node.reducer) if job is not None)


class _Reader:
    def __init__(self, files: Files, problems: Problems) -> None:
        self._files = files
        self._problems = problems
        self._entries: dict[str, Entry | None] = {}

    def value(self, node: ValueNode, override: str | None) -> Any:
        text = override if override is not None else node.text
        if text is None:
            found = (
                self._file(f"<value> {shown(node.id)}", node.source, node.line, _VALUE_FILE) if node.source else None
            )
            if found is None:
                return None
            # The end of the last line is the editor's, not the person's.
            text = _LAST_LINE_END.sub("", found.text)
        try:
            return read_value(text, node.gives)
        except NoLiteral as reason:
            kind = f"of type {node.gives}"
            self._problems.add(
                node.line, f"<value> {shown(node.id)} is not {kind}: {reason}; correct it, or change its returntype"
            )
            return None

    def job(self, node: JobNode) -> JobContent:
        where = f"<{node.tag}> {shown(node.id)}"
        found = self._file(where, node.source, node.line, _JOB_FILE) if node.source else None
        if found is None:
            return JobContent(node.source, "", ())
        if found.name not in self._entries:
            self._entries[found.name] = find_entry(found.text)
            wrong = why_no_script(found.text)
            if wrong:
                self._problems.add(node.line, f"{where}: the file {shown(found.name)} {wrong}; mend it")
        entry = self._entries[found.name]
        if entry is None:
            self._problems.add(
                node.line,
                f"{where}: the file {shown(found.name)} has no function {ENTRY}, where every job begins; add it",
            )
            return JobContent(found.name, found.text, ())
        return JobContent(found.name, found.text, _Arguments(node, found.name, entry, self._problems).ports())

    def _file(self, where: str, source: str, line: int, kind: FileKind) -> FoundFile | None:
        try:
            found = self._files.read(source, kind)
        except InvalidInput as error:
            self._problems.add(line, f"{where}: {error}")
            return None
        if found.is_respelt:
            self._problems.warn(line, f"{where}: {shown(source)} is taken for {shown(found.name)}; write it so")
        return found


class _Arguments:
    """Which port feeds which parameter of the function: by name, as WEB 3.3.1 has it."""

    def __init__(self, node: JobNode, file: str, entry: Entry, problems: Problems) -> None:
        self._node = node
        self._file = file
        self._entry = entry
        self._problems = problems

    def ports(self) -> tuple[str, ...]:
        declared = {port.name: port for port in self._node.ports}
        if self._entry.parameters is None or tuple(declared) == self._entry.names:
            return tuple(declared)
        parameters = {one.name: one for one in self._entry.parameters}
        strange = [port for id_, port in declared.items() if id_ not in parameters]
        unfed = [one.name for one in parameters.values() if one.name not in declared]
        needed = [name for name in unfed if not parameters[name].optional]
        if len(strange) == len(unfed) == 1:
            return self._paired(strange[0], unfed[0], list(parameters))
        for port in strange:
            self._tell_strange(port)
        for name in needed if not strange else ():
            self._tell_needed(name)
        return self._without_defaults([name for name in parameters if name in declared], list(parameters))

    def _paired(self, port: OutlinePort, name: str, parameters: list[str]) -> tuple[str, ...]:
        """Let the only port without a parameter feed the only parameter without a port."""
        self._problems.warn(
            port.line,
            f"<parameter> {shown(port.name)} of {shown(self._node.id)} is taken for {shown(name)} of {self._entry} in "
            f"{shown(self._file)}; give the two the same name",
        )
        return tuple(port.name if one == name else one for one in parameters)

    def _tell_strange(self, port: OutlinePort) -> None:
        way_out = "; name it like one of the function's parameters, or remove it"
        hint = did_you_mean(port.name, self._entry.names) or way_out
        strange = f"{shown(self._node.id)} has the parameter {shown(port.name)}"
        self._problems.add(port.line, f"{strange}, but {self._entry} in {shown(self._file)} does not{hint}")

    def _tell_needed(self, name: str) -> None:
        self._problems.add(
            self._node.line,
            f"{self._entry} in {shown(self._file)} takes {shown(name)}, but <{self._node.tag}> {shown(self._node.id)} "
            f'has no such parameter; add <parameter id="{name[:60]}" ... />',
        )

    def _without_defaults(self, fed: list[str], parameters: list[str]) -> tuple[str, ...]:
        """Return what is fed; what keeps its default must come last, because arguments have only their order."""
        if not self._problems and fed != parameters[: len(fed)]:
            late = next(name for name, wanted in zip(fed, parameters, strict=False) if name != wanted)
            self._problems.add(
                self._node.line,
                f"{self._entry} in {shown(self._file)} has a default before {shown(late)}, which "
                f"{shown(self._node.id)} feeds; move parameters with defaults to the end",
            )
        return tuple(fed)
