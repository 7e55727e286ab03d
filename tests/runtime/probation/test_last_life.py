"""What a node finds of the life before it."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from roost.executors.worker import notes
from roost.model.ids import TaskId
from roost.runtime.home import Home
from roost.runtime.probation.last_life import LastLife, remembered_suspects
from roost.runtime.probation.suspects import NodeSuspect
from tests.runtime.driving import until

TASK, OTHER = TaskId("7-kedova/work"), TaskId("7-kedova/other")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    return home


@pytest.fixture
def boot(tmp_path: Path) -> Path:
    file = tmp_path / "boot_id"
    file.write_text("first\n")
    return file


def runs(home: Home, name: str, task: TaskId, index: int) -> None:
    descriptor, shared = notes.make(home.life / name)
    os.close(descriptor)
    notes.name(shared, task)
    notes.pack_into(shared, 0, 1, index, index, monotonic())
    shared.close()


def live(home: Home, boot: Path, act: Callable[[LastLife], None]) -> list[NodeSuspect]:
    """Begin a life, do something in it, and let it die; return whom it suspected."""

    async def play() -> list[NodeSuspect]:
        life = LastLife(home, boot)
        life.begin(lambda: True)
        act(life)
        return life.suspects

    return asyncio.run(play())


def test_what_ran_when_the_node_died_is_suspected_and_remembered(home: Home, boot: Path) -> None:
    for deaths in range(3):
        found = live(home, boot, lambda _: runs(home, "functions-1", TASK, 4))
        assert [suspect.deaths for suspect in found] == [deaths] * bool(deaths)
    (suspect,) = LastLife(home, boot).suspects
    assert (suspect.task, suspect.bounds, suspect.has_failed) == (TASK, (4, 5), True)
    assert LastLife(home, boot).suspects == [suspect], "a node that could not begin takes nothing away"
    assert remembered_suspects(home) == [suspect]


def test_a_node_that_ended_politely_suspects_nobody(home: Home, boot: Path) -> None:
    def act(life: LastLife) -> None:
        runs(home, "functions-1", TASK, 4)
        life.end()

    live(home, boot, act)
    assert list(home.life.iterdir()) == []
    assert LastLife(home, boot).suspects == []


def test_after_a_polite_end_only_those_who_were_alone_stay_suspects(home: Home, boot: Path) -> None:
    alone = NodeSuspect(TASK, (4, 5), 0.1, deaths=1)

    def act(life: LastLife) -> None:
        life.remember([alone, NodeSuspect(OTHER, (0, 9), 0.1)])
        life.end()

    live(home, boot, act)
    assert LastLife(home, boot).suspects == [alone]


def test_after_another_start_of_the_machine_nobody_is_blamed(home: Home, boot: Path) -> None:
    live(home, boot, lambda _: runs(home, "functions-1", TASK, 4))
    assert live(home, boot, lambda _: runs(home, "functions-1", TASK, 4))
    boot.write_text("second\n")
    assert LastLife(home, boot).suspects == []
    assert remembered_suspects(home) == []


def test_where_starts_of_the_machine_cannot_be_told_apart_nobody_is_blamed(home: Home, tmp_path: Path) -> None:
    live(home, tmp_path / "none", lambda _: runs(home, "functions-1", TASK, 4))
    assert LastLife(home, tmp_path / "none").suspects == []


def test_of_several_each_is_suspected_and_of_a_trial_only_the_one_that_ran(home: Home, boot: Path) -> None:
    def several(_: LastLife) -> None:
        runs(home, "commands-1", TASK, 4)
        runs(home, "functions-1", OTHER, 0)

    def trial(life: LastLife) -> None:
        several(life)
        life.tries(OTHER, 0)

    live(home, boot, several)
    assert [suspect.deaths for suspect in live(home, boot, trial)] == [0, 0]
    suspects = LastLife(home, boot).suspects
    assert [(suspect.task, suspect.deaths) for suspect in suspects] == [(OTHER, 1), (TASK, 0)]


def test_a_death_after_the_trial_is_one_like_others(home: Home, boot: Path) -> None:
    def act(life: LastLife) -> None:
        life.tries(OTHER, 0)
        life.tried()
        runs(home, "commands-1", TASK, 4)

    live(home, boot, act)
    (suspect,) = LastLife(home, boot).suspects
    assert (suspect.task, suspect.deaths) == (TASK, 1)


def test_files_that_make_no_sense_are_passed_over(home: Home, boot: Path) -> None:
    live(home, boot, lambda _: runs(home, "functions-1", TASK, 4))
    (home.life / "alone").write_text("{")
    home.suspects.write_text("{")
    assert len(LastLife(home, boot).suspects) == 1
    (home.life / "node").write_bytes(b"x")
    assert len(LastLife(home, boot).suspects) == 1, "it is not known whether that was a death"


def test_the_node_is_seen_to_live_while_it_works(home: Home, boot: Path) -> None:
    async def play() -> None:
        life = LastLife(home, boot)
        life.begin(lambda: True)
        before = (home.life / "node").read_bytes()
        await until(lambda: (home.life / "node").read_bytes() != before)
        life.end()

    asyncio.run(play())
    assert not list(notes.read(home.life / "node"))
