"""Run a machine from its beginning through everything that it can reach, and note what every event does in each state.

One way to each situation is kept, and each event is tried at its end on a machine that went the same way. So the table
is what the machine does, not what somebody believes that it does.
"""

from collections import deque
from collections.abc import Hashable
from typing import Any, NamedTuple

from tests.machines.machine import CannotHappen, Machine, State

#: More situations than this are a mistake in what a machine calls its state.
SITUATIONS_MAX = 3_000


class Outcome(NamedTuple):
    #: The state afterwards, by its label.
    state: str
    word: str | None = None


class Table(NamedTuple):
    name: str
    #: Labels, in the order in which they are shown.
    states: tuple[str, ...]
    events: tuple[str, ...]
    #: What each event may lead to in each state; nothing, if it cannot happen there.
    cells: dict[tuple[str, str], frozenset[Outcome]]
    #: The kinds of states that were reached.
    kinds: frozenset[Any]
    situations: int


def explore(machine: Machine[Any]) -> Table:
    events = {label: act for variants in machine.events.values() for label, act in variants.items()}
    assert len(events) == sum(len(variants) for variants in machine.events.values()), "two events have one label"
    cells: dict[tuple[str, str], set[Outcome]] = {}
    kinds, labels, seen = set(), {}, {_situation(machine, machine.make())}
    waiting: deque[tuple[str, ...]] = deque([()])
    while waiting:
        way = waiting.popleft()
        subject = _after(machine, events, way)
        here = machine.state(subject)
        kinds.add(here.kind)
        labels[here.label] = None
        for label, act in events.items():
            outcomes = cells.setdefault((here.label, label), set())
            try:
                word = act(subject)
            except CannotHappen:
                continue
            machine.check(subject)
            outcomes.add(Outcome(machine.state(subject).label, word))
            situation = _situation(machine, subject)
            if situation not in seen:
                seen.add(situation)
                assert len(seen) <= SITUATIONS_MAX, f"{machine.name} has more than {SITUATIONS_MAX:,} situations"
                waiting.append((*way, label))
            subject = _after(machine, events, way)
    states = tuple(sorted(labels, key=lambda label: _place(machine, label)))
    frozen = {pair: frozenset(outcomes) for pair, outcomes in cells.items()}
    return Table(machine.name, states, tuple(events), frozen, frozenset(kinds), len(seen))


def _situation(machine: Machine[Any], subject: Any) -> tuple[State, Hashable]:
    return machine.state(subject), machine.rest(subject)


def _after(machine: Machine[Any], events: Any, way: tuple[str, ...]) -> Any:
    subject = machine.make()
    for label in way:
        events[label](subject)
    return subject


def _place(machine: Machine[Any], label: str) -> int:
    assert label in machine.order, f"{machine.name} is in a state that its table does not know: {label}"
    return machine.order.index(label)
