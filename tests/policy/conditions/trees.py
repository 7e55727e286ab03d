"""Hypothesis strategies for conditions, and for what nodes say of themselves."""

from hypothesis import strategies as st

from roost.model.attributes import Attribute as Value
from roost.policy.conditions.kinds import KIND_OF, Kind
from roost.policy.conditions.tree import (
    And,
    Attribute,
    Comparison,
    Condition,
    Literal,
    Membership,
    Not,
    Or,
    Relation,
    Statement,
    VersionOf,
    text_literal,
)

_NAMES_OF = {kind: [name for name in KIND_OF if KIND_OF[name] is kind] for kind in Kind}
_WORDS = ["linux", "lab", "ffmpeg", "it's", 'a "b"', "back\\slash", "grün", ""]
_VERSIONS = ["3.9", "3.12", "3.12rc1", "4"]
_SIZES = {"512MB": 512 * 10**6, "8GiB": 8 * 2**30, "1.5g": 3 * 2**29}

_texts = st.sampled_from(_WORDS)
_equality = st.sampled_from([Relation.EQUAL, Relation.UNEQUAL])
_relations = st.sampled_from(Relation)


def _attributes(kind: Kind) -> st.SearchStrategy[Attribute]:
    return st.sampled_from(_NAMES_OF[kind]).map(Attribute)


_flags = _attributes(Kind.FLAG) | st.booleans().map(lambda flag: Literal(flag, Kind.FLAG, str(flag).lower()))
_numbers = _attributes(Kind.NUMBER) | st.integers(0, 9).map(lambda number: Literal(number, Kind.NUMBER, str(number)))
_sizes = _attributes(Kind.SIZE) | st.sampled_from(sorted(_SIZES)).map(
    lambda text: Literal(_SIZES[text], Kind.SIZE, text)
)
_words = _attributes(Kind.TEXT) | _texts.map(text_literal)
_version_texts = st.sampled_from(_VERSIONS).map(text_literal)
_versions = (_attributes(Kind.TEXT) | _version_texts).map(VersionOf)

leaves: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Comparison, _flags, _equality, _flags),
    st.builds(Comparison, _numbers, _relations, _numbers),
    st.builds(Comparison, _sizes, _relations, _sizes),
    st.builds(Comparison, _words, _equality, _words),
    st.builds(Comparison, _versions, _relations, _versions | _version_texts),
    st.builds(Membership, _words, _attributes(Kind.SET) | _words, st.booleans()),
    st.builds(Statement, _flags | _attributes(Kind.SET)),
)
conditions = st.recursive(
    leaves,
    lambda parts: (
        st.builds(Not, parts)
        | st.lists(parts, min_size=2, max_size=3).map(lambda some: And(tuple(some)))
        | st.lists(parts, min_size=2, max_size=3).map(lambda some: Or(tuple(some)))
    ),
    max_leaves=8,
)

_VALUES: dict[Kind, st.SearchStrategy[Value]] = {
    Kind.FLAG: st.booleans(),
    Kind.NUMBER: st.integers(0, 9),
    Kind.SIZE: st.sampled_from(sorted(_SIZES.values())),
    Kind.TEXT: st.sampled_from([*_WORDS, *_VERSIONS]),
    Kind.SET: st.lists(_texts, max_size=3).map(lambda words: tuple(sorted(set(words)))),
}
#: What a node says of itself: of some attributes nothing.
said_by_node = st.fixed_dictionaries({}, optional={name: _VALUES[kind] for name, kind in KIND_OF.items()})
