"""From what a person typed to the manual step that he speaks about, and who he is."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

from roost.app.cli.selecting import complete_runs
from roost.model.errors import InvalidInput
from roost.model.paths import read_index

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])
as_option = click.option("--as", "who", metavar="NAME", help="In whose name; default: your user name.")


class TypedPlace(NamedTuple):
    """A run as it was typed, and the task and the element of it, if they were named."""

    run: str
    task: str | None = None
    element: int | None = None

    @property
    def body(self) -> dict[str, Any]:
        return {"task": self.task, "element": self.element}


def words_argument(metavar: str) -> Callable[[_Decorated], _Decorated]:
    return click.argument("words", nargs=-1, required=True, metavar=metavar, shell_complete=complete_runs)


def place_of(words: tuple[str, ...]) -> tuple[TypedPlace, list[str]]:
    """Read ``RUN [TASK[/ELEMENT]]``, also written as ``RUN/TASK/ELEMENT``; return the place and the other words."""
    run, *named = words[0].split("/")
    rest = list(words[1:])
    if rest and "=" not in rest[0]:
        if named:
            raise InvalidInput(f"'{words[0]}' names the task, and so does '{rest[0]}'; name it once")
        named = rest.pop(0).split("/")
    if not run or not all(named) or len(named) > 2:
        raise InvalidInput(
            f"'{' '.join(words[:2])}' names no step; write RUN TASK or RUN TASK/ELEMENT, as in 5 check/3"
        )
    return TypedPlace(run, named[0] if named else None, read_index(named[1]) if len(named) > 1 else None), rest


def pairs_of(words: list[str]) -> dict[str, str]:
    """Read ``name=value`` words."""
    pairs: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InvalidInput(f"'{word}' is no answer; write NAME=VALUE, as in verdict=ok")
        if name in pairs:
            raise InvalidInput(f"'{name}' is given twice, as '{pairs[name]}' and as '{value}'; give it once")
        pairs[name] = value
    return pairs
