"""What a node lacks for a condition, part by part, in words."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from roost.model.attributes import Attribute as Value
from roost.model.errors import InvalidInput
from roost.model.resources import format_size
from roost.policy.conditions.evaluation import Attributes, has_word, holds, said_of
from roost.policy.conditions.kinds import Kind
from roost.policy.conditions.parsing import parse_condition
from roost.policy.conditions.tree import (
    And,
    Attribute,
    Comparison,
    Condition,
    Leaf,
    Membership,
    Operand,
    Statement,
    VersionOf,
    leaves_of,
)

_NOBODY_CAN: Final = "cannot meet it, nor can any other"


class Lack(NamedTuple):
    """Why a node does not fit, as a sentence about it, and as a few words after 'it lacks'."""

    sentence: str
    brief: str


def lacks_for(condition: str, attributes: Attributes) -> list[Lack]:
    """Say which parts of a condition a node does not meet that says this of itself; none if it meets it."""
    try:
        tree = parse_condition(condition)
    except InvalidInput as error:
        # Only a node with another version of Roost can have accepted it.
        return [Lack(f"this node cannot read what it requires: {error}", f"a condition that it can read ({error})")]
    parts = tree.parts if isinstance(tree, And) else (tree,)
    return [_lack(part, attributes) for part in parts if holds(part, attributes) is not True]


def _lack(part: Condition, attributes: Attributes) -> Lack:
    there = _what_is_there(part, attributes)
    return Lack(f"it requires {part}, and this node {there}", f"{part} ({there})")


def _what_is_there(part: Condition, attributes: Attributes) -> str:
    leaves = leaves_of(part)
    if len(leaves) == 1:
        return _in_short(leaves[0], attributes)
    return ", ".join(dict.fromkeys(said for leaf in leaves for said in _in_full(leaf, attributes))) or _NOBODY_CAN


def _in_short(leaf: Leaf, attributes: Attributes) -> str:
    """Say what a node has of the only thing that was asked."""
    named = _attributes_in(leaf)
    if not named:
        return _NOBODY_CAN
    if len(named) > 1:
        return ", ".join(_in_full(leaf, attributes))
    said = said_of(named[0], attributes)
    if said is None:
        return "says nothing of that"
    if isinstance(leaf, Membership) and isinstance(said, tuple):
        return "has it" if has_word(said, str(said_of(leaf.member, attributes))) else "has no such one"
    if isinstance(said, tuple):
        return "has some" if said else "has none"
    return f"has {_shown(said, named[0].kind)}"


def _in_full(leaf: Leaf, attributes: Attributes) -> Iterator[str]:
    """Say what a node has of everything that a comparison names."""
    for attribute in _attributes_in(leaf):
        said = said_of(attribute, attributes)
        if said is None:
            yield f"says nothing of {attribute}"
        elif not isinstance(said, tuple):
            yield f"has {attribute} {_shown(said, attribute.kind)}"
        elif isinstance(leaf, Membership):
            member = said_of(leaf.member, attributes)
            if isinstance(member, str):
                yield f"has {'' if has_word(said, member) else 'no '}'{member}' in {attribute}"
        else:
            yield f"has {'some' if said else 'no'} {attribute}"


def _attributes_in(leaf: Leaf) -> list[Attribute]:
    operands: tuple[Operand, ...]
    match leaf:
        case Comparison(left=left, right=right):
            operands = left, right
        case Membership(member=member, within=within):
            operands = member, within
        case Statement(of=of):
            operands = (of,)
    inner = (operand.of if isinstance(operand, VersionOf) else operand for operand in operands)
    return list(dict.fromkeys(operand for operand in inner if isinstance(operand, Attribute)))


def _shown(said: Value, kind: Kind) -> str:
    if isinstance(said, bool):
        return "true" if said else "false"
    if isinstance(said, int | float):
        return format_size(said) if kind is Kind.SIZE else f"{said:g}"
    return f"'{said}'"
