"""A task of the file while it is being read, before it is known whether all fits together."""

from dataclasses import dataclass, field
from pathlib import Path

from roost.app.flows.edges import EDGE_KEYS, Wait, read_waits
from roost.app.flows.elements import ELEMENT_KEYS, Elements, Room, read_elements
from roost.app.flows.fields import Fields
from roost.app.flows.problems import did_you_mean
from roost.app.flows.requirements import REQUIREMENT_KEYS
from roost.model.ranges import RangeSet

WORK_KEYS = ("command", "shell", "function")
COMMAND_KEYS = ("env", "cwd", "stdin", "protocol", "outputs")
TASK_KEYS = (
    *WORK_KEYS, "arguments", *ELEMENT_KEYS, *EDGE_KEYS, "inputs", *COMMAND_KEYS, *REQUIREMENT_KEYS, "description",
)  # fmt: skip
_TASK_KEYS = dict.fromkeys(TASK_KEYS)
#: What the section ``defaults`` may hold.
DEFAULT_KEYS = (*REQUIREMENT_KEYS, "env", "cwd", "protocol")


@dataclass(slots=True)
class Draft:
    """One task as written; ``indices`` is filled in once the tasks that it takes ``each`` of are known."""

    name: str
    fields: Fields
    #: Which of WORK_KEYS it has; None if none, or too many, which has been noted.
    work: str | None
    elements: Elements
    waits: list[Wait]
    outputs: dict[str, str] = field(default_factory=dict)
    #: Its elements; None while they are unknown or after a mistake about them.
    indices: RangeSet | None = None

    @property
    def is_command(self) -> bool:
        return self.work in {"command", "shell"}


def read_draft(name: str, task: Fields, folder: Path, room: Room) -> Draft:
    task.refuse_others(_TASK_KEYS)
    work = _which_work(task)
    if work == "function":
        for key in COMMAND_KEYS:
            if key in task:
                task.wrong(key, f"'{key}' is for commands, and {task.where} calls a function; remove it")
    elif "arguments" in task and work is not None:
        task.wrong("arguments", f"'arguments' is for functions; write the arguments into '{work}' of {task.where}")
    outputs = _read_outputs(task) if work != "function" else {}
    return Draft(name, task, work, read_elements(task, folder, room), read_waits(task), outputs)


def _which_work(task: Fields) -> str | None:
    """Return the key that says what to do; a misspelt one has been noted as such and is enough said."""
    given = [key for key in WORK_KEYS if key in task]
    if len(given) == 1:
        return given[0]
    if given:
        task.wrong(given[1], f"{task.where} has both '{given[0]}' and '{given[1]}'; keep one of them")
    elif not any(did_you_mean(key, WORK_KEYS) for key in task.keys if key not in TASK_KEYS):
        task.wrong("", f"{task.where} does nothing; give it a 'command', a 'shell' script or a 'function'")
    return None


def _read_outputs(task: Fields) -> dict[str, str]:
    if "outputs" not in task:
        return {}
    outputs = task.named_texts("outputs", "{text: out.txt}")
    for name, path in outputs.items():
        parts = path.split("/")
        if path.startswith("/") or ".." in parts or not path.strip("./ "):
            task.wrong(
                "outputs", f"the output '{name}' of {task.where} is '{path[:60]}'; name a file inside its folder"
            )
    return outputs
