"""Whether what arrives at a port is what the port takes, as far as that is known before anything runs.

What a value node holds, what the fields of a form give and what a script says to return is known; what another program
gives is known when it has run, and is looked at then.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from roost.executors.worker.taking import fits, type_of
from roost.languages.flow.drafts import Draft
from roost.languages.flow.edges import Wait
from roost.languages.problems import did_you_mean
from roost.model.task import EdgeKind, PortType

#: Work of which something is known about the result.
_KNOWN = frozenset({"value", "value_from", "manual"})


def check_types(draft: Draft, drafts: Mapping[str, Draft]) -> None:
    """Note every port of a task that would get something else than it takes."""
    for wait in draft.waits:
        source = drafts[wait.source]
        known = source.work in _KNOWN or _returns(source)
        if not (wait.type or wait.pick or known) or wait.kind is EdgeKind.AFTER:
            continue
        wrong = _not_all(wait) or _wrong(wait, source)
        if wrong is not None:
            draft.fields.wrong("", f"task '{draft.name}' {wrong}", wait.line)
        elif wait.pick and wait.pick in source.outputs:
            files = f"{{needs.{wait.port}.{wait.pick}}}"
            draft.fields.warn(
                "", f"task '{draft.name}' picks '{wait.pick}' from what '{source.name}' prints; {files} is its file"
            )
    if draft.sized_by is not None:
        wrong = _no_list(drafts[draft.sized_by])
        if wrong is not None:
            draft.fields.wrong("sized_by", f"{draft.fields.where} is sized by {wrong}")


def gives(draft: Draft) -> str:
    """Return the type of a task's result, empty if it is not known."""
    if draft.constant is not UNSET:
        return type_of(draft.constant)
    return PortType.OBJECT if draft.form is not None else _returns(draft)


def _returns(draft: Draft) -> str:
    """Return the type that a script returns, or is said to return."""
    return draft.returns or draft.declares


def _not_all(wait: Wait) -> str | None:
    if wait.kind is not EdgeKind.ALL or wait.type in {"", PortType.ARRAY}:
        return None
    return f"takes {wait.type} at '{wait.port}', where the list of all results of '{wait.source}' arrives; take Array"


def _wrong(wait: Wait, source: Draft) -> str | None:
    if source.constant is not UNSET:
        return _wrong_value(wait, source.name, source.constant)
    if source.form is not None:
        return _wrong_answer(wait, source)
    return _wrong_return(wait, source)


def _wrong_return(wait: Wait, source: Draft) -> str | None:
    if wait.kind is EdgeKind.SPREAD:
        none = _no_list(source)
        return None if none is None else f"takes items of {none}"
    given = _returns(source)
    if wait.kind is EdgeKind.ALL or wait.pick or "" in {wait.type, given} or wait.type == given:
        return None
    returns = f"'{source.name}' returns {given}"
    return f"takes {wait.type} at '{wait.port}', but {returns}; make the two the same"


def _wrong_value(wait: Wait, name: str, value: Any) -> str | None:
    if wait.kind is not EdgeKind.SPREAD:
        return _wrong_part(wait, f"'{name}'", value)
    if not isinstance(value, list):
        return f"takes items of '{name}', which is {type_of(value)}; only an Array has items"
    for at, item in enumerate(value):
        wrong = _wrong_part(wait, f"item {at} of '{name}'", item)
        if wrong is not None:
            return wrong
    return None


def _wrong_part(wait: Wait, what: str, value: Any) -> str | None:
    if wait.pick:
        parts = _parts(value)
        if wait.pick not in parts:
            hint = did_you_mean(wait.pick, list(parts)) or "; name one that it has"
            return f"picks '{wait.pick}' from {what}, which has no such part{hint}"
        value = parts[wait.pick]
        what = f"'{wait.pick}' of {what}"
    if wait.kind is EdgeKind.ALL or fits(value, PortType(wait.type)):
        return None
    return f"takes {wait.type} at '{wait.port}', but {what} is {type_of(value)}; make the two the same"


def _parts(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    return {str(at): item for at, item in enumerate(value)} if isinstance(value, list) else {}


def _wrong_answer(wait: Wait, source: Draft) -> str | None:
    assert source.form is not None
    if wait.kind is EdgeKind.SPREAD:
        return f"takes items of {_no_list(source)}"
    fields = source.form.gives
    if wait.pick and wait.pick not in fields:
        hint = did_you_mean(wait.pick, fields) or "; name one of its fields"
        return f"picks '{wait.pick}' from '{source.name}', whose form has no such field{hint}"
    given = fields[wait.pick] if wait.pick else PortType.OBJECT
    if wait.kind is EdgeKind.ALL or not given or wait.type in {"", given}:
        return None
    what = f"the field '{wait.pick}' of '{source.name}'" if wait.pick else f"the answer to '{source.name}'"
    return f"takes {wait.type} at '{wait.port}', but {what} is {given}; make the two the same"


def _no_list(source: Draft) -> str | None:
    found = gives(source)
    return (
        f"'{source.name}', which gives {found}; only an Array has items" if found not in {"", PortType.ARRAY} else None
    )
