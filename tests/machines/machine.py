"""A machine as a test sees it: how to make one, what can happen to it, and what a reader calls its states.

Rules
- Kinds come from the types of the product: members of an enum, of a union, public methods of a class. Every kind of
  event and of state has to be accounted for, so that a new one fails until somebody says what happens.
- An event has one or more variants, such as a word about the past and one about the present. A variant acts on the
  real machine, and may return a word on what came of it beside the state.
- ``state`` is what the table shows; ``rest`` is whatever else decides about what happens next. Both are small.
"""

import inspect
from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

Subject = TypeVar("Subject")


class CannotHappen(Exception):
    """In this state nobody can say such a thing: there is no lease to answer for, no ballot to refuse.

    It is raised before anything has changed.
    """


class State(NamedTuple):
    kind: Hashable
    #: As the table shows it; states of one kind may be told apart further.
    label: str


class Machine(NamedTuple, Generic[Subject]):
    #: By which documents name it.
    name: str
    make: Callable[[], Subject]
    state: Callable[[Subject], State]
    #: Variants by their label, by the kind of event.
    events: Mapping[Hashable, Mapping[str, Callable[[Subject], str | None]]]
    #: All that the types of the product say.
    event_kinds: Collection[Hashable]
    state_kinds: Collection[Hashable]
    #: Raises if an invariant is broken.
    check: Callable[[Subject], None]
    rest: Callable[[Subject], Hashable] = lambda _: None
    #: States in the order in which the table shows them.
    order: tuple[str, ...] = ()


def methods_of(machine: type[Any], *, without: Collection[str] = ()) -> list[str]:
    """Return the public methods of a class, which are what can happen to it; ``without`` those that only tell."""
    names = [name for name, _ in inspect.getmembers(machine, inspect.isfunction) if not name.startswith("_")]
    unknown = set(without) - set(names)
    assert not unknown, f"{machine.__name__} has no {', '.join(sorted(unknown))}"
    return [name for name in names if name not in without]
