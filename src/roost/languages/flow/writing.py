"""A submission back to a flow file: what is read from it is the submission again.

What the file leaves to the reader is left out: the folder of the file, the variables that go along with every command,
the arguments of a function that takes its item and its results.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import yaml

from roost.languages.braces import literal
from roost.languages.environment import inherited_env
from roost.languages.flow.commands import SCRATCH
from roost.languages.flow.edges import KEY_OF_KIND
from roost.languages.flow.names import NAME
from roost.languages.flow.nodes import ScalarNode
from roost.languages.placeholders import placeholders_in
from roost.model.errors import InvalidInput
from roost.model.task import EdgeKind, FieldType

#: Text that can stand without quotes.
_PLAIN: Final = re.compile(r"[A-Za-z_/][A-Za-z0-9_ ./-]*")
_LINE_WIDTH: Final = 120


class _Dumper(yaml.SafeDumper):
    """Quotes all text that this reader, which is not YAML 1.1, would take for something else."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_text = _PLAIN.fullmatch(text) and not text.endswith(" ") and ScalarNode(1, text, plain=True).value == text
    style = "|" if "\n" in text else None if is_text else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def write_flow(submission: Mapping[str, Any], folder: Path) -> str:
    """Return the text of a flow file in ``folder``. Raise InvalidInput for what a flow file cannot say."""
    document: dict[str, Any] = {"name": submission["name"]} if submission.get("name") else {}
    inherited = inherited_env()
    tasks = {}
    for task in submission["tasks"]:
        _check(NAME.fullmatch(task["name"]) is not None, task, "its name cannot stand in a flow file")
        tasks[task["name"]] = _Task(task, folder, inherited).written()
    document["tasks"] = tasks
    final = list(submission.get("final") or ())
    if final:
        document["result"] = final[0] if len(final) == 1 else final
    if submission.get("quorum"):
        document["quorum"] = True
    if submission.get("policy"):
        document["policy"] = submission["policy"]
    text: str = yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_LINE_WIDTH)
    return text


def _check(fits: bool, task: Mapping[str, Any], wrong: str) -> None:
    if not fits:
        raise InvalidInput(f"task '{str(task['name'])[:60]}' cannot be written as a flow: {wrong}")


class _Task:
    """Writes one task."""

    def __init__(self, task: Mapping[str, Any], folder: Path, inherited: Mapping[str, str]) -> None:
        self._task = task
        self._folder = folder
        self._inherited = inherited

    def written(self) -> dict[str, Any]:
        works: dict[str, Callable[[Any], dict[str, Any]]] = {
            "command": self._command, "function": self._function, "script": self._script, "value": self._value,
            "manual": self._manual,
        }  # fmt: skip
        work = next((key for key in works if self._task.get(key) is not None), None)
        _check(work is not None, self._task, "it does nothing")
        assert work is not None
        self._refuse_unwritable()
        return {**self._elements(), **self._edges(), **works[work](self._task[work]), **self._requirements()}

    def _elements(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        array, items = self._task.get("array"), self._task.get("items")
        if array is not None:
            # A single index would look like a number of elements.
            found["array"] = f"{array}-{array}" if array.isdigit() else array
        if items is not None:
            found["items"] = items
        if self._task.get("sized_by") is not None:
            found["sized_by"] = self._task["sized_by"]
        return found

    def _edges(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for edge in self._task.get("edges") or ():
            key = KEY_OF_KIND[EdgeKind(edge["kind"])]
            if key == "after":
                found.setdefault(key, []).append(edge["source"])
            else:
                _check(NAME.fullmatch(edge["port"]) is not None, self._task, f"the port '{edge['port']}' is no name")
                found.setdefault(key, {})[edge["port"]] = _port(edge)
        return found

    def _command(self, command: Mapping[str, Any]) -> dict[str, Any]:
        _check(not command.get("program"), self._task, "its program is one that the nodes keep")
        found: dict[str, Any] = {"command": list(command["argv"])}
        outputs = command.get("outputs") or {}
        for path in outputs.values():
            inside = not path.startswith("/") and ".." not in path.split("/")
            _check(inside, self._task, f"it leaves '{path[:60]}', which is not inside its folder")
        cwd, usual = command.get("cwd"), None if outputs else str(self._folder)
        if cwd != usual:
            found["cwd"] = SCRATCH if cwd is None else cwd
        env = {name: text for name, text in command["env"].items() if self._inherited.get(name) != text}
        plain = command.get("protocol", "plain") == "plain"
        rest = {"env": env, "outputs": dict(outputs), "protocol": None if plain else command["protocol"]}
        found |= {key: command[key] for key in ("stdin", "recorded") if command.get(key) is not None}
        return found | {key: value for key, value in rest.items() if value}

    def _function(self, function: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {"function": function["call"]}
        if list(function.get("path") or ()) != [str(self._folder)]:
            found["path"] = list(function.get("path") or ())
        keywords = function.get("keywords")
        given = function.get("arguments") if keywords is None else keywords
        env = {name: literal(text) for name, text in (function.get("env") or {}).items()}
        own = {name: text for name, text in env.items() if self._inherited.get(name) != text}
        return {**found, "arguments": self._argument(given or []), **({"env": own} if own else {})}

    def _script(self, script: Mapping[str, Any]) -> dict[str, Any]:
        found = {"script": script["code"], "entry": script.get("entry") or "weevil_main"}
        found |= {key: script[key] for key in ("returns", "declares") if script.get(key)}
        return {**found, "arguments": self._argument(script.get("arguments") or [])}

    @staticmethod
    def _value(value: Mapping[str, Any]) -> dict[str, Any]:
        return {"value": value["json"]}

    @staticmethod
    def _manual(manual: Mapping[str, Any]) -> dict[str, Any]:
        form = {key: manual[key] for key in ("title", "instructions", "show", "who") if key in manual}
        if manual.get("fields"):
            form["fields"] = {field["name"]: _field(field) for field in manual["fields"]}
        if manual.get("deadline_s") is not None:
            form["deadline"] = _seconds(manual["deadline_s"])
        return {"manual": form}

    def _requirements(self) -> dict[str, Any]:
        found = {
            key: self._task[key] for key in ("cpus", "retries", "priority", "reuse") if self._task.get(key) is not None
        }
        if self._task.get("require"):
            found["require"] = self._task["require"]
        if self._task.get("memory_bytes") is not None:
            found["mem"] = f"{self._task['memory_bytes']}b"
        if self._task.get("time_limit_s") is not None:
            found["time"] = _seconds(self._task["time_limit_s"])
        if self._task.get("length_s") is not None:
            found["length"] = _seconds(self._task["length_s"])
        return found

    def _argument(self, value: Any) -> Any:
        """Return an argument with its marks as placeholders, and text so that it stays what it is."""
        match value:
            case {"port": port, **rest} if not rest:
                return f"{{needs.{port}}}"
            case {"item": True, **rest} if not rest:
                return "{item}"
            case {"index": True, **rest} if not rest:
                return "{i}"
            case dict():
                return {name: self._argument(inner) for name, inner in value.items()}
            case list():
                return [self._argument(inner) for inner in value]
            case str():
                return literal(value)
        return value

    def _refuse_unwritable(self) -> None:
        """Raise InvalidInput if the reader would make something else of a text or a number."""
        for inner in _scalars(self._task):
            number = isinstance(inner, int) and not -(2**63) <= inner < 2**63
            _check(not number, self._task, "it holds a number of more than 63 bits; put it into a file")
            asks = isinstance(inner, str) and any(found.root == "values" for found in placeholders_in(inner))
            _check(not asks, self._task, "it holds {values...} as text; put that into a file")


def _port(edge: Mapping[str, str]) -> str | dict[str, str]:
    long = {"from": edge["source"], "pick": edge.get("pick") or "", "type": edge.get("type") or ""}
    return edge["source"] if long["pick"] == long["type"] == "" else {key: text for key, text in long.items() if text}


def _field(field: Mapping[str, Any]) -> Any:
    label, required = field.get("label") or "", field.get("required", True)
    kind, choices = field.get("type", "text"), list(field.get("choices") or ())
    if not label and required:
        return choices if kind == FieldType.CHOICE else kind
    rest = {"label": label, "choices": choices}
    return {"type": kind, "required": required, **{key: value for key, value in rest.items() if value}}


def _seconds(seconds: float) -> str:
    """Return a duration that reads as exactly this number."""
    return f"{Decimal(repr(seconds)).normalize():f}s"


def _scalars(value: Any) -> Iterable[Any]:
    match value:
        case dict():
            for inner in (*value, *value.values()):
                yield from _scalars(inner)
        case list():
            for inner in value:
                yield from _scalars(inner)
        case _:
            yield value
