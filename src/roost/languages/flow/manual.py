"""``manual``: a step that a person does, with a form to fill in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from roost.languages.flow.fields import Fields
from roost.languages.flow.keywords import FIELD_KEYS, MANUAL_KEYS
from roost.languages.flow.names import NAME, NAME_RULE
from roost.languages.flow.nodes import ListNode, MapNode, ScalarNode
from roost.languages.flow.requirements import seconds
from roost.languages.problems import did_you_mean, shown
from roost.model.limits import FIELDS_MAX, NAME_LENGTH_MAX
from roost.model.task import FieldType, PortType

FIELD_TYPES: Final = tuple(kind.value for kind in FieldType)
#: What a field of this type gives.
_GIVES: Final = {
    FieldType.TEXT: PortType.STRING, FieldType.NUMBER: PortType.NUMBER, FieldType.BOOLEAN: PortType.BOOLEAN,
    FieldType.CHOICE: PortType.STRING, FieldType.FILE: PortType.OBJECT,
}  # fmt: skip
_WANTED: Final = "text, number, boolean, file, a list of choices, or a map with 'type'"


@dataclass(frozen=True, slots=True)
class Form:
    """A manual step as the API takes it."""

    json: dict[str, Any]

    @property
    def files(self) -> tuple[str, ...]:
        """The fields that are files."""
        return tuple(field["name"] for field in self.json["fields"] if field["type"] == FieldType.FILE)

    @property
    def gives(self) -> dict[str, str]:
        """What each field gives; one that may be left empty may give nothing, and so is anything."""
        fields = self.json["fields"]
        return {field["name"]: _GIVES[FieldType(field["type"])] if field["required"] else "" for field in fields}


def read_form(task: Fields, name: str, ports: Sequence[str]) -> Form:
    """Read the form; ``manual: text`` is a step with just this title. Without ``show`` a person sees all that arrives.

    What is wrong is noted, and something harmless stands in its place.
    """
    title, rest = name, None
    if isinstance(task.raw("manual"), ScalarNode):
        title = task.text("manual", "a title, or a map") or name
    else:
        rest = task.section("manual", "a title, or a map with 'title', 'instructions' and 'fields'")
    if rest is None:
        return Form({**_plain(_checked_title(task, "manual", title)), "show": list(ports)})
    rest.refuse_others(MANUAL_KEYS)
    title = rest.text("title") or name
    return Form({
        **_plain(_checked_title(rest, "title", title)),
        "instructions": rest.text("instructions") or "",
        "fields": _read_fields(rest),
        "show": _read_show(rest, ports),
        "who": list(dict.fromkeys(_names(rest, "who"))),
        "deadline_s": rest.measure("deadline", seconds, "2d or 8h"),
    })  # fmt: skip


def _plain(title: str) -> dict[str, Any]:
    return {"title": title, "instructions": "", "fields": [], "show": [], "who": [], "deadline_s": None}


def _checked_title(fields: Fields, key: str, title: str) -> str:
    if len(title) > NAME_LENGTH_MAX or not title.isprintable():
        told = f"use one line of at most {NAME_LENGTH_MAX} characters, and 'instructions' for more"
        fields.wrong(key, f"{shown(title)} cannot be a title in {fields.where}; {told}")
    return title


def _read_show(form: Fields, ports: Sequence[str]) -> list[str]:
    if "show" not in form:
        return list(ports)
    found = list(dict.fromkeys(_names(form, "show")))
    for port in found:
        if port not in ports:
            hint = did_you_mean(port, ports) or "; name what arrives by 'needs', 'each', 'all' or 'spread'"
            form.wrong("show", f"{shown(port)} in 'show' of {form.where} does not arrive there{hint}")
    return found


def _names(form: Fields, key: str) -> Iterable[str]:
    for _, name in form.words(key, "a name or a list of names") if key in form else ():
        if len(name) > NAME_LENGTH_MAX:
            form.wrong(key, f"{shown(name)} in '{key}' of {form.where} is longer than {NAME_LENGTH_MAX}; shorten it")
        yield name


def _read_fields(form: Fields) -> list[dict[str, Any]]:
    section = form.section("fields", "a map, for example {comment: text}")
    if section is None:
        return []
    names = list(section.keys)
    if len(names) > FIELDS_MAX:
        form.wrong("fields", f"'fields' of {form.where} has {len(names):,} fields; at most {FIELDS_MAX} are allowed")
    return [field for name in names if (field := _read_field(section, name)) is not None]


def _read_field(section: Fields, name: str) -> dict[str, Any] | None:
    if not NAME.fullmatch(name):
        section.wrong(name, f"{shown(name)} cannot be a name in {section.where}; {NAME_RULE}")
        return None
    match section.raw(name):
        case ListNode():
            return _field(name, FieldType.CHOICE.value, choices=_choices(section, name))
        case MapNode():
            return _long_field(section, name)
    kind = section.choice(name, [kind for kind in FIELD_TYPES if kind != FieldType.CHOICE])
    return None if kind is None else _field(name, kind)


def _field(
    name: str, kind: str, *, label: str = "", required: bool = True, choices: Sequence[str] = ()
) -> dict[str, Any]:
    return {"name": name, "type": kind, "label": label, "required": required, "choices": list(choices)}


def _long_field(section: Fields, name: str) -> dict[str, Any] | None:
    field = section.section(name, _WANTED)
    if field is None:
        return None
    field.refuse_others(FIELD_KEYS)
    choices = _choices(field, "choices") if "choices" in field else []
    usual = FieldType.CHOICE if choices else FieldType.TEXT
    kind = field.choice("type", FIELD_TYPES) or usual.value
    if (kind == FieldType.CHOICE) != bool(choices) and "choices" in field:
        field.wrong("choices", f"{field.where} is a {kind} and has 'choices'; make its type choice, or remove them")
    elif kind == FieldType.CHOICE and not choices:
        field.wrong("type", f"{field.where} is a choice of nothing; add 'choices'")
    label, required = field.text("label") or "", field.truth("required")
    return _field(name, kind, label=label, required=required is not False, choices=choices)


def _choices(fields: Fields, key: str) -> list[str]:
    found = [word for _, word in fields.words(key, "a list of choices")]
    if not found:
        fields.wrong(key, f"'{key}' of {fields.where} offers nothing to choose; list the choices")
    for word in {word for word in found if found.count(word) > 1}:
        fields.wrong(key, f"{shown(word)} stands twice among the choices of '{key}' of {fields.where}; remove one")
    return found
