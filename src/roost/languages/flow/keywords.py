"""The keys of flow files: which there are, and which go together. The reader and the schema for editors share them."""

from typing import Final

from roost.languages.flow.edges import EDGE_KEYS
from roost.languages.flow.elements import ELEMENT_KEYS
from roost.languages.flow.requirements import REQUIREMENT_KEYS

#: What stands at the top of a file.
FLOW_KEYS: Final = (
    "name",
    "description",
    "include",
    "values",
    "defaults",
    "env",
    "tasks",
    "result",
    "quorum",
    "policy",
)
#: Keys at the top that begin so are for the person's own use: places to keep anchors in.
PRIVATE_PREFIX: Final = "x-"
INCLUDE_KEYS: Final = ("file", "prefix", "values")

COMMAND_KEYS: Final = ("env", "cwd", "stdin", "protocol", "outputs", "recorded")
#: Where a task takes the rest of its description from; it may stand beside any other key.
JOB_KEY: Final = "job"
#: What the section ``defaults`` may hold.
DEFAULT_KEYS: Final = (*REQUIREMENT_KEYS, "env", "cwd", "protocol")

_ANY: Final = ("description", JOB_KEY)
_WAITING: Final = (*EDGE_KEYS, "sized_by")
_RUNNING: Final = (*ELEMENT_KEYS, *_WAITING, "inputs", *REQUIREMENT_KEYS, *_ANY)
#: What a task can do, and the keys that may stand beside it.
KEYS_BESIDE: Final[dict[str, tuple[str, ...]]] = {
    "command": (*_RUNNING, *COMMAND_KEYS),
    "shell": (*_RUNNING, *COMMAND_KEYS),
    "function": (*_RUNNING, "arguments", "path", "env"),
    "script": (*_RUNNING, "arguments", "entry", "returns", "declares"),
    "script_from": (*_RUNNING, "arguments", "entry", "returns", "declares"),
    "value": _ANY,
    "value_from": _ANY,
    "manual": ("array", *_WAITING, *_ANY),
}
WORK_KEYS: Final = tuple(KEYS_BESIDE)
TASK_KEYS: Final = (
    *WORK_KEYS, "arguments", "entry", "returns", "declares", "path", *ELEMENT_KEYS, *_WAITING, "inputs", *COMMAND_KEYS,
    *REQUIREMENT_KEYS, *_ANY,
)  # fmt: skip
MANUAL_KEYS: Final = ("title", "instructions", "fields", "show", "who", "deadline")
FIELD_KEYS: Final = ("type", "label", "required", "choices")

#: What a task does, in words for an error.
DOES: Final = {
    "command": "runs a command", "shell": "runs a command", "function": "calls a function", "script": "runs a script",
    "script_from": "runs a script", "value": "is a value", "value_from": "is a value", "manual": "is done by a person",
}  # fmt: skip
#: Whom a key is for that not all tasks may have.
_FOR: Final = {
    **dict.fromkeys(COMMAND_KEYS, "commands"),
    **dict.fromkeys(("entry", "returns", "declares"), "scripts"),
    "env": "commands and functions",
    "path": "functions",
}


def misplaced(key: str, work: str, where: str) -> str:
    """Say why a key cannot stand beside what the task does."""
    if key == "arguments" and work in {"command", "shell"}:
        return f"'arguments' is for functions; write the arguments into '{work}' of {where}"
    if work == "manual" and key == "time":
        return f"'time' limits how long a program runs, and {where} is done by a person; write a 'deadline' in 'manual'"
    if work == "manual" and key in ELEMENT_KEYS:
        return f"'{key}' is for programs, and {where} is done by a person; make the list a 'value' and 'spread' it"
    whom = _FOR.get(key, "functions and scripts" if key == "arguments" else "what runs")
    return f"'{key}' is for {whom}, and {where} {DOES[work]}; remove it"
