"""``function`` to the API's function: which one, where its module is, and its arguments."""

import inspect
from pathlib import Path
from typing import Any

from roost.app.flows.arguments import read_arguments
from roost.app.flows.drafts import Draft
from roost.app.flows.fields import Fields
from roost.app.flows.modules import check_function
from roost.app.flows.problems import shown
from roost.app.flows.scope import Scope
from roost.model.errors import InvalidInput


class Functions:
    """Reads the functions of one flow. Thousands of tasks may call the same one, which is looked for once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Path], inspect.Signature | InvalidInput | None] = {}

    def json(self, draft: Draft, scope: Scope) -> dict[str, Any]:
        task = draft.fields
        call = task.text("function", "module:function") or ""
        folders = _read_path(task)
        signature = self._check_call(task, call, folders) if call else None
        given = read_arguments(draft, scope)
        if signature is not None and given:
            _check_arguments(task, call, signature, given)
        return {"call": call, "path": [str(folder) for folder in folders], **given}

    def _check_call(self, task: Fields, call: str, folders: list[Path]) -> inspect.Signature | None:
        """Note what is wrong with the function where it is looked for first; it may also be found in a later folder."""
        wrong: InvalidInput | None = None
        for folder in folders:
            found = self._find(call, folder)
            if not isinstance(found, InvalidInput):
                return found
            wrong = wrong or found
        if wrong is not None:
            task.wrong("function", f"'function' of {task.where}: {wrong}")
        return None

    def _find(self, call: str, folder: Path) -> inspect.Signature | InvalidInput | None:
        if (call, folder) not in self._found:
            try:
                self._found[call, folder] = check_function(call, folder)
            except InvalidInput as error:
                self._found[call, folder] = error
        return self._found[call, folder]


def _check_arguments(task: Fields, call: str, signature: inspect.Signature, given: dict[str, Any]) -> None:
    try:
        signature.bind(*given.get("arguments", ()), **given.get("keywords", {}))
    except TypeError as error:
        key = "arguments" if "arguments" in task else "function"
        called = f"{call.partition(':')[2]}{str(signature).replace('=Ellipsis', '=...')}"
        task.wrong(key, f"{task.where} cannot call {shown(call)} so: {error}; it is {called}")


def _read_path(task: Fields) -> list[Path]:
    """Return where the module is looked for: in the folders that ``path`` names, else beside the file."""
    if "path" not in task:
        return [task.folder("function")]
    start = task.folder("path")
    folders = [start / name for _, name in task.words("path", "a folder's name or a list of names")]
    for folder in folders:
        if not folder.is_dir() or "\0" in str(folder):
            task.wrong("path", f"{shown(str(folder))} in 'path' of {task.where} is not a folder; name one that is")
    return folders
