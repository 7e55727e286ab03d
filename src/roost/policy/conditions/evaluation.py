"""Does a condition hold of a node? Yes, no, or it is not known (None), because the node does not say.

What is not known is never taken for a yes: ``not`` of it is not known either. The more a node says, the fewer answers
are unknown; a yes stays a yes, and a no stays a no (Kleene's logic).
"""

import operator
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from roost.model.attributes import Attribute as Value
from roost.policy.conditions.kinds import Kind
from roost.policy.conditions.tree import (
    And,
    Comparison,
    Condition,
    Literal,
    Membership,
    Not,
    Operand,
    Or,
    Relation,
    Statement,
    VersionOf,
)
from roost.policy.conditions.versions import order_of, parse_version

Attributes: TypeAlias = Mapping[str, Value]

_TYPES: Final[dict[Kind, type | tuple[type, ...]]] = {
    Kind.FLAG: bool,
    Kind.NUMBER: (int, float),
    Kind.SIZE: (int, float),
    Kind.TEXT: str,
    Kind.SET: tuple,
}
_HOLDS: Final[dict[Relation, Callable[[Any, Any], bool]]] = {
    Relation.EQUAL: operator.eq,
    Relation.UNEQUAL: operator.ne,
    Relation.LESS: operator.lt,
    Relation.AT_MOST: operator.le,
    Relation.MORE: operator.gt,
    Relation.AT_LEAST: operator.ge,
}


def holds(condition: Condition, attributes: Attributes) -> bool | None:
    """Return whether the condition is true of a node that says this of itself; None: it does not say enough."""
    match condition:
        case And(parts=parts):
            return _all(holds(part, attributes) for part in parts)
        case Or(parts=parts):
            return _not(_all(_not(holds(part, attributes)) for part in parts))
        case Not(part=part):
            return _not(holds(part, attributes))
        case Comparison():
            return _compare(condition, attributes)
        case Membership():
            return _is_member(condition, attributes)
        case Statement(of=of):
            said = said_of(of, attributes)
            return None if said is None else bool(said)


def said_of(operand: Operand, attributes: Attributes) -> Value | None:
    """Return what a word of a condition stands for on a node; None if the node does not say, or not in this kind."""
    if isinstance(operand, VersionOf):
        return said_of(operand.of, attributes)
    if isinstance(operand, Literal):
        return operand.value
    said = attributes.get(operand.name)
    fits = isinstance(said, _TYPES[operand.kind]) and isinstance(said, bool) == (operand.kind is Kind.FLAG)
    return said if fits else None


def _all(answers: Iterable[bool | None]) -> bool | None:
    known: bool | None = True
    for answer in answers:
        if answer is False:
            return False
        known = known and answer
    return known


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _compare(comparison: Comparison, attributes: Attributes) -> bool | None:
    left, right = comparison.left, comparison.right
    one, other = said_of(left, attributes), said_of(right, attributes)
    if one is None or other is None:
        return None
    relation = _HOLDS[comparison.relation]
    if Kind.VERSION not in (left.kind, right.kind):
        return relation(one, other)
    first, second = parse_version(str(one)), parse_version(str(other))
    return None if first is None or second is None else relation(order_of(first, second), 0)


def _is_member(membership: Membership, attributes: Attributes) -> bool | None:
    word, among = said_of(membership.member, attributes), said_of(membership.within, attributes)
    if not isinstance(word, str) or not isinstance(among, str | tuple):
        return None
    return (has_word(among, word) if isinstance(among, tuple) else word in among) == membership.wanted


def has_word(words: tuple[str, ...], word: str) -> bool:
    """Whether a set has a word. Its texts are in their order, and there may be thousands of them."""
    at = bisect_left(words, word)
    return at < len(words) and words[at] == word
