"""Trees of conditions and their text."""

from hypothesis import given

from roost.policy.conditions.kinds import Kind
from roost.policy.conditions.parsing import parse_condition
from roost.policy.conditions.tree import Condition, Literal, leaves_of, text_literal
from tests.policy.conditions.trees import conditions


@given(conditions)
def test_the_text_of_a_tree_parses_to_the_same_tree(tree: Condition) -> None:
    assert parse_condition(str(tree)) == tree


def test_a_size_stays_as_it_was_written() -> None:
    assert str(parse_condition("mem>=8GiB")) == "mem >= 8GiB"


def test_text_is_written_in_double_quotes_whatever_it_holds() -> None:
    assert text_literal('a "b" \\') == Literal('a "b" \\', Kind.TEXT, '"a \\"b\\" \\\\"')


def test_leaves_stand_in_their_order() -> None:
    tree = parse_condition('not (gpu or cores > 2) and "a" in tags')
    assert [str(leaf) for leaf in leaves_of(tree)] == ["gpu", "cores > 2", '"a" in tags']
