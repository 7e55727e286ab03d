"""What a node says of itself, and what a task requires of it (HTC 2.4: matchmaking).

Rules
- An attribute is matched and never taken: any number of elements may rest on it. What is taken and given back is a
  quantity (resources.py).
- Fail-closed: an attribute that a node does not have satisfies nothing, nor does one of another type. ``True`` is no
  number, and a text is no set.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final, TypeAlias, TypeGuard, assert_never

import msgspec

from roost.model.limits import ATTRIBUTE_NAME_LENGTH_MAX, ATTRIBUTE_TEXT_LENGTH_MAX, ATTRIBUTE_TEXTS_MAX

#: The minor version of Python that a node's function workers run, e.g. "3.11".
PYTHON: Final = "python"
#: The names of what is in its programs' folder, sorted.
PROGRAMS: Final = "programs"
#: Whether it has the engine that runs scripts.
JAVASCRIPT: Final = "javascript"

AttributeName: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=ATTRIBUTE_NAME_LENGTH_MAX)]
_Text: TypeAlias = Annotated[str, msgspec.Meta(max_length=ATTRIBUTE_TEXT_LENGTH_MAX)]
#: A flag, a number, a text; or a set of texts, in their order.
Attribute: TypeAlias = (
    bool | int | float | _Text | Annotated[tuple[_Text, ...], msgspec.Meta(max_length=ATTRIBUTE_TEXTS_MAX)]
)


class Relation(StrEnum):
    EQUALS = "equals"
    #: Between numbers.
    AT_LEAST = "at least"
    #: A set of texts has this one.
    CONTAINS = "contains"


class Requirement(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What an attribute of a node must be."""

    attribute: AttributeName
    relation: Relation
    value: bool | int | float | _Text

    def is_met_by(self, attributes: Mapping[str, Attribute]) -> bool:
        has = attributes.get(self.attribute)
        match self.relation:
            case Relation.EQUALS:
                return has == self.value and isinstance(has, bool) == isinstance(self.value, bool)
            case Relation.AT_LEAST:
                return _is_number(has) and _is_number(self.value) and has >= self.value
            case Relation.CONTAINS:
                return isinstance(has, tuple) and self.value in has
            case _:
                assert_never(self.relation)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
