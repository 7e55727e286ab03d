"""When silence becomes suspicion, and suspicion death."""

import pytest

from roost.core.mesh.membership.failure_detector import LISTEN_S, RECENT_S, FailureDetector
from roost.core.mesh.membership.members import KnownMembers, Member
from roost.core.mesh.membership.ring import WATCHERS
from roost.core.mesh.membership.suspicion import DOUBT_S
from roost.model.ids import NodeId
from roost.wire.messages import News, Standing

ME, ASH = NodeId("me"), NodeId("ash")
#: A calm neighbour is suspected after the one, and dead after the other more.
SILENCE_S, SUSPICION_S = 1.25, 0.625


class Desk:
    """One who watches, and the calm neighbours that it last heard at 10.0."""

    def __init__(self, *nodes: NodeId) -> None:
        self.roster = KnownMembers()
        self.watching = FailureDetector(ME, self.roster)
        for node in nodes:
            self.roster.learn(News(node, 1, 0, Standing.ALIVE), 0.0)
            self.watching.follow(node, 0.0)
        for member in self.roster.members.values():
            for beat in range(1, 21):
                member.beaten(beat, beat / 2, beat / 2)

    def say(self, node: NodeId, standing: Standing, now: float, incarnation: int = 0) -> Member:
        self.roster.learn(News(node, 1, incarnation, standing), now)
        self.watching.follow(node, now)
        return self.roster.members[node]

    def due(self, now: float) -> list[tuple[NodeId, Standing]]:
        return [(member.node, verdict) for member, verdict in self.watching.due(now)]


def test_a_neighbour_is_suspected_when_it_is_silent_for_longer_than_its_history_allows() -> None:
    desk = Desk(ASH)
    assert desk.watching.next_deadline() == pytest.approx(10.0 + SILENCE_S)
    assert desk.due(10.0 + SILENCE_S - 0.01) == []
    assert desk.due(10.0 + SILENCE_S + 0.01) == [(ASH, Standing.SUSPECT)]


def test_a_suspect_that_stays_silent_is_dead_after_a_time() -> None:
    desk = Desk(ASH)
    desk.say(ASH, Standing.SUSPECT, 11.25)
    assert desk.watching.next_deadline() == pytest.approx(11.25 + SUSPICION_S)
    assert desk.due(11.25 + SUSPICION_S + 0.01) == [(ASH, Standing.DEAD)]


def test_a_suspect_that_is_heard_does_not_die_though_it_has_not_refuted() -> None:
    desk = Desk(ASH)
    desk.say(ASH, Standing.SUSPECT, 11.25).seen(11.8)
    assert desk.watching.next_deadline() == pytest.approx(11.8 + SILENCE_S + SUSPICION_S)


def test_the_suspicion_of_another_does_not_shorten_the_own_patience() -> None:
    desk = Desk(ASH)
    desk.say(ASH, Standing.SUSPECT, 10.1)
    assert desk.watching.next_deadline() == pytest.approx(10.0 + SILENCE_S + SUSPICION_S)


def test_word_of_a_death_is_doubted_while_the_neighbour_is_heard() -> None:
    desk = Desk(ASH)
    member = desk.say(ASH, Standing.SUSPECT, 10.2)
    assert not desk.watching.condemn(member, 10.9)
    assert desk.watching.next_deadline() == pytest.approx(10.0 + SILENCE_S)
    member.seen(11.0)
    assert desk.due(11.3) == []
    assert desk.watching.next_deadline() == pytest.approx(11.0 + SILENCE_S)


def test_word_of_a_death_is_believed_at_once_after_an_own_silence_and_some_time_of_suspicion() -> None:
    desk = Desk(ASH)
    member = desk.say(ASH, Standing.SUSPECT, 11.0)
    assert desk.watching.condemn(member, max(11.0 + DOUBT_S, 10.0 + SILENCE_S))


def test_word_of_a_death_that_nobody_had_suspected_leaves_time_to_refute() -> None:
    desk = Desk(ASH)
    member = desk.say(ASH, Standing.SUSPECT, 11.2)
    assert not desk.watching.condemn(member, 11.2)
    assert desk.watching.next_deadline() == pytest.approx(11.2 + DOUBT_S)


def test_a_refutation_lifts_the_word_of_death() -> None:
    desk = Desk(ASH)
    desk.watching.condemn(desk.say(ASH, Standing.SUSPECT, 11.2), 11.2)
    desk.say(ASH, Standing.ALIVE, 11.3, incarnation=1)
    assert desk.watching.next_deadline() == pytest.approx(11.3 + SILENCE_S)
    assert desk.due(12.0) == []


def test_who_is_no_neighbour_waits_for_the_word_of_one_who_is() -> None:
    desk = Desk(*(NodeId(f"n{number:02}") for number in range(30)))
    assert len(desk.watching.neighbours) == WATCHERS
    far = next(node for node in desk.roster.living if node not in desk.watching.neighbours)
    member = desk.say(far, Standing.SUSPECT, 10.1)
    assert far not in [node for node, _ in desk.due(100.0)]
    for neighbour in desk.watching.neighbours:
        desk.roster.members[neighbour].seen(110.0)
    assert desk.watching.condemn(member, 110.0), "it was not heard for long"
    member.seen(109.9)
    assert not desk.watching.condemn(member, 110.0), "it was heard just now"
    assert desk.watching.next_deadline() == pytest.approx(109.9 + RECENT_S)


def test_the_silence_of_a_new_neighbour_counts_from_when_it_became_one() -> None:
    desk = Desk(*(NodeId(f"n{number:02}") for number in range(30)))
    before = desk.watching.neighbours
    desk.say(before[0], Standing.DEAD, 500.0)
    (new,) = set(desk.watching.neighbours) - set(before)
    assert desk.roster.members[new].heard_at == 500.0


def test_a_verdict_whose_time_passed_unnoticed_waits_until_the_node_has_listened() -> None:
    desk = Desk(ASH)
    assert desk.due(12.0) == []
    assert desk.watching.next_deadline() == pytest.approx(12.0 + LISTEN_S)
    assert desk.due(12.0 + LISTEN_S / 2) == []
    assert desk.due(12.0 + LISTEN_S) == [(ASH, Standing.SUSPECT)]


def test_whoever_was_away_excuses_all_silence() -> None:
    desk = Desk(ASH)
    desk.watching.excuse(50.0)
    assert desk.due(50.0 + SILENCE_S - 0.01) == []
