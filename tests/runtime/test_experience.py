"""What was learnt from work outlives the process, and costs no commit of its own."""

import asyncio

import pytest

from roost.core.facts import LivesHeard
from roost.core.queue.expectations import KEPT_MAX, Expectations
from roost.core.queue.policy_memory import PolicyMemory
from roost.model.executions import Executions
from roost.policy.expected_length import Learnt
from roost.runtime import experience
from roost.runtime.experience import KeptExperience
from tests.core.harness import task
from tests.runtime.driving import until
from tests.runtime.journalling import OpenJournal

OF_ALL, OF_ANN = (), ("ann",)


class Learning:
    def __init__(self, journal: OpenJournal) -> None:
        self.journal = journal
        restored = journal.journal.restore()
        self.expectations = Expectations(lambda _run: "ann", restored.lengths)
        self.memory = PolicyMemory(restored.executions)
        self.kept = KeptExperience(journal.journal, self.expectations, self.memory)

    def learn(self, *names: str) -> None:
        for name in names:
            self.expectations.note(task(name, stated_s=100.0), 1, 50.0)

    def write_something(self) -> None:
        self.journal.write(LivesHeard(1))

    def on_disk(self) -> dict[tuple[str, ...], Learnt]:
        self.journal.journal.wait_until_calm()
        return {learnt.whose: learnt for learnt in self.journal.journal.restore().lengths}


@pytest.fixture
def learning(open_journal: OpenJournal) -> Learning:
    return Learning(open_journal)


def test_it_is_noted_with_what_is_written_next(learning: Learning) -> None:
    learning.learn("a", "b")
    learning.kept.note()
    assert learning.on_disk() == {}, "nothing was written since"
    learning.write_something()
    assert learning.on_disk().keys() == {OF_ALL, OF_ANN, ("ann", "a"), ("ann", "b")}
    assert learning.on_disk()[OF_ANN].ratios.count == 2


def test_a_later_life_goes_on_with_it(learning: Learning) -> None:
    learning.learn("a", "b")
    expected = learning.expectations.of(task("new", stated_s=100.0))
    learning.kept.note()
    learning.write_something()
    later = Learning(learning.journal)
    assert later.expectations.of(task("new", stated_s=100.0)) == expected
    later.learn("c")
    later.kept.note()
    later.write_something()
    assert later.on_disk()[OF_ANN].ratios.count == 3


def test_what_has_not_changed_is_not_noted_again(learning: Learning, monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[tuple[Learnt, ...]] = []
    monkeypatch.setattr(learning.journal.journal, "note_lengths", noted.append)
    learning.kept.note()
    assert noted == []
    learning.learn("a")
    learning.kept.note()
    learning.kept.note()
    assert len(noted) == 1


def test_the_newest_is_kept(learning: Learning) -> None:
    learning.learn(*(f"t{at}" for at in range(KEPT_MAX + 10)))
    kept = learning.expectations.learnt()
    assert len(kept) == KEPT_MAX
    assert ("ann", f"t{KEPT_MAX + 9}") in {learnt.whose for learnt in kept}
    assert {OF_ALL, OF_ANN} <= {learnt.whose for learnt in kept}


def test_it_is_noted_again_and_again_and_at_the_end(learning: Learning, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experience, "NOTE_S", 0.001)

    async def scenario() -> None:
        learning.kept.start()
        for name in ("a", "b"):
            learning.learn(name)
            await until(lambda: learning.kept._lessons_noted == learning.expectations.lessons)
        learning.learn("c")
        learning.kept.close()

    asyncio.run(scenario())
    learning.write_something()
    assert learning.on_disk()[OF_ANN].ratios.count == 3


def test_how_executions_ended_counts_in_later_lives_too(learning: Learning) -> None:
    learning.memory.finished += 7
    learning.memory.aborted += 2
    learning.kept.note()
    learning.write_something()
    learning.journal.journal.wait_until_calm()
    later = Learning(learning.journal)
    assert later.memory.executions == Executions(7, 2)
    later.memory.aborted += 1
    later.kept.note()
    later.write_something()
    later.journal.journal.wait_until_calm()
    assert learning.journal.journal.restore().executions == Executions(7, 3)


def test_executions_are_noted_only_when_there_are_more_of_them(
    learning: Learning, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[Executions] = []
    monkeypatch.setattr(learning.journal.journal, "note_executions", noted.append)
    learning.kept.note()
    learning.memory.finished += 1
    learning.kept.note()
    learning.kept.note()
    assert noted == [Executions(1, 0)]
