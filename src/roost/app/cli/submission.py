"""From the options of ``submit`` to the API's submission; everything that can be refused here is refused here."""

import os
import re
import shutil
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from roost.app.cli.common import hint, pairs_of
from roost.app.cli.expanding import expanded_commands
from roost.app.cli.items import checked_array, json_of, lines_of, read_bytes
from roost.app.cli.own_folder import check_words, from_here, runs_apart
from roost.app.cli.parallel import Placeholders, Source, items_of_sources, split_sources
from roost.app.drawing.wording import count_of
from roost.executors.template import literal, parse
from roost.languages.environment import SUBMIT_DIR, inherited_env
from roost.model.errors import InvalidInput
from roost.model.limits import NAME_LENGTH_MAX
from roost.model.ranges import RangeSet
from roost.model.resources import parse_duration, parse_size
from roost.model.stray import carried, native_bytes
from roost.model.task import Command
from roost.policy.conditions.parsing import check_condition


class Wishes(NamedTuple):
    """What a person asked ``submit`` for, as typed."""

    words: tuple[str, ...]
    array: str | None
    each_line: str | None
    each_json: str | None
    cpus: float
    mem: str | None
    time: str | None
    length: str | None
    retries: int
    priority: str
    name: str | None
    env: tuple[str, ...]
    cwd: str | None
    stdin: str | None
    protocol: str
    output: tuple[str, ...]
    require: str | None = None


class _Texts(NamedTuple):
    """The texts of a command, all of which may hold placeholders."""

    argv: list[str]
    cwd: str
    env: dict[str, str]
    stdin: str | None
    outputs: dict[str, str]


def submission_of(wishes: Wishes, after: list[str]) -> dict[str, Any]:
    """Return the submission; ``after`` are the ids of runs to wait for. Raise InvalidInput for what cannot be."""
    argv, sources = split_sources([_carried(word) for word in wishes.words])
    if not argv:
        raise InvalidInput("there is no command; write it after the options, as in 'roost submit -- ls -l'")
    items = _items(wishes, sources)
    array = checked_array(wishes.array, items)
    texts = _texts(wishes, argv)
    if items is not None or array is not None:
        texts, array = _with_placeholders(texts, len(sources) or int(items is not None), items, array)
    apart = runs_apart(wishes.cwd, texts.outputs)
    folder = _from_here("" if apart else texts.cwd, items, array)
    _check_program(_without_holes(texts.argv[0], items), _without_holes(folder, items))
    argv = from_here(texts.argv, Path.cwd()) if apart else texts.argv
    task: dict[str, Any] = {
        "name": _task_name(argv[0]),
        "command": _command(wishes, texts._replace(argv=argv), None if apart else folder),
        "array": array,
        "items": items,
        "edges": [{"source": run, "kind": "after", "port": ""} for run in after],
        "cpus": wishes.cpus,
        "memory_bytes": parse_size(wishes.mem) if wishes.mem else 0,
        "require": _condition(wishes.require),
        "time_limit_s": parse_duration(wishes.time) if wishes.time else None,
        "length_s": parse_duration(wishes.length) if wishes.length else None,
        "retries": wishes.retries,
        "priority": wishes.priority,
    }
    if apart and wishes.cwd is None:
        check_words(task, Path.cwd())
    name = _carried(wishes.name or str(task["name"]))[:NAME_LENGTH_MAX]
    return {"name": name, "kind": "command", "cwd": None if apart else folder, "tasks": [task]}


def _condition(given: str | None) -> str:
    try:
        return "" if given is None else check_condition(given)
    except InvalidInput as error:
        raise InvalidInput(f"--require: {error}") from None


def _command(wishes: Wishes, texts: _Texts, folder: str | None) -> dict[str, Any]:
    here = {SUBMIT_DIR: literal(_carried(str(Path.cwd())))}
    return {
        **texts._asdict(),
        "cwd": folder,
        "env": inherited_env() | here | texts.env,
        "stdin": texts.stdin or _read_stdin(wishes.stdin),
        "protocol": wishes.protocol,
    }


def _texts(wishes: Wishes, argv: list[str]) -> _Texts:
    return _Texts(
        argv=argv,
        cwd=_carried(wishes.cwd or ""),
        env=pairs_of(map(_carried, wishes.env), "--env"),
        stdin=None if wishes.stdin is None or _is_read(wishes.stdin) else _carried(wishes.stdin),
        outputs=pairs_of(map(_carried, wishes.output), "--output"),
    )


def _with_placeholders(
    texts: _Texts, count: int, items: list[Any] | None, array: str | None
) -> tuple[_Texts, str | None]:
    """Put Roost's placeholders in the place of GNU parallel's; return the texts, and the array that they need."""
    placeholders = Placeholders(count)
    meant = _Texts(
        argv=placeholders.words(texts.argv),
        cwd=placeholders.text(texts.cwd),
        env={name: placeholders.text(text) for name, text in texts.env.items()},
        stdin=None if texts.stdin is None else placeholders.text(texts.stdin),
        outputs={name: placeholders.text(path) for name, path in texts.outputs.items()},
    )
    if placeholders.name_number:
        if items is not None and not placeholders.name_item:
            # The item is there for those who look for it, and does not become a word of the command.
            meant.env["ROOST_ITEM"] = "{item}"
        return meant, _numbered(array, items, placeholders.name_index)
    if count > 1 and not placeholders.name_item:
        meant.argv.extend(placeholders.all_values())
    return meant, array


def _numbered(array: str | None, items: list[Any] | None, names_index: bool) -> str:
    """Return the array whose indices are the numbers of its elements. Raise InvalidInput if the user wants another."""
    if array is None:
        assert items is not None
        if names_index:
            raise InvalidInput("'{#}' counts from 1 and '{i}' from 0; use one of them, or give --array")
        return str(RangeSet.span(1, len(items) + 1))
    elements = RangeSet.parse(array)
    if elements != RangeSet.span(1, len(elements) + 1):
        raise InvalidInput(f"'{{#}}' counts from 1 and --array {array} does not; write {{i}} for the index")
    return array


def _from_here(given: str, items: list[Any] | None, array: str | None) -> str:
    """Return the folder to run in, from the root. One that begins with a placeholder is looked at for each element."""
    here = literal(_carried(str(Path.cwd())))
    if not given:
        return here
    plain = _without_holes(given, items)
    if plain is not None:
        return literal(_carried(str(Path.cwd() / plain)))
    if given.startswith("/"):
        return given
    folders = (str(one.cwd) for one in expanded_commands(Command(("true",), cwd=given), items, array))
    from_root = {folder.startswith("/") for folder in folders}
    if len(from_root) > 1:
        raise InvalidInput("--cwd is given from the root for some elements and from here for others; choose one")
    return given if from_root == {True} else f"{here}/{given}"


def _without_holes(text: str, items: list[Any] | None) -> str | None:
    """Return what a text stands for that is the same for all elements; None if it is not."""
    parts = parse(text, items is not None, {})
    if any(not isinstance(part, str) for part in parts):
        return None
    return os.fsdecode(native_bytes("".join(map(str, parts))))


def _items(wishes: Wishes, sources: list[Source]) -> list[Any] | None:
    given = [
        name
        for name, there in (("--each-line", wishes.each_line), ("--each-json", wishes.each_json), (":::", sources))
        if there
    ]
    if len(given) > 1:
        raise InvalidInput(f"items come from {' and '.join(given)}; choose one of them")
    if wishes.each_line:
        items = lines_of(wishes.each_line)
    elif wishes.each_json:
        items = json_of(wishes.each_json)
    elif sources:
        items, left_out = items_of_sources(sources)
        if left_out:
            hint(f"roost: {count_of(left_out, 'value')} left out: what goes side by side ends with the shorter list")
    else:
        return None
    if not items:
        raise InvalidInput(f"{given[0]} gives no items, so there is nothing to run")
    return items


def _is_read(stdin: str) -> bool:
    """Whether it names what is to be read; a text that is typed may hold placeholders, and what is read may not."""
    return stdin == "-" or stdin.startswith("@")


def _read_stdin(given: str | None) -> str | None:
    if given is None or not _is_read(given):
        return given
    return literal(carried(read_bytes(given.removeprefix("@"))))


def _carried(text: str) -> str:
    """Return a word of the command line as a text that can be sent, whatever bytes it holds."""
    return carried(os.fsencode(text))


def _check_program(program: str | None, folder: str | None) -> None:
    """Refuse a program that is not there, now rather than a thousand times later. None differs between elements."""
    if folder is not None and not Path(folder).is_dir():
        raise InvalidInput(f"there is no folder {folder}; --cwd names the folder to run in")
    if program is None or ("/" in program and folder is None):
        return
    place = Path(folder or "/", program) if "/" in program else program
    if shutil.which(place) is None:
        where = f"in {folder}" if "/" in program else "on your PATH"
        raise InvalidInput(f"there is no program '{program}' {where}; check its spelling, and that it may be executed")


def _task_name(program: str) -> str:
    """Make a task's name from a program's path; one that is all placeholder or digits gets a plain one."""
    word = re.sub(r"[^A-Za-z0-9_.-]", "", PurePath(program).name)[:NAME_LENGTH_MAX]
    return word if re.match(r"[A-Za-z_]", word) else f"task{word}"[:NAME_LENGTH_MAX]
