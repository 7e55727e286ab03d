"""``script`` and ``script_from`` to the API's script: its source, what is called, and the arguments."""

import re
from typing import Any, Final

from roost.languages.flow.arguments import read_arguments
from roost.languages.flow.drafts import Draft
from roost.languages.flow.fields import Fields
from roost.languages.flow.files import path_inside, read_text
from roost.languages.flow.scope import Scope
from roost.languages.problems import shown
from roost.languages.script_syntax import why_no_script
from roost.model.errors import InvalidInput
from roost.model.limits import MIB, NAME_LENGTH_MAX, SCRIPT_BYTES_MAX, SCRIPT_MEMORY_BYTES_MIN
from roost.model.resources import format_size, parse_size

#: What is called if the file says nothing (WEB 3.2).
USUAL_ENTRY: Final = "weevil_main"
_IDENTIFIER: Final = re.compile(r"(?:[^\W\d]|\$)[\w$]*")


def script_json(draft: Draft, scope: Scope) -> dict[str, Any]:
    task = draft.fields
    code = _read_code(task, draft.work or "script")
    entry = task.text("entry", "the name of a function")
    if entry is not None and not (_IDENTIFIER.fullmatch(entry) and len(entry) <= NAME_LENGTH_MAX):
        task.wrong("entry", f"{shown(entry)} cannot be the name of a function in {task.where}; use letters and digits")
    if code.strip() and (entry or USUAL_ENTRY) not in code:
        lacks = f"the script of {task.where} has no function '{entry or USUAL_ENTRY}'"
        task.wrong(draft.work or "script", f"{lacks}; add it, name another with 'entry', or write 'shell' for a shell")
    elif wrong := why_no_script(code):
        task.wrong(draft.work or "script", f"the script of {task.where} {wrong}; mend it")
    _check_memory(task)
    called = {"code": code, "entry": entry or USUAL_ENTRY, **read_arguments(draft, scope, by_name=False)}
    types = {"returns": draft.returns, "declares": draft.declares}
    return called | {key: kind for key, kind in types.items() if kind}


def _read_code(task: Fields, key: str) -> str:
    """Return the source as it stands, for braces are JavaScript's own; note what is wrong with it."""
    text = task.text(key, "a script" if key == "script" else "a file's name, for example job.js")
    if text is None:
        return ""
    if key == "script_from":
        try:
            text = read_text(path_inside(task.folder(key), text), text, SCRIPT_BYTES_MAX)
        except InvalidInput as error:
            task.wrong(key, f"'{key}' of {task.where}: {error}")
            return ""
    if not text.strip():
        task.wrong(key, f"'{key}' of {task.where} is empty; write what to run")
    if len(text.encode()) > SCRIPT_BYTES_MAX:
        task.wrong(key, f"'{key}' of {task.where} is larger than {SCRIPT_BYTES_MAX // MIB} MiB; shorten it")
    return text


def _check_memory(task: Fields) -> None:
    text = task.text("mem") if "mem" in task else None
    try:
        size = 0 if text is None else parse_size(text)
    except InvalidInput:
        # It is told where requirements are read.
        return
    if 0 < size < SCRIPT_MEMORY_BYTES_MIN:
        least = format_size(SCRIPT_MEMORY_BYTES_MIN)
        task.wrong("mem", f"'mem' of {task.where} is too little for a script; give at least {least}")
