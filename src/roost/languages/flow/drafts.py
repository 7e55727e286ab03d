"""A task of the file while it is being read, before it is known whether all fits together."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from roost.languages.flow.edges import PORT_TYPES, Wait, read_waits
from roost.languages.flow.elements import Elements, Room, read_elements
from roost.languages.flow.fields import Fields
from roost.languages.flow.keywords import KEYS_BESIDE, TASK_KEYS, WORK_KEYS, misplaced
from roost.languages.flow.manual import Form, read_form
from roost.languages.flow.value_nodes import read_constant
from roost.languages.problems import did_you_mean
from roost.model.ranges import RangeSet


class Draft(msgspec.Struct, gc=False):
    """One task as written; ``indices`` and ``mappers`` are filled in once the tasks that it waits for are known."""

    name: str
    fields: Fields
    #: Which of WORK_KEYS it has; None if none, or too many, which has been noted.
    work: str | None
    elements: Elements
    waits: list[Wait]
    #: Where its name stands.
    line: int = 0
    outputs: Mapping[str, str] = {}
    #: The task whose list says how many elements this one has, if the file names it.
    sized_by: str | None = None
    #: What a value node holds, if it is one and all is well with it, or the form of a manual step.
    constant: Any = msgspec.UNSET
    form: Form | None = None
    #: The type of what a script says to return; empty if it says nothing.
    returns: str = ""
    #: The type that a script is said to return; what it returns instead is only warned of.
    declares: str = ""
    #: Its elements; None while they are unknown or after a mistake about them. In a pool those of the outermost mapper.
    indices: RangeSet | None = None
    #: The pools that it lies in, each named by the task whose list it is as long as, the outermost first.
    mappers: tuple[str, ...] = ()

    @property
    def files(self) -> Collection[str]:
        """The names of the files that come with its results."""
        return self.outputs if self.form is None else self.form.files

    @property
    def is_command(self) -> bool:
        return self.work in {"command", "shell"}


def read_draft(name: str, line: int, task: Fields, room: Room, names: Mapping[str, str]) -> Draft:
    """Read what concerns one task alone; ``names`` are the tasks that its file calls otherwise."""
    work = _which_work(task)
    _note_wrong_keys(task, work)
    draft = Draft(name, task, work, read_elements(task, room), read_waits(task, names), line)
    if "sized_by" in task:
        sizer = task.text("sized_by", "a task's name")
        draft.sized_by = None if sizer is None else names.get(sizer, sizer)
    if "outputs" in task and draft.is_command:
        draft.outputs = _read_outputs(task)
    elif work in {"value", "value_from"}:
        draft.constant = read_constant(task, work, room)
    elif work == "manual":
        draft.form = read_form(task, name, [wait.port for wait in draft.waits if wait.port])
    elif work in {"script", "script_from"}:
        _read_returned(task, draft)
    return draft


def _read_returned(task: Fields, draft: Draft) -> None:
    if "returns" in task:
        draft.returns = task.choice("returns", PORT_TYPES) or ""
    if "declares" in task:
        draft.declares = task.choice("declares", PORT_TYPES) or ""
        if "returns" in task:
            both = f"{task.where} has both 'returns' and 'declares'"
            task.wrong("declares", f"{both}; keep 'returns' to let other results fail, or 'declares' to be warned")


def _note_wrong_keys(task: Fields, work: str | None) -> None:
    """Note the keys that no task has, and those that do not go with what this one does."""
    task.refuse_others(TASK_KEYS)
    if work is not None:
        for key in [key for key in task.keys if key in TASK_KEYS and key not in (work, *KEYS_BESIDE[work])]:
            task.wrong(key, misplaced(key, work, task.where))


def _which_work(task: Fields) -> str | None:
    """Return the key that says what to do; one that is misspelt is noted as such, and that is enough said."""
    given = [key for key in task.keys if key in KEYS_BESIDE]
    if len(given) == 1:
        return given[0]
    if given:
        task.wrong(given[1], f"{task.where} has both '{given[0]}' and '{given[1]}'; keep one of them")
    elif not any(did_you_mean(key, WORK_KEYS) for key in task.keys if key not in TASK_KEYS):
        others = "a 'script', a 'value' or a 'manual' step"
        task.wrong("", f"{task.where} does nothing; give it a 'command', a 'shell' script or a 'function', {others}")
    return None


def _read_outputs(task: Fields) -> dict[str, str]:
    outputs = task.named_texts("outputs", "{text: out.txt}")
    for name, path in outputs.items():
        parts = path.split("/")
        if path.startswith("/") or ".." in parts or not path.strip("./ "):
            task.wrong(
                "outputs", f"the output '{name}' of {task.where} is '{path[:60]}'; name a file inside its folder"
            )
    return outputs
