"""The JSON Schema of flow files, for editors: it is made from the tables that the reader goes by.

A schema knows the structure only: which keys there are, which go together and what kind of value each takes. Names that
mean nothing, circles, files that are not there are told by the reader alone.
"""

from collections.abc import Iterable
from typing import Any, Final

from msgspec.json import schema_components

from roost.languages.flow.edges import PORT_KEYS, PORT_TYPES
from roost.languages.flow.keywords import (
    DEFAULT_KEYS,
    FIELD_KEYS,
    FLOW_KEYS,
    INCLUDE_KEYS,
    JOB_KEY,
    KEYS_BESIDE,
    MANUAL_KEYS,
    PRIVATE_PREFIX,
    TASK_KEYS,
)
from roost.languages.flow.manual import FIELD_TYPES
from roost.model.limits import CPUS_MAX, FIELDS_MAX, NAME_LENGTH_MAX, RETRIES_MAX
from roost.model.recorded import Replayed, Staged
from roost.model.task import Priority, Protocol
from roost.policy.catalogue import POLICIES

_Schema = dict[str, Any]

DIALECT: Final = "http://json-schema.org/draft-07/schema#"
_NAME: Final = rf"^[A-Za-z_][A-Za-z0-9_-]{{0,{NAME_LENGTH_MAX - 1}}}$"
#: A scalar: what is no text without quotes is read as text where text is wanted.
_TEXT: Final[_Schema] = {"type": ["string", "number", "boolean"]}
#: Any value; a placeholder for a constant may stand where another type is wanted.
_CONSTANT: Final[_Schema] = {"type": "string", "pattern": r"\{values\."}


def flow_schema() -> _Schema:
    """Return the schema of a flow file."""
    return {
        "$schema": DIALECT,
        "title": "Roost flow",
        "description": "A workflow of Roost: named tasks, what each runs, and what each waits for.",
        "type": "object",
        "properties": {key: _described(key, _FLOW[key], _FLOW_WORDS) for key in FLOW_KEYS},
        "patternProperties": {f"^{PRIVATE_PREFIX}": {}},
        "additionalProperties": False,
        "anyOf": [{"required": ["tasks"]}, {"required": ["include"]}],
        "definitions": {
            "task": _task_schema(),
            **{_definition(key): _described(key, _TASK[key], _TASK_WORDS) for key in TASK_KEYS},
        },
    }


def _task_schema() -> _Schema:
    """A task does one of several things, and each goes with other keys; with ``job`` the file says what it does."""
    works = [_task_doing(work, (work, *beside)) for work, beside in KEYS_BESIDE.items()]
    return {"anyOf": [*works, _task_doing(JOB_KEY, TASK_KEYS)]}


def _task_doing(required: str, keys: Iterable[str]) -> _Schema:
    properties = {key: {"$ref": f"#/definitions/{_definition(key)}"} for key in keys}
    return {"type": "object", "required": [required], "properties": properties, "additionalProperties": False}


def _definition(key: str) -> str:
    return f"task_{key}"


def _described(key: str, schema: _Schema, words: dict[str, str]) -> _Schema:
    return {"description": words[key], **schema} if key in words else schema


def _map(properties: dict[str, _Schema], keys: Iterable[str], required: Iterable[str] = ()) -> _Schema:
    """A map with just these keys; the tables say which there are, and this module what each takes."""
    given = {key: properties[key] for key in keys}
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": given, "additionalProperties": False, **needed}


def _named(schema: _Schema) -> _Schema:
    return {"type": "object", "patternProperties": {_NAME: schema}, "additionalProperties": False}


def _one_or_more(schema: _Schema) -> _Schema:
    return {"anyOf": [schema, {"type": "array", "items": schema}]}


def _or_constant(schema: _Schema) -> _Schema:
    return {"anyOf": [schema, _CONSTANT]}


def _number(**bounds: float) -> _Schema:
    # A number in quotes is one as well.
    return {"anyOf": [{"type": "number", **bounds}, {"type": "string", "pattern": r"^[0-9._+eE-]+$"}, _CONSTANT]}


def _choice(names: Iterable[str]) -> _Schema:
    return _or_constant({"enum": list(names)})


_ENV: Final[_Schema] = {"type": "object", "additionalProperties": _TEXT}
_PORT: Final = _map({"from": _TEXT, "pick": _TEXT, "type": _choice(PORT_TYPES)}, PORT_KEYS, ["from"])
_PORTS: Final[_Schema] = {"anyOf": [*_one_or_more(_TEXT)["anyOf"], _named({"anyOf": [_TEXT, _PORT]})]}
_VALUES: Final[_Schema] = _named({})
_CHOICES: Final = _one_or_more(_TEXT)
_FIELD: Final[_Schema] = {
    "anyOf": [
        {"enum": [kind for kind in FIELD_TYPES if kind != "choice"]},
        {"type": "array", "items": _TEXT, "minItems": 1},
        _map(
            {
                "type": {"enum": list(FIELD_TYPES)}, "label": _TEXT, "required": {"type": "boolean"},
                "choices": _CHOICES,
            },
            FIELD_KEYS,
        ),
    ]
}  # fmt: skip
_MANUAL: Final = _map(
    {
        "title": _TEXT, "instructions": _TEXT, "fields": {**_named(_FIELD), "maxProperties": FIELDS_MAX},
        "show": _one_or_more(_TEXT), "who": _one_or_more(_TEXT), "deadline": _TEXT,
    },
    MANUAL_KEYS,
)  # fmt: skip
_REQUIREMENTS: Final[dict[str, _Schema]] = {
    "cpus": _number(exclusiveMinimum=0, maximum=CPUS_MAX),
    "mem": _TEXT,
    "require": _TEXT,
    "time": _TEXT,
    "length": _TEXT,
    "retries": _number(minimum=0, maximum=RETRIES_MAX),
    "priority": _choice(priority.value for priority in Priority),
    "reuse": {"type": "boolean"},
}
_RECORDED: Final = schema_components((Replayed, Staged))[1].values()
_COMMAND: Final[dict[str, _Schema]] = {
    "env": _ENV, "cwd": _TEXT, "stdin": _TEXT, "protocol": _choice(protocol.value for protocol in Protocol),
    "outputs": _named(_TEXT), "recorded": {"anyOf": list(_RECORDED)},
}  # fmt: skip
_TASK: Final[dict[str, _Schema]] = {
    "command": {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]},
    "shell": _TEXT,
    "function": _TEXT,
    "script": _TEXT,
    "script_from": _TEXT,
    "value": {},
    "value_from": _TEXT,
    "manual": {"anyOf": [_TEXT, _MANUAL]},
    "arguments": {"anyOf": [{"type": "array"}, {"type": "object"}, _CONSTANT]},
    "entry": _TEXT,
    "returns": _choice(PORT_TYPES),
    "declares": _choice(PORT_TYPES),
    "path": _one_or_more(_TEXT),
    "array": _TEXT,
    "items": _or_constant({"type": "array", "minItems": 1}),
    "items_from": _TEXT,
    "matrix": _or_constant({
        "type": "object", "additionalProperties": _or_constant({"type": "array", "minItems": 1}), "minProperties": 1,
    }),
    "needs": _PORTS,
    "each": _PORTS,
    "all": _PORTS,
    "spread": _PORTS,
    "after": _one_or_more(_TEXT),
    "sized_by": _TEXT,
    "inputs": _named(_TEXT),
    "description": {},
    "job": _TEXT,
    **_COMMAND,
    **_REQUIREMENTS,
}  # fmt: skip
_INCLUDE: Final = _map({"file": _TEXT, "prefix": _TEXT, "values": _VALUES}, INCLUDE_KEYS, ["file"])
_FLOW: Final[dict[str, _Schema]] = {
    "name": _TEXT,
    "description": {},
    "include": _one_or_more({"anyOf": [_TEXT, _INCLUDE]}),
    "values": _VALUES,
    "defaults": _map(_REQUIREMENTS | _COMMAND, DEFAULT_KEYS),
    "env": _ENV,
    "tasks": {**_named({"$ref": "#/definitions/task"})},
    "result": _one_or_more(_TEXT),
    "quorum": {"type": "boolean"},
    "policy": _choice(POLICIES),
}
_FLOW_WORDS: Final = {
    "name": "What people call the flow; the file's name if it is left out.",
    "description": "Text for people.",
    "include": "Files whose tasks join this flow, with a prefix and other values if wanted.",
    "values": "Constants that {values.name} stands for, and that --set replaces.",
    "defaults": "For all tasks that do not say otherwise.",
    "env": "Variables for all commands and functions of the flow.",
    "tasks": "The tasks, by name.",
    "result": "The tasks whose results are the flow's; left out, those that feed no other.",
    "quorum": "Whether results count only when most of the machines hold them that are there when it is submitted.",
    "policy": "By which policy nodes choose its tasks; that of the node where it is handed in if it is left out.",
}
_TASK_WORDS: Final = {
    "command": "A program and its arguments; no shell runs.",
    "shell": "A script for /bin/sh.",
    "function": "A Python function as module:function.",
    "script": "JavaScript source; its entry point is called.",
    "script_from": "A file with JavaScript source.",
    "value": "Nothing runs: other tasks take this value.",
    "value_from": "A file with the value: .json, .jsonl, or text.",
    "manual": "A person does it: a title, or a form.",
    "arguments": 'What a function or a script gets; "{needs.x}", "{item}" and "{i}" become values.',
    "entry": "The JavaScript function that is called; weevil_main if it is left out.",
    "returns": "The type of what the script returns; anything if it is left out.",
    "declares": "The type that the script is said to return; a result of another type is only warned of.",
    "path": "Folders in which the function's module is looked for.",
    "array": "Indices, for example 1-100: one element for each.",
    "items": "One element for each of these.",
    "items_from": "A file: one element for each line (.txt, .jsonl) or each item of a list (.json).",
    "matrix": "One element for each combination.",
    "needs": "Tasks of one element whose results it gets.",
    "each": "Tasks whose results it gets element by element.",
    "all": "Tasks of which it gets the list of all results.",
    "spread": "A task that gives a list: one element for each item.",
    "after": "Tasks that must have ended before.",
    "sized_by": "In a pool: the task whose list says how many elements this one has.",
    "inputs": "Files that it reads: name and path.",
    "env": "Variables for the command or function.",
    "cwd": "Where the command runs; 'scratch' is a fresh folder.",
    "stdin": "What the command reads from its standard input.",
    "protocol": "lan if the command speaks the LAN line protocol.",
    "outputs": "Files that the command must leave: name and path.",
    "recorded": "What the command was in the recorded workflow that this file was made of; 'roost convert' writes it.",
    "cpus": "Processors that an element takes.",
    "mem": "Memory that it takes, for example 2GiB.",
    "require": "What its node must be, for example 'os == \"linux\" and cores >= 8'.",
    "time": "How long it may run, for example 1h 30min.",
    "length": "How long you expect it to run, for example 90s; it limits nothing.",
    "retries": "Further attempts after a failure.",
    "priority": "interactive goes before low.",
    "reuse": "true: its inputs alone decide its result, so an earlier one is taken over. false: never take one over.",
    "description": "Text for people.",
    "job": "A file with the keys of a task, which fill in what is left out here.",
}
