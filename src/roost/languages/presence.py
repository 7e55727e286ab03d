"""What commands name and this machine does not have: programs, and folders to run in.

Another machine may have them, so that these are warnings. What is known only when an element runs is not looked at.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from roost.languages.braces import plain
from roost.languages.placeholders import placeholders_in
from roost.languages.problems import shown

#: Names that one sentence lists.
_SHOWN: Final = 5


def lacking(submission: Mapping[str, Any]) -> list[str]:
    """Return a warning for missing programs, and one for missing folders."""
    programs: dict[tuple[str, str, str], bool] = {}
    folders: dict[str, bool] = {}
    for task in submission["tasks"]:
        command = task.get("command")
        if not command or command.get("program"):
            continue
        cwd = command.get("cwd")
        folder = "" if cwd is None or _is_open(cwd) else plain(cwd)
        if folder and folder not in folders:
            folders[folder] = Path(folder).is_dir()
        program = command["argv"][0]
        key = (program, folder, (command.get("env") or {}).get("PATH", os.defpath))
        if key not in programs:
            programs[key] = _is_open(program) or _is_there(plain(program), cwd, key[2])
    missing = dict.fromkeys(plain(program) for (program, _, _), there in programs.items() if not there)
    return _told("programs", missing) + _told("folders", [name for name, there in folders.items() if not there])


def _is_open(text: str) -> bool:
    """Whether it is filled in when an element runs."""
    return any(True for _ in placeholders_in(text, has_items=True))


def _is_there(program: str, cwd: str | None, path: str) -> bool:
    if "/" not in program:
        return shutil.which(program, path=path) is not None
    if not program.startswith("/"):
        # In a fresh folder there is nothing yet; a folder that is filled in later may hold it.
        return cwd is not None and (_is_open(cwd) or os.access(Path(plain(cwd), program), os.X_OK))
    return os.access(program, os.X_OK)


def _told(what: str, names: Mapping[str, Any] | list[str]) -> list[str]:
    if not names:
        return []
    more = ", ..." if len(names) > _SHOWN else ""
    listed = ", ".join(shown(name) for name in list(names)[:_SHOWN])
    kind = what if len(names) > 1 else what.removesuffix("s")
    return [f"this machine lacks the {kind} {listed}{more}; tasks that need what is missing fail"]
