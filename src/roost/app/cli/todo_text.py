"""How something that waits for a person looks: what is asked, what there is to look at, and how to answer."""

import base64
import time
from collections.abc import Iterator
from typing import Any

import msgspec
from rich.text import Text

from roost.app.cli.answering import type_words
from roost.app.cli.common import loaded
from roost.app.cli.draw import clock_text
from roost.app.cli.results import shown_value
from roost.model.errors import RoostError
from roost.model.pools import place_in_block
from roost.model.resources import format_duration, format_size
from roost.model.task import PortType

Todo = dict[str, Any]

#: Lines of a value that are shown; the beginning tells most of what it is.
LINES_SHOWN = 12


def place_text(todo: Todo) -> str:
    """Name an element as ``complete`` takes it."""
    place = f"{todo['run']}/{todo['name']}"
    return place if todo["elements"] == 1 else f"{place}/{todo['path']}"


def todo_lines(todo: Todo, *, how: bool) -> Iterator[Text]:
    """Yield the lines about one element; ``how``: with the command that answers it."""
    late = lateness(todo)
    title = Text.assemble((place_text(todo), "bold"), f"  {todo['title']}")
    yield Text.assemble(title, (f"  {late}", "bold red")) if late else title
    yield Text(f"  {terms_text(todo)}", "dim")
    for line in todo["instructions"].splitlines():
        yield Text(f"  {line}")
    for port in todo["show"]:
        yield from _port_lines(todo, port)
    if how:
        yield from _field_lines(todo)
        yield Text(f"  {_command(todo)}", "cyan")


def terms_text(todo: Todo) -> str:
    """Say who may answer, since when it waits, and until when an answer is expected."""
    words = [f"for {' or '.join(todo['who'])}" if todo["who"] else "for anybody"]
    if todo["since"] is not None:
        words.append(f"since {clock_text(todo['since'])}")
    if todo["deadline"] is not None:
        words.append(f"expected by {clock_text(todo['deadline'])}")
    elif todo["deadline_s"] is not None:
        words.append(f"expected within {format_duration(todo['deadline_s'])}")
    return ", ".join(words)


def lateness(todo: Todo) -> str:
    """Say by how much it is late; nothing if it is not."""
    return f"late by {format_duration(max(0.0, time.time() - todo['deadline']))}" if todo["late"] else ""


def _command(todo: Todo) -> str:
    words = ["roost", "complete", place_text(todo)]
    for field in todo["fields"]:
        kind = {"choice": "|".join(field["choices"]), "boolean": "yes|no", "file": "@PATH"}.get(
            field["type"], field["type"].upper()
        )
        words.append(f"{field['name']}={kind}" if field["required"] else f"[{field['name']}={kind}]")
    return " ".join(words)


def _field_lines(todo: Todo) -> Iterator[Text]:
    """Yield a line for each field that has a label of its own."""
    for field in todo["fields"]:
        if field["label"]:
            yield Text(f"  {field['name']}: {field['label']} ({type_words(field)})")


def _port_lines(todo: Todo, port: dict[str, Any]) -> Iterator[Text]:
    several = len(port["values"]) > 1 or port["more"] > 0
    for value in port["values"]:
        name = f"{port['port']} {value['path']}" if several else port["port"]
        yield from _value_lines(name, _value_text(todo, port, value))
        for file, about in value["files"].items():
            source = port["source"].rpartition("/")
            fetch = f"roost get {source[0]} --task {source[2]} --elements {value['path']} -o DIR"
            yield Text(f"    file {file}, {format_size(about['bytes'])}: '{fetch}' fetches it")
    if port["more"]:
        yield Text(f"  {port['port']}: and {port['more']:,} more", "dim")


def _value_lines(name: str, text: str) -> Iterator[Text]:
    lines = text.splitlines()
    if len(lines) <= 1:
        yield Text(f"  {name}: {text}".rstrip())
        return
    yield Text(f"  {name}:")
    for line in lines[:LINES_SHOWN]:
        yield Text(f"    {line}")
    if len(lines) > LINES_SHOWN:
        yield Text(f"    ... {len(lines) - LINES_SHOWN:,} more lines; --json has them", "dim")


def _value_text(todo: Todo, port: dict[str, Any], value: dict[str, Any]) -> str:
    if value["problem"]:
        return f"({value['problem']})"
    if value["pickle"] is not None:
        return _python_text(todo, port, base64.b64decode(value["pickle"]))
    if value["datasets"]:
        return f"datasets {', '.join(value['datasets'])}"
    if value["value"] is None and value["files"]:
        return ""
    text = value["value"] if isinstance(value["value"], str) else msgspec.json.encode(value["value"]).decode()
    return f"{text}..." if value["cut"] else text


def _python_text(todo: Todo, port: dict[str, Any], pickled: bytes) -> str:
    """Show what a function returned, or the part of it that arrives."""
    if port["kind"] != "spread" and not port["pick"]:
        return shown_value(pickled)
    try:
        value = loaded("roost.client.pickling").load(pickled)
        if port["kind"] == "spread":
            value = value[place_in_block(todo["element"])[1]]
        taking = loaded("roost.executors.worker.taking").Taking(port["port"], port["pick"], PortType.ANY)
        return repr(taking.of(value))
    except RoostError as error:
        return f"({error})"
    except Exception:  # noqa: BLE001 - a value's loading and repr are the user's code, and may raise anything
        return shown_value(pickled)
