"""Steps of a workflow that are no Python functions: values, commands, scripts, and what people do.

    numbers = roost.value([1, 2, 3])
    shrink = roost.command("convert {picture} -resize 50% {picture}.png")
    square = roost.script("function weevil_main(x) { return x * x; }")
    review = roost.manual("Look at the pictures", fields={"good": bool, "note": str})

All but values are called, or mapped, as task functions are: ``shrink.map(picture=pictures.spread())``.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from roost.api.requests import EdgeAsked, FieldAsked, ManualAsked, TaskAsked, ValueAsked
from roost.api.unrun import manual_of, value_of
from roost.client.handles import Handle, handle_in
from roost.client.pickling import hash_of
from roost.client.placing import ONCE, Place, arrival_of, place_of
from roost.client.requirements import length_of, needs_of, priority_of, retries_of
from roost.client.shapes import ANYTHING, Shape, shape_of_value
from roost.client.workflow import Options, Ports, Workflow, flow_of
from roost.executors.output_places import check_output_places
from roost.executors.template import check_template, literal, text_of
from roost.languages.environment import carried_env
from roost.languages.script_syntax import why_no_script
from roost.languages.shell_words import shell_operator
from roost.model.errors import InvalidInput
from roost.model.ranges import RangeSet
from roost.model.resources import parse_duration
from roost.model.stray import carried_text
from roost.model.task import Command, EdgeKind, FieldType, PortType, Script
from roost.wire.values import decode_item, encode_item

#: What stands for a parameter of a command, or for a file that the step before it left: {text}, {text.out}.
_PARAMETER: Final = re.compile(r"(?<!\$)\{([A-Za-z_][A-Za-z0-9_]*)((?:\.[A-Za-z0-9_-]+)?)\}")
_FIELD_TYPES: Final = {
    str: FieldType.TEXT,
    int: FieldType.NUMBER,
    float: FieldType.NUMBER,
    bool: FieldType.BOOLEAN,
    Path: FieldType.FILE,
}
_FIELD_SHAPES: Final = {
    FieldType.TEXT: PortType.STRING, FieldType.NUMBER: PortType.NUMBER, FieldType.BOOLEAN: PortType.BOOLEAN,
    FieldType.CHOICE: PortType.STRING, FieldType.FILE: PortType.OBJECT,
}  # fmt: skip
#: Holds the place of a parameter while braces are doubled; no text that people write has this character.
_PLACE: Final = "\ue000"
#: Arguments of a map that are not gone through.
_SINGLE: Final = (str, bytes, int, float, bool, dict, type(None))


def value(json: Any, *, name: str = "value") -> Handle:
    """Write a value down as a step of the workflow: any JSON value, for several steps to take, or to be spread."""
    _check_json(json, name)
    work, result = value_of(ValueAsked(json))
    return _flow((), f"roost.value({name!r})").add(name, work, ONCE, gives=shape_of_value(json), result=result)


def _check_json(json: Any, name: str) -> None:
    """Refuse what an encoder would quietly make something else of."""
    if isinstance(json, bytes | bytearray | memoryview | set | frozenset):
        kind = type(json).__name__
        raise InvalidInput(f"the value '{name}' holds {kind}, which JSON does not have; use text or a list")
    if isinstance(json, Mapping):
        json = json.values()
    elif not isinstance(json, list | tuple):
        return
    for part in json:
        _check_json(part, name)


def _flow(values: Iterable[Any], what: str) -> Workflow:
    flow = flow_of(values)
    if flow is None:
        raise InvalidInput(f"{what} is a step of a workflow; use it inside 'with roost.workflow(...)'")
    return flow


class CommandStep:
    """A program with parameters. What stands in braces and is no parameter of a call is text."""

    def __init__(self, name: str, command: Command, options: Options) -> None:
        self.name = name
        self._command = command
        self._options = options

    def __call__(self, /, **given: Any) -> Handle:
        """Run it once: each parameter in its text is a constant, or the result of another step."""
        return self._write_down(ONCE, given, {}, is_map=False)

    def map(self, /, **given: Any) -> Handle:
        """Run it for each item of the iterables, or for each element of an array or a pool."""
        columns = {
            name: item for name, item in given.items() if handle_in(item) is None and not isinstance(item, _SINGLE)
        }
        place = place_of(self.name, given.values())
        if place is None and not columns:
            raise InvalidInput(f"'{self.name}.map' needs at least one iterable or array, to know how often to run")
        if columns and place is not None and place.mappers:
            raise InvalidInput(f"'{self.name}.map' goes through a pool; make its items a roost.value and spread it")
        return self._write_down(place or ONCE, given, columns, is_map=True)

    def _write_down(self, place: Place, given: dict[str, Any], columns: dict[str, Any], *, is_map: bool) -> Handle:
        flow = _flow(given.values(), f"'{self.name}'")
        self._check_known(given)
        rows = zip(*columns.values(), strict=False)
        items = tuple(_packed(dict(zip(columns, row, strict=True))) for row in islice(rows, place.length))
        if columns and not items:
            raise InvalidInput(f"'{self.name}.map' was given nothing to go through")
        place = Place(len(items)) if columns else place
        ports, texts = Ports(flow, self.name, place), {}
        for name, argument in given.items():
            arrival = None if name in columns else arrival_of(place, self.name, name, argument, ANYTHING, is_map=is_map)
            if arrival is not None:
                texts[name] = f"needs.{ports.port(arrival, name)}"
            elif name in columns:
                texts[name] = f"item.{name}"
        constants = {name: argument for name, argument in given.items() if name not in texts}
        command = _filled(self._command, texts, constants)
        kinds = {edge.port: edge.kind for edge in ports.edges}
        check_template(command, bool(columns), kinds)
        elements = None if place.mappers else RangeSet.span(0, place.length or 1)
        check_output_places(command, elements, map(decode_item, items) if columns else None, kinds)
        return flow.add(self.name, command, place, ports, self._options, items=items if columns else None)

    def _check_known(self, given: Mapping[str, Any]) -> None:
        asked = self._command
        texts = [*asked.argv, asked.stdin or "", *asked.env.values(), asked.cwd or "", *asked.outputs.values()]
        known = {match[1] for text in texts for match in _PARAMETER.finditer(text)}
        for name in given:
            if name not in known:
                raise InvalidInput(
                    f"the command '{self.name}' has no {{{name}}}; it has {', '.join(sorted(known)) or 'none'}"
                )


def _packed(item: dict[str, Any]) -> bytes:
    return encode_item({name: carried_text(value) if isinstance(value, str) else value for name, value in item.items()})


def _filled(command: Command, texts: Mapping[str, str], constants: Mapping[str, Any]) -> Command:
    """Return the command with its parameters as the node's placeholders, and constants in place."""

    def filled(text: str) -> str:
        stands: list[str] = []

        def placed(match: re.Match[str]) -> str:
            name, file = match.groups()
            if name in texts:
                stands.append(f"{{{texts[name]}{file}}}")
            elif name in constants and not file:
                stands.append(literal(carried_text(text_of(constants[name]))))
            elif name == "i" and not file:
                stands.append("{i}")
            else:
                return match[0]
            return _PLACE

        # All other braces are text: they are doubled with the parameters out of the way.
        pieces = literal(_PARAMETER.sub(placed, text.replace(_PLACE, ""))).split(_PLACE)
        return "".join(piece + stand for piece, stand in zip(pieces, [*stands, ""], strict=True))

    return Command(
        tuple(map(filled, command.argv)),
        None if command.cwd is None else filled(command.cwd),
        {name: filled(text) for name, text in command.env.items()},
        None if command.stdin is None else filled(command.stdin),
        command.protocol,
        {name: filled(path) for name, path in command.outputs.items()},
    )


def command(
    words: str | Sequence[str],
    *,
    name: str | None = None,
    stdin: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    outputs: Mapping[str, str] | None = None,
    cpus: float = 1,
    memory: int | str | None = None,
    retries: int = 0,
    priority: str = "low",
    time_limit: float | str | None = None,
    length: float | str | None = None,
    require: str | None = None,
    reuse: bool | None = None,
) -> CommandStep:
    """Make a program a step of workflows; ``{name}`` in its words, ``stdin``, ``env`` or ``cwd`` is a parameter.

    Text is split into words as a shell does it, but no shell runs. ``outputs`` are files that it must leave in its
    folder; ``{name.file}`` is the path of one in the next step. Without ``cwd`` it runs in a fresh folder.
    """
    argv = tuple(_split(words) if isinstance(words, str) else words)
    if not argv:
        raise InvalidInput("the command is empty; name a program to run")
    asked = Command(
        tuple(map(carried_text, argv)),
        None if cwd is None else carried_text(cwd),
        {**carried_env(), **_carried_texts(env)},
        None if stdin is None else carried_text(stdin),
        outputs=_carried_texts(outputs),
    )
    needs = needs_of(cpus, memory, time_limit, require)
    options = Options(needs, priority_of(priority), retries_of(retries), reuse, length_of(length))
    return CommandStep(name or argv[0].rpartition("/")[2], asked, options)


def _carried_texts(named: Mapping[str, str] | None) -> dict[str, str]:
    return {carried_text(name): carried_text(text) for name, text in (named or {}).items()}


def _split(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InvalidInput(
            f"'{text:.60}' cannot be split into words ({str(error).lower()}); close the quotes"
        ) from None
    operator = shell_operator(words)
    if operator is not None:
        way_out = 'write ["/bin/sh", "-c", "..."], or a list of words if it is an argument'
        raise InvalidInput(f"'{operator}' in '{text:.60}' needs a shell; {way_out}")
    return words


class ScriptStep:
    """A JavaScript function, called as a task function is; what it gets and gives is JSON."""

    def __init__(self, name: str, code: str, entry: str, returns: PortType, options: Options) -> None:
        self.name = name
        self._code = code.encode()
        self._entry = entry
        self._returns = returns
        self._options = options

    def __call__(self, *given: Any) -> Handle:
        """Call it once; arguments are JSON values, or results of other steps."""
        return self._write_down(ONCE, given, None, is_map=False)

    def map(self, *given: Any) -> Handle:
        """Call it for each item of an iterable, or for each element of an array or a pool."""
        columns = [at for at, item in enumerate(given) if handle_in(item) is None and not isinstance(item, _SINGLE)]
        place = place_of(self.name, given)
        if place is None and not columns:
            raise InvalidInput(f"'{self.name}.map' needs at least one iterable or array, to know how often to call")
        if len(columns) > 1 or (columns and place is not None and place.mappers):
            raise InvalidInput(f"'{self.name}.map' takes one iterable, and none beside a pool; zip them into one list")
        return self._write_down(place or ONCE, given, columns[0] if columns else None, is_map=True)

    def _write_down(self, place: Place, given: tuple[Any, ...], column: int | None, *, is_map: bool) -> Handle:
        flow = _flow(given, f"'{self.name}'")
        items = None
        if column is not None:
            items = tuple(encode_item(item) for item in islice(given[column], place.length))
            if not items:
                raise InvalidInput(f"'{self.name}.map' was given nothing to go through")
            place = Place(len(items))
        ports = Ports(flow, self.name, place)
        arguments = encode_item([
            {"item": True} if at == column else self._argument(place, ports, at, one, is_map)
            for at, one in enumerate(given)
        ])  # fmt: skip
        blobs = {hash_of(self._code): self._code, hash_of(arguments): arguments}
        work = Script(hash_of(self._code), self.name, self._entry, hash_of(arguments), self._returns)
        gives = Shape(self._returns)
        return flow.add(self.name, work, place, ports, self._options, gives, items=items, blobs=blobs)

    def _argument(self, place: Place, ports: Ports, at: int, given: Any, is_map: bool) -> Any:
        arrival = arrival_of(place, self.name, f"argument {at + 1}", given, ANYTHING, is_map=is_map)
        return given if arrival is None else {"port": ports.port(arrival)}


def script(
    code: str,
    *,
    entry: str = "weevil_main",
    returns: str = "",
    name: str | None = None,
    cpus: float = 1,
    memory: int | str | None = None,
    retries: int = 0,
    priority: str = "low",
    time_limit: float | str | None = None,
    length: float | str | None = None,
    require: str | None = None,
    reuse: bool | None = None,
) -> ScriptStep:
    """Make JavaScript a step of workflows: ``entry`` is the function of ``code`` that is called.

    With ``returns``, a type of JSON such as "Number", a call that returns anything else fails.
    """
    if not code.strip() or not entry.isidentifier():
        raise InvalidInput("a script needs its source, and the name of the function that is called")
    if entry not in code:
        raise InvalidInput(f"the script has no function '{entry}'; add it, or name the one to call with entry=")
    wrong = why_no_script(code)
    if wrong:
        raise InvalidInput(f"the script {wrong}; mend it")
    needs = needs_of(cpus, memory, time_limit, require)
    options = Options(needs, priority_of(priority), retries_of(retries), reuse, length_of(length))
    return ScriptStep(name or entry, code, entry, _type_named(returns), options)


def _type_named(name: str) -> PortType:
    try:
        return PortType(name)
    except ValueError:
        known = ", ".join(kind for kind in PortType if kind)
        raise InvalidInput(f"'{name}' is no type that a script can return; write one of {known}") from None


class ManualStep:
    """A form for a person. What a call passes by name is shown; the answer is the map of the fields."""

    def __init__(self, name: str, asked: ManualAsked) -> None:
        self.name = name
        self._asked = asked

    def __call__(self, /, **shown: Any) -> Handle:
        """Ask once."""
        return self._write_down(ONCE, shown, is_map=False)

    def map(self, /, **shown: Any) -> Handle:
        """Ask for each element of an array or a pool."""
        place = place_of(self.name, shown.values())
        if place is None:
            raise InvalidInput(f"'{self.name}.map' needs at least one array or pool, to know how often to ask")
        return self._write_down(place, shown, is_map=True)

    def _write_down(self, place: Place, shown: dict[str, Any], *, is_map: bool) -> Handle:
        flow = _flow(shown.values(), f"'{self.name}'")
        ports = Ports(flow, self.name, place)
        for name, given in shown.items():
            arrival = arrival_of(place, self.name, name, given, ANYTHING, is_map=is_map)
            if arrival is None:
                raise InvalidInput(f"'{name}' of '{self.name}' is no result of another step; make it a roost.value")
            ports.port(arrival, name)
        edges = [EdgeAsked(edge.source, EdgeKind(edge.kind), edge.port) for edge in ports.edges]
        work = manual_of(TaskAsked(self.name, edges=edges), _showing(self._asked, list(shown)))
        fields = {field.name: _given_by(field) for field in self._asked.fields}
        return flow.add(self.name, work, place, ports, gives=Shape(PortType.OBJECT, fields=fields))


def _showing(asked: ManualAsked, show: list[str]) -> ManualAsked:
    return ManualAsked(asked.title, asked.instructions, asked.fields, show, asked.who, asked.deadline_s)


def _given_by(field: FieldAsked) -> Shape:
    return Shape(_FIELD_SHAPES[field.type]) if field.required else ANYTHING


def manual(
    title: str,
    *,
    instructions: str = "",
    fields: Mapping[str, Any] | None = None,
    who: Sequence[str] = (),
    deadline: float | str | None = None,
    name: str = "manual",
) -> ManualStep:
    """Make something that a person does a step of workflows.

    ``fields`` are what to fill in: a name and ``str``, ``int``, ``float``, ``bool``, a list of choices, or
    ``pathlib.Path`` for a file that is handed in.
    ``who`` may answer, anybody if it is left out; ``deadline`` is seconds, or ``"2d"``.
    """
    seconds = parse_duration(deadline) if isinstance(deadline, str) else deadline
    form = [_field(field, kind) for field, kind in (fields or {}).items()]
    asked = ManualAsked(title, instructions, form, [], list(who), None if seconds is None else float(seconds))
    # What is wrong with the form is told here, not when it is used.
    manual_of(TaskAsked(name), asked)
    return ManualStep(name, asked)


def _field(name: str, kind: Any) -> FieldAsked:
    if isinstance(kind, list | tuple) and kind and all(isinstance(choice, str) for choice in kind):
        return FieldAsked(name, FieldType.CHOICE, choices=list(kind))
    if isinstance(kind, type) and kind in _FIELD_TYPES:
        return FieldAsked(name, _FIELD_TYPES[kind])
    raise InvalidInput(f"the field '{name}' is {kind!r}; use str, int, float, bool, pathlib.Path or a list of choices")
