"""Which values can be compared: what can never be true or false is told when it is written, with what was meant."""

from typing import Final

from roost.policy.conditions.kinds import Kind
from roost.policy.conditions.tree import Attribute, Comparison, Literal, Membership, Operand, Relation, Statement
from roost.policy.conditions.versions import is_version
from roost.policy.conditions.words import wrong

_EQUALITY: Final = (Relation.EQUAL, Relation.UNEQUAL)
#: Kinds of values of which one can be more than another.
_ORDERED: Final = (Kind.NUMBER, Kind.SIZE, Kind.VERSION)


def check_comparison(comparison: Comparison, left_column: int, column: int, right_column: int) -> None:
    """Raise InvalidInput if it compares what does not compare; the columns are those of its three words."""
    left, right = comparison.left, comparison.right
    for side, at in ((left, left_column), (right, right_column)):
        if side.kind is Kind.SET:
            raise wrong(at, f"'{side}' is a set of words; ask whether one is in it, as in \"lab\" in {side}")
    if Kind.VERSION in (left.kind, right.kind):
        _check_version(left, left_column, right)
        _check_version(right, right_column, left)
    elif left.kind is not right.kind:
        _check_sizes(left, right, right_column)
        _check_sizes(right, left, left_column)
        if not _are_sizes(left, right):
            meant = next((side for side in (left, right) if isinstance(side, Attribute)), left)
            raise wrong(column, f"{_named(left)} and {_named(right)}; compare {meant} with {meant.kind}")
    elif left.kind not in _ORDERED and comparison.relation not in _EQUALITY:
        _check_order(comparison, column)


def _check_version(side: Operand, column: int, other: Operand) -> None:
    """One of the two is a version; a text in quotes becomes one beside it."""
    if side.kind is Kind.VERSION:
        return
    if isinstance(side, Literal) and side.kind is Kind.TEXT:
        check_is_version(side, column)
    elif side.kind is Kind.NUMBER and isinstance(side, Literal):
        raise wrong(
            column, f'{side} is a number, in which 3.9 is more than 3.12; write the version in quotes, "{side}"'
        )
    elif side.kind is Kind.TEXT:
        raise wrong(column, f"{_named(side)} and {other} a version; write version({side})")
    else:
        raise wrong(column, f'{_named(side)} and no version; write for example {other} >= "3.12"')


def check_is_version(text: Literal, column: int) -> None:
    if not is_version(str(text.value)):
        raise wrong(column, f'{text} is no version; write for example "3.12"')


def _are_sizes(left: Operand, right: Operand) -> bool:
    kinds = (left.kind, right.kind)
    return Kind.SIZE in kinds and Kind.NUMBER in kinds and any(_is_zero(side) for side in (left, right))


def _is_zero(side: Operand) -> bool:
    return isinstance(side, Literal) and side.value == 0


def _check_sizes(size: Operand, number: Operand, column: int) -> None:
    """Nobody knows what a size without a unit is."""
    if size.kind is Kind.SIZE and isinstance(number, Literal) and number.kind is Kind.NUMBER and number.value:
        raise wrong(column, f"{number} has no unit and '{size}' is a size; write for example {number}GiB or {number}MB")


def _check_order(comparison: Comparison, column: int) -> None:
    left, relation, right = comparison.left, comparison.relation, comparison.right
    if left.kind is Kind.TEXT:
        name = next((side for side in (left, right) if isinstance(side, Attribute)), left)
        raise wrong(
            column, f"text is compared by == and !=; if '{name}' is a version, write version({name}) {relation} ..."
        )
    raise wrong(column, f"true and false are compared by == and !=, and not by {relation}")


def check_membership(membership: Membership, column: int, within_column: int) -> None:
    member, within = membership.member, membership.within
    if member.kind is Kind.SET and within.kind is Kind.TEXT:
        raise wrong(column, f"it stands the wrong way round; write {within} in {member}")
    if member.kind is not Kind.TEXT:
        raise wrong(column, f"{_named(member)}; before 'in' stands a text in quotes")
    if within.kind not in (Kind.SET, Kind.TEXT):
        raise wrong(
            within_column, f"{_named(within)}, and nothing is in it; after 'in' stands programs, tags or the like"
        )


def check_statement(statement: Statement, column: int) -> None:
    of = statement.of
    if of.kind in (Kind.FLAG, Kind.SET):
        return
    example = f'{of} == "..."' if of.kind is Kind.TEXT else f"{of} >= ..."
    if isinstance(of, Literal):
        example = f"{of} in programs" if of.kind is Kind.TEXT else f"cores >= {of}"
    raise wrong(column, f"{_named(of)} and neither true nor false; compare it, as in {example}")


def _named(side: Operand) -> str:
    return f"'{side}' is {side.kind}" if isinstance(side, Attribute) else f"{side} is {side.kind}"
