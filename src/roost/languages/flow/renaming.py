"""Names that a flow file can hold, for a submission of another language, whose names may have dots in them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from roost.languages.flow.names import NAME
from roost.languages.naming import legal, unique_names
from roost.languages.placeholders import Placeholder, replace_placeholders
from roost.model.limits import NAME_LENGTH_MAX

_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_-]")
#: Room for a number.
_BASE_LENGTH_MAX: Final = NAME_LENGTH_MAX - 8


def with_flow_names(submission: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same submission, in which tasks and output files have names that can stand in a flow file."""
    tasks = submission["tasks"]
    names = flow_names(task["name"] for task in tasks)
    files = {task["name"]: flow_names((task.get("command") or {}).get("outputs") or ()) for task in tasks}
    renamed = [_renamed(task, names, files) for task in tasks]
    return {**submission, "tasks": renamed, "final": [names[name] for name in submission.get("final") or ()]}


def flow_names(names: Iterable[str]) -> dict[str, str]:
    """Return a name for a flow file for each of these. No two are alike, and what can stay as it is does."""
    return unique_names(names, NAME.fullmatch, lambda name: legal(name, _ILLEGAL)[:_BASE_LENGTH_MAX])


def _renamed(
    task: Mapping[str, Any], names: Mapping[str, str], files: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    renamed: dict[str, Any] = {**task, "name": names[task["name"]]}
    edges = task.get("edges") or ()
    sources = {edge["port"]: edge["source"] for edge in edges if edge.get("port")}
    if edges:
        renamed["edges"] = [_edge(edge, names, files) for edge in edges]
    if task.get("sized_by"):
        renamed["sized_by"] = names[task["sized_by"]]
    if task.get("command"):
        renamed["command"] = _command(task["command"], files[task["name"]], sources, files)
    return renamed


def _edge(edge: Mapping[str, Any], names: Mapping[str, str], files: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    source = edge["source"]
    renamed = {**edge, "source": names.get(source, source)}
    if edge.get("pick"):
        renamed["pick"] = files.get(source, {}).get(edge["pick"], edge["pick"])
    return renamed


def _command(
    command: Mapping[str, Any],
    own: Mapping[str, str],
    sources: Mapping[str, str],
    files: Mapping[str, Mapping[str, str]],
) -> dict[str, Any]:
    def mended(text: str) -> str:
        return replace_placeholders(text, with_new_name)

    def with_new_name(found: Placeholder) -> str:
        """Return the same placeholder, with the new name of a file if it stands for one of another task."""
        port, _, name = ".".join(found.path).partition(".")
        renamed = files.get(sources.get(port, ""), {}).get(name) if found.root == "needs" else None
        return str(found) if renamed is None else f"{{needs.{port}.{renamed}}}"

    renamed: dict[str, Any] = {**command, "argv": [mended(word) for word in command["argv"]]}
    if command.get("stdin"):
        renamed["stdin"] = mended(command["stdin"])
    if command.get("env"):
        renamed["env"] = {name: mended(text) for name, text in command["env"].items()}
    if command.get("outputs"):
        renamed["outputs"] = {own[name]: path for name, path in command["outputs"].items()}
    return renamed
