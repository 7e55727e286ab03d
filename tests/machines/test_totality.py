"""Every event in every state: each machine says what happens, and keeps its invariants."""

from collections.abc import Hashable
from enum import Enum
from random import Random
from typing import Any

import pytest

from tests.machines.catalogue import MACHINES, table_of
from tests.machines.explorer import Outcome, explore
from tests.machines.machine import CannotHappen, Machine, State, methods_of

WALKS, STEPS = 60, 60


@pytest.fixture(params=MACHINES.values(), ids=lambda machine: machine.name)
def machine(request: pytest.FixtureRequest) -> Machine[Any]:
    return request.param


def test_every_kind_of_event_is_accounted_for(machine: Machine[Any]) -> None:
    assert set(machine.events) == set(machine.event_kinds)


def test_every_kind_of_state_is_reached(machine: Machine[Any]) -> None:
    assert table_of(machine.name).kinds == set(machine.state_kinds)


def test_every_event_happens_somewhere_and_every_state_can_be_left_or_is_the_last(machine: Machine[Any]) -> None:
    table = table_of(machine.name)
    assert {event for event in table.events if not any(table.cells[state, event] for state in table.states)} == set()
    assert set(table.cells) == {(state, event) for state in table.states for event in table.events}


def test_what_the_table_calls_a_state_is_in_its_order(machine: Machine[Any]) -> None:
    assert {*table_of(machine.name).states} <= {*machine.order}


def test_no_walk_leads_to_what_the_table_does_not_show(machine: Machine[Any]) -> None:
    """The explorer goes one way to each situation. If what it takes for one were several, a walk would find out."""
    table, chance = table_of(machine.name), Random(machine.name)
    events = {label: act for variants in machine.events.values() for label, act in variants.items()}
    for _ in range(WALKS):
        subject = machine.make()
        for _ in range(STEPS):
            before, label = machine.state(subject).label, chance.choice(list(events))
            try:
                word = events[label](subject)
            except CannotHappen:
                continue
            machine.check(subject)
            assert Outcome(machine.state(subject).label, word) in table.cells[before, label], (before, label)


# The explorer itself.


class Lamp(Enum):
    OFF = "off"
    ON = "on"
    BROKEN = "broken"


class Switch:
    def __init__(self) -> None:
        self.lamp = Lamp.OFF

    def press(self) -> None:
        if self.lamp is Lamp.BROKEN:
            raise CannotHappen
        self.lamp = Lamp.OFF if self.lamp is Lamp.ON else Lamp.ON

    def strike(self) -> None:
        self.lamp = Lamp.BROKEN

    def shines(self) -> bool:
        return self.lamp is Lamp.ON


def switch(**changes: Any) -> Machine[Switch]:
    events: dict[Hashable, Any] = {
        "press": {"pressed": lambda lamp: lamp.press()},
        "strike": {"struck": lambda lamp: lamp.strike()},
    }
    whole: Machine[Switch] = Machine(
        name="switch",
        make=Switch,
        state=lambda switch: State(switch.lamp, switch.lamp.value),
        events=events,
        event_kinds=methods_of(Switch, without=("shines",)),
        state_kinds=tuple(Lamp),
        check=lambda _: None,
        order=("off", "on", "broken"),
    )
    return whole._replace(**changes)


def test_the_table_is_what_the_machine_does() -> None:
    table = explore(switch())
    assert table.states == ("off", "on", "broken")
    assert table.cells["off", "pressed"] == {Outcome("on")}
    assert table.cells["on", "pressed"] == {Outcome("off")}
    assert table.cells["broken", "pressed"] == set()
    assert table.cells["broken", "struck"] == {Outcome("broken")}
    assert table.situations == 3


def test_an_event_that_nobody_gave_is_missing() -> None:
    one = switch(events={"press": {"pressed": lambda lamp: lamp.press()}})
    assert set(one.events) != set(one.event_kinds)
    assert explore(one).kinds != set(one.state_kinds)


def test_a_broken_invariant_is_noticed() -> None:
    def check(lamp: Switch) -> None:
        assert lamp.lamp is not Lamp.BROKEN

    with pytest.raises(AssertionError):
        explore(switch(check=check))


def test_a_state_that_the_table_does_not_know_is_noticed() -> None:
    with pytest.raises(AssertionError, match="broken"):
        explore(switch(order=("off", "on")))


def test_what_only_tells_has_to_be_there() -> None:
    with pytest.raises(AssertionError, match="glows"):
        methods_of(Switch, without=("glows",))
