"""What was learnt of lengths outlives the process, and costs no commit of its own."""

import asyncio

import pytest

from roost.core.facts import LivesHeard
from roost.core.queue.expectations import EVERYBODY, KEPT_MAX, Expectations
from roost.policy.expected_length import Learnt
from roost.runtime import lengths_learnt
from roost.runtime.lengths_learnt import LengthsLearnt
from tests.core.harness import task
from tests.runtime.driving import until
from tests.runtime.journalling import OpenJournal

OF_ANN = ("ann",)


class Learning:
    def __init__(self, journal: OpenJournal) -> None:
        self.journal = journal
        self.expectations = Expectations(lambda _run: "ann", journal.journal.restore().lengths)
        self.kept = LengthsLearnt(journal.journal, self.expectations)

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
    assert learning.on_disk().keys() == {EVERYBODY, OF_ANN, ("ann", "a"), ("ann", "b")}
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
    assert kept[-1].whose == ("ann", f"t{KEPT_MAX + 9}")
    assert OF_ANN in {learnt.whose for learnt in kept}


def test_it_is_noted_again_and_again_and_at_the_end(learning: Learning, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lengths_learnt, "NOTE_S", 0.001)

    async def scenario() -> None:
        learning.kept.start()
        for name in ("a", "b"):
            learning.learn(name)
            await until(lambda: learning.kept._noted == learning.expectations.lessons)
        learning.learn("c")
        learning.kept.close()

    asyncio.run(scenario())
    learning.write_something()
    assert learning.on_disk()[OF_ANN].ratios.count == 3
