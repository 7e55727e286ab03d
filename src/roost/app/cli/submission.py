"""From the options of ``submit`` to the API's submission; everything that can be refused here is refused here."""

import re
import shutil
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from roost.app.cli.items import (
    checked_array,
    items_of_groups,
    json_of,
    lines_of,
    read_text,
    split_groups,
    with_item_fields,
)
from roost.app.cli.own_folder import SUBMIT_DIR, check_words, from_here, runs_apart
from roost.app.environment import inherited_env
from roost.executors.template import literal
from roost.model.errors import InvalidInput
from roost.model.limits import NAME_LENGTH_MAX
from roost.model.resources import parse_duration, parse_size

_PLACEHOLDER = re.compile(r"\{[A-Za-z0-9_.-]*\}")


class Wishes(NamedTuple):
    """What a person asked ``submit`` for, as typed."""

    words: tuple[str, ...]
    array: str | None
    each_line: str | None
    each_json: str | None
    cpus: float
    mem: str | None
    time: str | None
    retries: int
    priority: str
    name: str | None
    env: tuple[str, ...]
    cwd: str | None
    stdin: str | None
    protocol: str
    output: tuple[str, ...]


def submission_of(wishes: Wishes, after: list[str]) -> dict[str, Any]:
    """Return the submission; ``after`` are the ids of runs to wait for. Raise InvalidInput for what cannot be."""
    argv, groups = split_groups(wishes.words)
    if not argv:
        raise InvalidInput("there is no command; write it after the options, as in 'roost submit -- ls -l'")
    items = _items(wishes, groups)
    if groups:
        argv = with_item_fields(argv, len(groups))
    outputs = _pairs(wishes.output, "--output")
    apart = runs_apart(wishes.cwd, outputs)
    folder = Path.cwd() if apart else Path.cwd() / (wishes.cwd or "")
    _check_program(argv[0], folder)
    if apart:
        argv = from_here(argv, folder)
    task: dict[str, Any] = {
        "name": _task_name(argv[0]),
        "command": _command(wishes, argv, outputs, None if apart else str(folder)),
        "array": checked_array(wishes.array, items),
        "items": items,
        "edges": [{"source": run, "kind": "after", "port": ""} for run in after],
        "cpus": wishes.cpus,
        "memory_bytes": parse_size(wishes.mem) if wishes.mem else 0,
        "time_limit_s": parse_duration(wishes.time) if wishes.time else None,
        "retries": wishes.retries,
        "priority": wishes.priority,
    }
    if apart and wishes.cwd is None:
        check_words(task, folder)
    name = (wishes.name or str(task["name"]))[:NAME_LENGTH_MAX]
    return {"name": name, "kind": "command", "cwd": None if apart else str(folder), "tasks": [task]}


def _command(wishes: Wishes, argv: list[str], outputs: dict[str, str], folder: str | None) -> dict[str, Any]:
    return {
        "argv": argv,
        "cwd": folder,
        "env": inherited_env() | {SUBMIT_DIR: literal(str(Path.cwd()))} | _pairs(wishes.env, "--env"),
        "stdin": _stdin(wishes.stdin),
        "protocol": wishes.protocol,
        "outputs": outputs,
    }


def _items(wishes: Wishes, groups: list[list[str]]) -> list[Any] | None:
    sources = [
        name
        for name, given in (("--each-line", wishes.each_line), ("--each-json", wishes.each_json), (":::", groups))
        if given
    ]
    if len(sources) > 1:
        raise InvalidInput(f"items come from {' and '.join(sources)}; choose one of them")
    if wishes.each_line:
        items = lines_of(wishes.each_line)
    elif wishes.each_json:
        items = json_of(wishes.each_json)
    elif groups:
        items = items_of_groups(groups)
    else:
        return None
    if not items:
        raise InvalidInput(f"{sources[0]} gives no items, so there is nothing to run")
    return items


def _pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InvalidInput(f"{option} {text}: write it as NAME=VALUE")
        pairs[name] = value
    return pairs


def _stdin(given: str | None) -> str | None:
    if given is not None and given.startswith("@"):
        return read_text(given[1:])
    return read_text("-") if given == "-" else given


def _check_program(program: str, folder: Path) -> None:
    """Refuse a program that is not there, now rather than a thousand times later."""
    if _PLACEHOLDER.search(str(folder)):
        # Each element has another one, and says itself if that is not there.
        return
    if not folder.is_dir():
        raise InvalidInput(f"there is no folder {folder}; --cwd names the folder to run in")
    if _PLACEHOLDER.search(program):
        return
    if shutil.which(folder / program if "/" in program else program) is None:
        where = f"in {folder}" if "/" in program else "on your PATH"
        raise InvalidInput(f"there is no program '{program}' {where}; check its spelling, and that it may be executed")


def _task_name(program: str) -> str:
    """Make a task's name from a program's path; one that is all placeholder or digits gets a plain one."""
    word = re.sub(r"[^A-Za-z0-9_.-]", "", PurePath(program).name)[:NAME_LENGTH_MAX]
    return word if re.match(r"[A-Za-z_]", word) else f"task{word}"[:NAME_LENGTH_MAX]
