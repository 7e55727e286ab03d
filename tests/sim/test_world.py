"""Whole simulated histories: every promise holds, whatever goes wrong, and the same seed is the same history."""

import os
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import msgspec
import pytest

from roost.core.actions import Action, Notify, Start, Stop, StopMode, TaskChanged
from roost.core.events import Event
from roost.core.node import Node
from roost.core.queue.lanes import Lanes
from roost.core.queue.replica import Phase
from roost.model.errors import InvariantViolated
from roost.sim.checkers.inputs_first import InputsFirst
from roost.sim.checkers.observer import Broken, Observer
from roost.sim.executor import Mishaps
from roost.sim.journal import SimDisk
from roost.sim.life import Faults
from roost.sim.world import Options, World, draw_options

#: Seeds of every run of the tests, in groups that run side by side.
SEEDS = range(1000, 1072)
GROUPS = 8
REGRESSIONS = tomllib.loads((Path(__file__).parent / "regressions.toml").read_text(encoding="utf-8"))["seed"]
#: Small worlds without any fault of their own, for cutting the power at every place.
QUICK = Faults(mishaps=Mishaps(mean_s=0.02))
SMALL = {
    "flows": (162, Options(requests=4, pause_s=0.05, faults=QUICK)),
    "sessions": (17, Options(requests=6, pause_s=0.05, faults=QUICK, sessions=True, archive_group=1)),
}
PARTS = 4
HASHES = "import sys; from roost.sim.world import World; print([World(int(seed)).run().hash for seed in sys.argv[1:]])"


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_promise_holds_in_a_world_drawn_from_a_seed(group: int) -> None:
    for seed in SEEDS[group::GROUPS]:
        World(seed).run()


class Ahead(InputsFirst):
    """Counts what is leased ahead."""

    count = 0

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        self.count += isinstance(action, Start) and action.behind > 0


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_promise_holds_for_chains_whose_steps_are_leased_ahead(group: int) -> None:
    ahead = Ahead()
    for seed in SEEDS[group::GROUPS]:
        options = msgspec.structs.replace(draw_options(seed), chains=True)
        quick = msgspec.structs.replace(options.faults.mishaps, mean_s=0.001)
        faults = msgspec.structs.replace(options.faults, mishaps=quick)
        world = World(seed, msgspec.structs.replace(options, faults=faults))
        world._observer = Observer([*world._observer._checkers, ahead])
        world.run()
    assert ahead.count > 0


class Spared(InputsFirst):
    """Sees whether anything that runs is killed because somebody cancelled it."""

    cancelled = 0

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Notify) and isinstance(action.change, TaskChanged):
            self.cancelled += action.change.state == "cancelled"
        if isinstance(action, Stop) and action.mode is StopMode.KILL:
            entry = node.queue.replica.tasks[node.queue.leases.active[action.lease].spec.id]
            killed = action.ranges & entry.phases[Phase.CANCELLED]
            assert not killed, f"{entry.spec.id}: {killed} was leased when it was cancelled"


def test_who_cancels_only_what_is_not_leased_never_ends_what_runs() -> None:
    spared = Spared()
    for seed in range(8):
        world = World(seed, Options(requests=20, pause_s=0.02, crash=0.01, faults=QUICK, sparing=True))
        world._observer = Observer([*world._observer._checkers, spared])
        world.run()
    assert spared.cancelled > 0


class Waits(Observer):
    """Counts the elements that wait for others, and how many do at once."""

    def __init__(self, world: World) -> None:
        super().__init__(world._observer._checkers)
        self.most = 0

    def on_event(self, event: Event, node: Node) -> None:
        super().on_event(event, node)
        self.most = max(self.most, sum(lane.lent for lane in node.queue.lanes.open_lanes.values()))


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_promise_holds_for_elements_that_hand_in_work_and_wait_for_it(group: int) -> None:
    most = 0
    for seed in SEEDS[group :: 3 * GROUPS]:
        drawn = draw_options(seed)
        mishaps = msgspec.structs.replace(drawn.faults.mishaps, nest=0.5)
        faults = msgspec.structs.replace(drawn.faults, mishaps=mishaps)
        world = World(seed, msgspec.structs.replace(drawn, requests=min(drawn.requests, 4), faults=faults))
        world._observer = waits = Waits(world)
        # The first life has begun already, under the eyes of the one before.
        world._driver._observer = waits
        world.run()
        most = max(most, waits.most)
    assert most > 1


@pytest.mark.parametrize("regression", REGRESSIONS, ids=lambda regression: f"seed-{regression['number']}")
def test_a_seed_that_once_found_something_finds_nothing_any_more(regression: dict[str, object]) -> None:
    assert regression["cause"]
    World(regression["number"]).run()


@cache
def actions_without_a_fault(name: str) -> int:
    world = World(*SMALL[name])
    assert world.run().crashes == 0
    return world.actions


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", SMALL)
def test_the_power_may_be_cut_between_any_two_actions(name: str, part: int) -> None:
    count = actions_without_a_fault(name)
    assert 80 < count < 1000
    for at in range(1 + part, count + 1, PARTS):
        world = World(*SMALL[name])
        world.crash_before = at
        assert world.run().crashes == 1


def test_the_same_seed_is_the_same_history_whatever_the_order_of_sets() -> None:
    seeds = ["2", "5", "8", "14"]
    assert {draw_options(int(seed)).sessions for seed in seeds} == {False, True}
    printed = [
        subprocess.run(
            [sys.executable, "-c", HASHES, *seeds],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert printed[0] == printed[1]
    assert len(printed[0]) > 4 * 32


def test_another_seed_is_another_history() -> None:
    assert World(1, Options(requests=2)).run().hash != World(2, Options(requests=2)).run().hash


def test_the_drawn_worlds_differ_in_kind() -> None:
    drawn = [draw_options(seed) for seed in SEEDS]
    for values in zip(
        *((o.crash, o.cpus, o.sessions, o.archive_group, o.faults.disk_full) for o in drawn), strict=True
    ):
        assert len(set(values)) > 1
    assert sum(World(seed).run().crashes for seed in SEEDS[:6]) > 0


def test_a_broken_promise_comes_with_its_seed_and_its_story(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(4, Options(requests=3))
    monkeypatch.setattr(world._observer, "at_rest", lambda node, disk: fail())

    def fail() -> None:
        raise Broken("something was lost")

    with pytest.raises(Broken, match=r"(?s)something was lost.*seed 4, last steps:.* event "):
        world.run()


def test_a_world_that_never_comes_to_rest_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.sim.world.LIVENESS_S", 0.0)
    with pytest.raises(Broken, match="still something to do"):
        World(4, Options(requests=3, pause_s=0.001, faults=Faults(mishaps=Mishaps(mean_s=200.0)))).run()


def test_a_node_that_disagrees_with_itself_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lanes, "lease_over", lambda lanes, lease: lanes.open_lanes.pop(lease.lane))
    with pytest.raises(InvariantViolated, match=r"(?s)CPUs are noted as free.*seed 4"):
        World(4, Options(requests=3)).run()
