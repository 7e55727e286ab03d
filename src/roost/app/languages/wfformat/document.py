"""The properties of WfFormat that are read. Others may be there: the schema allows everybody's own."""

import msgspec


class Command(msgspec.Struct, gc=False):
    program: str = ""
    arguments: list[str] = []


class SpecifiedTask(msgspec.Struct, gc=False, rename="camel"):
    """What is to be done, as 1.5 and 1.6 have it."""

    id: str
    name: str = ""
    parents: list[str] = []
    #: None if it is not there: the schema wants it, but it says nothing new.
    children: list[str] | None = None
    input_files: list[str] = []
    output_files: list[str] = []


class SizedFile(msgspec.Struct, gc=False, rename="camel"):
    id: str
    size_in_bytes: int | float


class ExecutedTask(msgspec.Struct, gc=False, rename="camel"):
    """What happened."""

    id: str
    runtime_in_seconds: float | None = None
    command: Command | None = None
    core_count: float | None = None


class Specification(msgspec.Struct):
    tasks: list[SpecifiedTask]
    files: list[SizedFile] | None = None


class Execution(msgspec.Struct):
    tasks: list[ExecutedTask] = []


class Workflow(msgspec.Struct):
    specification: Specification
    execution: Execution | None = None


class Document(msgspec.Struct, rename="camel"):
    schema_version: str
    workflow: Workflow
    name: str = ""


class LinkedFile(msgspec.Struct, gc=False, rename="camel"):
    """A file of a task in 1.3 and 1.4."""

    name: str
    link: str
    size_in_bytes: int | float | None = None
    #: 1.3's name for it.
    size: int | float | None = None
    path: str = ""


class OldTask(msgspec.Struct, gc=False, rename="camel"):
    """A task of 1.3 and 1.4. Tasks name each other by name or by id."""

    name: str
    id: str = ""
    parents: list[str] = []
    children: list[str] | None = None
    files: list[LinkedFile] = []
    runtime_in_seconds: float | None = None
    #: 1.3's name for it.
    runtime: float | None = None
    command: Command | None = None
    cores: float | None = None


class OldWorkflow(msgspec.Struct):
    tasks: list[OldTask]


class OldDocument(msgspec.Struct, rename="camel"):
    schema_version: str
    workflow: OldWorkflow
    name: str = ""


class AnyDocument(msgspec.Struct, rename="camel"):
    """What all versions have."""

    schema_version: str
    workflow: msgspec.Raw
