"""What can happen to a task: tags, and what crowds out what."""

from typing import get_args

from roost.model.happenings import COMMON_DRAWER, REPORTED, Happening, Kind, drawer_of, kind_of, reported_kind
from tests.sentences import HAPPENINGS
from tests.strategies import happening_strategies


def test_the_kinds_are_the_tags_of_the_union() -> None:
    tags = [member.__struct_config__.tag for member in get_args(Happening)]
    assert sorted(tags) == sorted(get_args(Kind))
    assert len(set(tags)) == len(tags)


def test_there_are_examples_of_every_kind() -> None:
    assert {type(happening) for happening in HAPPENINGS} == set(get_args(Happening))
    assert set(happening_strategies) == set(get_args(Happening))


def test_what_a_report_tells_has_a_drawer_a_kind_and_all_else_lies_together() -> None:
    assert set(REPORTED) < set(get_args(Kind))
    drawers = {kind_of(happening): drawer_of(happening) for happening in HAPPENINGS}
    assert drawers == {kind: kind if kind in REPORTED else COMMON_DRAWER for kind in get_args(Kind)}
    assert {reported_kind(happening) for happening in HAPPENINGS} == {None, *REPORTED}


def test_what_nodes_see_alike_is_equal_and_can_be_counted() -> None:
    assert len(set(HAPPENINGS)) == len(HAPPENINGS)
