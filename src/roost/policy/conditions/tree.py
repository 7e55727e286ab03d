"""A condition as a tree. Its text, as ``str`` makes it, parses to the same tree again."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from roost.policy.conditions.kinds import KIND_OF, Kind


class Relation(StrEnum):
    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


@dataclass(frozen=True, slots=True)
class Attribute:
    """What the node says of itself under this name."""

    name: str

    @property
    def kind(self) -> Kind:
        return KIND_OF[self.name]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Literal:
    """A value, and how it was written: 8GiB stays 8GiB."""

    value: bool | int | float | str
    kind: Kind
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class VersionOf:
    """A text that is taken as a version, so that 3.9 is before 3.12."""

    of: Attribute | Literal

    @property
    def kind(self) -> Kind:
        return Kind.VERSION

    def __str__(self) -> str:
        return f"version({self.of})"


Operand: TypeAlias = Attribute | Literal | VersionOf


@dataclass(frozen=True, slots=True)
class Comparison:
    left: Operand
    relation: Relation
    right: Operand

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"


@dataclass(frozen=True, slots=True)
class Membership:
    """A word is one of a set, or a part of a text; or, turned round, it is not."""

    member: Operand
    within: Operand
    wanted: bool = True

    def __str__(self) -> str:
        return f"{self.member} {'in' if self.wanted else 'not in'} {self.within}"


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that holds by itself: a flag is true, a set has anything in it."""

    of: Attribute | Literal

    def __str__(self) -> str:
        return str(self.of)


Leaf: TypeAlias = Comparison | Membership | Statement


@dataclass(frozen=True, slots=True)
class Not:
    part: "Condition"

    def __str__(self) -> str:
        return f"not {_inside(self.part, (And, Or))}"


@dataclass(frozen=True, slots=True)
class And:
    parts: "tuple[Condition, ...]"

    def __str__(self) -> str:
        return " and ".join(_inside(part, (And, Or)) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    parts: "tuple[Condition, ...]"

    def __str__(self) -> str:
        return " or ".join(_inside(part, (Or,)) for part in self.parts)


Condition: TypeAlias = Leaf | Not | And | Or


def _inside(part: Condition, weaker: tuple[type, ...]) -> str:
    """Return the text of a part, in parentheses if what binds weaker would fall apart without them."""
    return f"({part})" if isinstance(part, weaker) else str(part)


def leaves_of(condition: Condition) -> list[Leaf]:
    """Return the comparisons that a condition is made of, in their order."""
    match condition:
        case And(parts=parts) | Or(parts=parts):
            return [leaf for part in parts for leaf in leaves_of(part)]
        case Not(part=part):
            return leaves_of(part)
        case _:
            return [condition]


def text_literal(value: str) -> Literal:
    """Return a text as it stands in conditions, in quotes."""
    inside = value.replace("\\", "\\\\").replace('"', '\\"')
    return Literal(value, Kind.TEXT, f'"{inside}"')
