"""The properties of WfFormat that are read. Others may be there: the schema allows everybody's own."""

import msgspec

#: Those that tell what is to be done from what happened.
NEW_VERSIONS = ("1.5", "1.6")


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
    workflow: Workflow
    schema_version: str | float = ""
    name: str = ""


class LinkedFile(msgspec.Struct, gc=False, rename="camel"):
    """A file of a task in 1.0 to 1.4."""

    name: str
    link: str
    size_in_bytes: int | float | None = None
    #: Its name up to 1.3.
    size: int | float | None = None
    path: str = ""


class OldTask(msgspec.Struct, gc=False, rename="camel"):
    """A task of 1.0 to 1.4. Tasks name each other by name or by id."""

    name: str
    id: str = ""
    parents: list[str] = []
    children: list[str] | None = None
    files: list[LinkedFile] = []
    runtime_in_seconds: float | None = None
    #: Its name up to 1.3.
    runtime: float | None = None
    command: Command | None = None
    #: What 1.0 and 1.1 have of the command.
    arguments: list[str] = []
    cores: float | None = None


class OldWorkflow(msgspec.Struct):
    tasks: list[OldTask] = []
    #: Up to 1.2, tasks were called jobs.
    jobs: list[OldTask] = []


class OldDocument(msgspec.Struct, rename="camel"):
    workflow: OldWorkflow
    schema_version: str | float = ""
    name: str = ""


class AnyWorkflow(msgspec.Struct):
    """Which of the layouts it is in shows by which of these is there."""

    specification: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tasks: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    jobs: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class AnyDocument(msgspec.Struct, rename="camel"):
    """What all versions have."""

    workflow: AnyWorkflow
    schema_version: str | float = ""
