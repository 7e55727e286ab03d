"""From the text of a condition to its tree.

    any     = all ("or" all)*
    all     = one ("and" one)*
    one     = "not" one | "(" any ")" | value [relation value | ["not"] "in" value]
    value   = number | size | text | "true" | "false" | attribute | "version" "(" value ")"

Whatever is wrong is an InvalidInput that begins with the column and says what to do.
"""

import re
from functools import lru_cache
from typing import Final

from roost.model.errors import InvalidInput
from roost.model.limits import CONDITION_DEPTH_MAX, CONDITION_PARTS_MAX, SIZE_BYTES_MAX
from roost.model.resources import parse_size
from roost.policy.conditions.checking import (
    check_comparison,
    check_is_version,
    check_membership,
    check_statement,
)
from roost.policy.conditions.kinds import KIND_OF, Kind
from roost.policy.conditions.tree import (
    And,
    Attribute,
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
    text_literal,
)
from roost.policy.conditions.words import Word, WordKind, words_of, wrong

_PLAIN_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?", re.ASCII)
_RELATIONS: Final = {relation.value: relation for relation in Relation}
_JOINING: Final = ("and", "or", "not", "in")
_VERSION: Final = "version"
_FLAGS: Final = {"true": True, "false": False}
#: Conditions that are kept as trees: those of the tasks that wait, of which most are alike.
_KEPT: Final = 1024


@lru_cache(maxsize=_KEPT)
def parse_condition(text: str) -> Condition:
    """Return the tree of a condition; raise InvalidInput, with the column, if it is none."""
    return _Parser(text).whole()


def check_condition(text: str) -> str:
    """Return what was given, without space around it, if it is a condition; else raise InvalidInput."""
    parse_condition(text)
    return text.strip()


class _Parser:
    def __init__(self, text: str) -> None:
        self._words = list(words_of(text))
        self._at = 0
        self._depth = 0
        self._parts = 0

    def whole(self) -> Condition:
        if self._next.kind is WordKind.END:
            raise wrong(1, 'there is nothing here; write for example os == "linux" and mem >= 8GiB')
        condition = self._any()
        left = self._next
        if left.kind is not WordKind.END:
            raise self._not_joined(left)
        return condition

    @property
    def _next(self) -> Word:
        return self._words[self._at]

    def _take(self) -> Word:
        word = self._next
        self._at += 1
        return word

    def _takes(self, text: str, kind: WordKind = WordKind.NAME) -> bool:
        """Take the next word if it is this one."""
        if self._next.kind is kind and self._next.text == text:
            self._at += 1
            return True
        return False

    def _any(self) -> Condition:
        parts = [self._all()]
        while self._takes("or"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _all(self) -> Condition:
        parts = [self._one()]
        while self._takes("and"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _one(self) -> Condition:
        word = self._next
        self._count(word)
        if self._takes("not"):
            self._go_deeper(word)
            negated = Not(self._one())
            self._depth -= 1
            return negated
        if self._takes("(", WordKind.SIGN):
            self._go_deeper(word)
            inside = self._any()
            if not self._takes(")", WordKind.SIGN):
                raise self._not_closed(word)
            self._depth -= 1
            return inside
        return self._leaf()

    def _count(self, word: Word) -> None:
        self._parts += 1
        if self._parts > CONDITION_PARTS_MAX:
            raise wrong(word.column, f"the condition has more than {CONDITION_PARTS_MAX} parts; say it shorter")

    def _go_deeper(self, word: Word) -> None:
        self._depth += 1
        if self._depth > CONDITION_DEPTH_MAX:
            raise wrong(word.column, f"more than {CONDITION_DEPTH_MAX} lie inside each other; say it with fewer")

    def _leaf(self) -> Condition:
        begins = self._next
        left = self._operand()
        word = self._next
        if word.kind is WordKind.SIGN and word.text in _RELATIONS:
            return self._comparison(begins, left)
        if word.kind is WordKind.NAME and word.text in ("in", "not"):
            return self._membership(begins, left)
        if isinstance(left, VersionOf):
            raise wrong(begins.column, f'{left} is neither true nor false; compare it, as in {left} >= "3.12"')
        statement = Statement(left)
        check_statement(statement, begins.column)
        return statement

    def _comparison(self, begins: Word, left: Operand) -> Condition:
        sign = self._take()
        right_begins = self._next
        comparison = Comparison(left, _RELATIONS[sign.text], self._operand())
        check_comparison(comparison, begins.column, sign.column, right_begins.column)
        again = self._next
        if again.kind is WordKind.SIGN and again.text in _RELATIONS:
            raise wrong(again.column, "comparisons do not follow each other; write two with 'and' between them")
        return comparison

    def _membership(self, begins: Word, left: Operand) -> Condition:
        wanted = not self._takes("not")
        if not self._takes("in"):
            raise wrong(self._next.column, f"after '{left} not' stands 'in'; write {left} not in ...")
        within_begins = self._next
        membership = Membership(left, self._operand(), wanted)
        check_membership(membership, begins.column, within_begins.column)
        return membership

    def _operand(self) -> Operand:
        word = self._take()
        match word.kind:
            case WordKind.NUMBER:
                return _number(word)
            case WordKind.TEXT:
                return text_literal(word.text)
            case WordKind.NAME if word.text in _FLAGS:
                return Literal(_FLAGS[word.text], Kind.FLAG, word.text)
            case WordKind.NAME if word.text == _VERSION:
                return self._version(word)
            case WordKind.NAME if word.text not in _JOINING:
                return _attribute(word)
            case WordKind.END:
                raise wrong(
                    word.column, "the condition ends where a value is missing; add it, or remove what stands before"
                )
            case _:
                raise wrong(word.column, f"'{word.text}' stands where a value is missing; add it before")

    def _version(self, word: Word) -> VersionOf:
        if not self._takes("(", WordKind.SIGN):
            raise wrong(word.column, "after 'version' stands what it is taken of; write version(python)")
        begins = self._next
        of = self._operand()
        if isinstance(of, VersionOf) or of.kind is not Kind.TEXT:
            raise wrong(begins.column, f"{of} is {of.kind} and not text that names a version; write version(python)")
        if isinstance(of, Literal):
            check_is_version(of, begins.column)
        if not self._takes(")", WordKind.SIGN):
            raise wrong(self._next.column, f"version({of} has no end; add ')'")
        return VersionOf(of)

    def _not_closed(self, opening: Word) -> InvalidInput:
        word = self._next
        if word.kind is WordKind.END:
            return wrong(opening.column, "this parenthesis is not closed; add ')'")
        return self._not_joined(word)

    def _not_joined(self, word: Word) -> InvalidInput:
        if word.text == ")" and word.kind is WordKind.SIGN:
            return wrong(word.column, "this parenthesis was not opened; remove it")
        shown = f'"{word.text}"' if word.kind is WordKind.TEXT else f"'{word.text}'"
        return wrong(word.column, f"{shown} stands where a part has ended; write 'and' or 'or' before it")


def _number(word: Word) -> Literal:
    if _PLAIN_NUMBER.fullmatch(word.text):
        value = float(word.text) if "." in word.text else int(word.text)
        if value > SIZE_BYTES_MAX:
            raise wrong(word.column, f"{word.text:.20}... is more than any node has; write a smaller number")
        return Literal(value, Kind.NUMBER, word.text)
    if word.text.count(".") > 1:
        raise wrong(word.column, f"'{word.text:.40}' is no number; write a version in quotes, \"{word.text:.40}\"")
    try:
        return Literal(parse_size(word.text), Kind.SIZE, word.text)
    except InvalidInput:
        way_out = "write for example 8GiB or 500MB, and text in quotes"
        raise wrong(word.column, f"'{word.text:.40}' is neither a number nor a size; {way_out}") from None


def _attribute(word: Word) -> Attribute:
    if word.text in KIND_OF:
        return Attribute(word.text)
    # Only here: a node reads conditions with this module that were read before.
    import difflib  # noqa: PLC0415 - see above

    near = difflib.get_close_matches(word.text.lower(), KIND_OF, n=1, cutoff=0.6)
    hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(KIND_OF)}; text stands in quotes"
    raise wrong(word.column, f"no node says '{word.text:.40}' of itself; {hint}")
