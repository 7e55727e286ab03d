"""``function`` to the API's function: which one, where its module is, and its arguments."""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roost.executors.template import parse
from roost.languages.flow.arguments import read_arguments
from roost.languages.flow.commands import read_env
from roost.languages.flow.drafts import Draft
from roost.languages.flow.fields import Fields
from roost.languages.flow.modules import check_function
from roost.languages.flow.scope import Scope
from roost.languages.problems import shown
from roost.model.errors import InvalidInput


class Functions:
    """Reads the functions of one flow. Thousands of tasks may call the same one, which is looked for once."""

    def __init__(self, inherited: Mapping[str, str]) -> None:
        """``inherited`` are variables that go along unless a task sets them."""
        self._inherited = inherited
        self._found: dict[tuple[str, Path], inspect.Signature | InvalidInput | None] = {}

    def json(self, draft: Draft, scope: Scope) -> dict[str, Any]:
        task = draft.fields
        call = task.text("function", "module:function") or ""
        folders = _read_path(task)
        signature = self._check_call(task, call, folders) if call else None
        given = read_arguments(draft, scope)
        if signature is not None and given:
            _check_arguments(task, call, signature, given)
        env = {**self._inherited, **_declared(task, scope)} if "env" in task else self._inherited
        return {"call": call, "path": [str(folder) for folder in folders], **given, "env": env}

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


def _declared(task: Fields, scope: Scope) -> dict[str, str]:
    """Return the variables of a task. All elements have the same, for a worker keeps them from one to the next."""
    env = {}
    for name, text in read_env(task).items():
        parts = parse(scope.resolved("env", text), has_items=False, ports={}) if "{" in text else (text,)
        if all(isinstance(part, str) for part in parts):
            env[name] = "".join(map(str, parts))
        else:
            # It may stand in the variables of the whole flow, for its commands.
            why = "a function has the same for all elements, so it is left out; use 'arguments'"
            task.warn("env", f"'{name}' in 'env' of {task.where} holds a placeholder; {why}")
    return env


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
