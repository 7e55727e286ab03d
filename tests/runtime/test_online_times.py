"""A node notes when it is on line: with what it writes anyway, seldom alone, and never while its machine slept."""

import asyncio
import time
from pathlib import Path

import pytest

from roost.core.events import Awoke
from roost.core.facts import LivesHeard
from roost.model.online import NEVER_ONLINE, Stretch
from roost.runtime import online_times
from roost.runtime.online_times import AWAY_S, IDLE_S, NOTE_S, TICK_S, OnlineTimes, awake_clock
from tests.runtime.driving import until
from tests.runtime.journalling import OpenJournal

BEGIN_S = 1000.0


class Watched:
    """On-line times over a real journal, and a clock that the test moves."""

    def __init__(self, journal: OpenJournal) -> None:
        self.now = BEGIN_S
        self.journal = journal
        self.heard: list[Awoke] = []
        self.times = OnlineTimes(journal.journal, journal.journal.restore().online, self.heard.append, lambda: self.now)
        journal.journal.note_online(self.times.log)

    def live(self, seconds: float) -> None:
        until_s = self.now + seconds
        while self.now < until_s:
            self.now = min(self.now + TICK_S, until_s)
            self.times.look()

    def on_disk(self) -> list[Stretch]:
        self.journal.journal.wait_until_calm()
        return list(self.journal.journal.restore().online.stretches)


@pytest.fixture
def watched(open_journal: OpenJournal) -> Watched:
    return Watched(open_journal)


def test_it_costs_no_commit_of_its_own_and_is_seen_again_a_minute_later(watched: Watched) -> None:
    watched.live(5 * NOTE_S)
    assert watched.on_disk() == [], "nothing was written, so neither was this"
    watched.journal.write(LivesHeard(1))
    assert watched.on_disk() == [Stretch(BEGIN_S, BEGIN_S + 5 * NOTE_S)]
    watched.live(TICK_S)
    watched.journal.write(LivesHeard(2))
    assert watched.on_disk() == [Stretch(BEGIN_S, BEGIN_S + 5 * NOTE_S)], "a minute has not passed"
    watched.live(NOTE_S)
    watched.journal.write(LivesHeard(3))
    assert watched.on_disk()[-1].length_s >= 6 * NOTE_S


def test_an_idle_node_notes_it_seldom(watched: Watched) -> None:
    watched.live(IDLE_S - NOTE_S)
    assert watched.on_disk() == []
    watched.live(2 * NOTE_S)
    (first,) = watched.on_disk()
    assert first.length_s == pytest.approx(IDLE_S, abs=2 * NOTE_S)
    watched.live(IDLE_S / 2)
    assert watched.on_disk() == [first]


def test_a_machine_that_slept_was_not_on_line_meanwhile(watched: Watched) -> None:
    watched.live(600.0)
    watched.now += 8 * 3600.0
    watched.times.look()
    woke_at = watched.now
    assert watched.times.log.stretches == (Stretch(BEGIN_S, BEGIN_S + 600.0), Stretch(woke_at, woke_at))
    (awoke,) = watched.heard
    assert awoke.past.stretches == (Stretch(BEGIN_S, BEGIN_S + 600.0),)
    watched.live(NOTE_S)
    watched.journal.write(LivesHeard(1))
    assert watched.on_disk() == [Stretch(BEGIN_S, BEGIN_S + 600.0), Stretch(woke_at, woke_at + NOTE_S)]


def test_a_look_that_comes_a_little_late_is_no_sleep(watched: Watched) -> None:
    watched.now += AWAY_S
    watched.times.look()
    assert watched.heard == []
    assert watched.times.log.stretches == (Stretch(BEGIN_S, BEGIN_S + AWAY_S),)


def test_a_life_that_was_killed_ends_where_it_was_last_noted_and_one_that_ends_in_order_at_its_end(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.db"
    with OpenJournal(path) as journal:
        killed = Watched(journal)
        killed.live(3 * NOTE_S)
        journal.write(LivesHeard(1))
        killed.live(NOTE_S / 2)
    with OpenJournal(path) as journal:
        polite = Watched(journal)
        polite.now = 9000.0
        polite.times = OnlineTimes(
            journal.journal, journal.journal.restore().online, polite.heard.append, lambda: polite.now
        )

        async def live_and_end() -> None:
            polite.times.start()
            polite.now += 42.0
            polite.times.close()

        asyncio.run(live_and_end())
    with OpenJournal(path) as journal:
        first, second = journal.journal.restore().online.stretches
        assert first == Stretch(BEGIN_S, BEGIN_S + 3 * NOTE_S)
        assert second == Stretch(9000.0, 9042.0)


def test_it_looks_by_itself(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online_times, "TICK_S", 0.001)

    async def scenario() -> None:
        watched.times.start()
        watched.now += 10.0
        await until(lambda: watched.times.log.stretches[-1].length_s == 10.0)
        watched.times.close()

    asyncio.run(scenario())


def test_the_clock_shows_the_time_of_day_and_counts_on() -> None:
    clock = awake_clock()
    assert clock() == pytest.approx(time.time(), abs=1.0)
    assert clock() <= clock()


def test_nothing_is_known_of_a_node_that_has_never_lived(open_journal: OpenJournal) -> None:
    assert open_journal.journal.restore().online == NEVER_ONLINE
