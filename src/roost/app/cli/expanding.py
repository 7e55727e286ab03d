"""What the elements of a command would run, as far as that is known before they do."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

from roost.executors.template import Expanded, OwnInputs, Template
from roost.model.ranges import ONE, RangeSet
from roost.model.task import Command


class _Filling(OwnInputs):
    """What the placeholders of one element stand for; nothing arrives at a command of ``submit``."""

    #: Not known before it is handed in.
    run, task = "{run}", "{task}"


def indices_of(items: Sequence[Any] | None, array: str | None) -> RangeSet:
    """Return the elements that a task of ``submit`` has."""
    if array is not None:
        return RangeSet.parse(array)
    return ONE if items is None else RangeSet.span(0, len(items))


def expanded_commands(command: Command, items: Sequence[Any] | None, array: str | None) -> Iterator[Expanded]:
    """Yield the command of each element, in the order of the indices. Raise InvalidInput where one cannot be filled."""
    template = Template(command, items is not None, {})
    each: Iterable[Any] = repeat(None) if items is None else items
    for index, item in zip(indices_of(items, array), each, strict=False):
        yield template.expand(_Filling(index, item))
