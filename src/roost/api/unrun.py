"""Work that no node runs: values that come with the submission, and steps that people do."""

from roost.api.requests import ManualAsked, TaskAsked, ValueAsked
from roost.model.errors import InvalidInput
from roost.model.task import EdgeKind, Field, FieldType, Manual, Value
from roost.model.visible import quoted
from roost.wire.values import encode_item

#: As much of a value as lists of steps show.
_SHOWN_LENGTH = 60


def value_of(asked: ValueAsked) -> tuple[Value, bytes]:
    """Return a value node's work and its result."""
    data = encode_item(asked.json)
    text = data.decode()
    shown = text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"
    return Value(shown), data


def length_of(asked: ValueAsked, *, is_mapped: bool) -> int | None:
    """Return how many items a value has that a pool maps; None if no pool does."""
    if not is_mapped:
        return None
    if not isinstance(asked.json, list):
        raise InvalidInput("field 'value.json': a pool maps it; it must be a list")
    return len(asked.json)


def manual_of(task: TaskAsked, asked: ManualAsked) -> Manual:
    """Check the form of a manual task."""
    ports = {edge.port for edge in task.edges if edge.kind is not EdgeKind.AFTER}
    for port in asked.show:
        if port not in ports:
            raise InvalidInput(f"field 'manual.show': nothing arrives at the port {quoted(port)}")
    names: set[str] = set()
    for field in asked.fields:
        if not field.name or field.name in names:
            raise InvalidInput(f"field 'manual.fields': {quoted(field.name)} is empty or stands there twice")
        names.add(field.name)
        if (field.type is FieldType.CHOICE) != bool(field.choices):
            raise InvalidInput(
                f"field 'manual.fields': {quoted(field.name)} has choices if, and only if, it is a choice"
            )
    fields = tuple(
        Field(field.name, field.type, field.label, field.required, tuple(field.choices)) for field in asked.fields
    )
    return Manual(asked.title, asked.instructions, fields, tuple(asked.show), tuple(asked.who), asked.deadline_s)
