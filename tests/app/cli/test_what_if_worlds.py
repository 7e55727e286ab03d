"""Worlds are lived through until it is clear."""

import pytest

from roost.app.cli import what_if_worlds
from roost.app.cli.what_if_worlds import Answering
from roost.lab.what_if.machines import machines_of
from roost.lab.what_if.outcome import Outcome
from roost.lab.what_if.question import Question
from roost.lab.what_if.work import described_work


def question(work: str = "20 x 10m-40m", *policies: str) -> Question:
    machines = machines_of(["3 x up=2h away=1h"])
    return Question(tuple(machines), described_work(work), policies or ("roost", "fcfs"))


def test_worlds_are_added_until_it_is_clear() -> None:
    told: list[tuple[int, int]] = []
    sure = Question(tuple(machines_of(["2"])), described_work("8 x 10s"), ("roost", "fcfs"))
    answering = Answering(sure, 48)
    answering.answer(1, lambda done, total: told.append((done, total)))
    assert answering.verdict.is_clear
    assert told == [(done, 48) for done in range(1, 7)]


def test_they_are_no_more_than_somebody_waits_for() -> None:
    answering = Answering(question(), 3)
    answering.answer(1, lambda done, total: None)
    assert answering.worlds == answering.verdict.worlds <= 3


def test_several_processes_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    alone, together = Answering(question(), 3), Answering(question(), 3)
    alone.answer(1, lambda done, total: None)
    monkeypatch.setattr(what_if_worlds, "_WORTH_S", 0.0)
    together.answer(2, lambda done, total: None)
    assert together.outcomes == alone.outcomes


def test_only_whole_worlds_count_when_somebody_interrupts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lived = what_if_worlds.live
    count = 0

    def live(asked: Question, policy: str, world: int) -> Outcome:
        nonlocal count
        count += 1
        if count == 6:
            raise KeyboardInterrupt
        return lived(asked, policy, world)

    monkeypatch.setattr(what_if_worlds, "live", live)
    answering = Answering(question(), 48)
    answering.answer(1, lambda done, total: None)
    assert answering.was_interrupted
    assert answering.worlds == 2
    assert [len(found) for found in answering.outcomes.values()] == [2, 2]
