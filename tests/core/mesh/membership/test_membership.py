"""The membership of one node: what it answers to what it hears. tests/property has whole meshes of them."""

from random import Random

import pytest

from roost.core.actions import Send
from roost.core.mesh.membership.members import Died, Joined, Left, Refuted, Restarted, Returned, Suspected
from roost.core.mesh.membership.membership import ACCUSE_S, Answer, BeatDue, Membership, Superseded
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.model.ids import NodeId, TaskId
from roost.model.limits import BEATS_PER_BOOT
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.wire.messages import Echo, Heartbeat, Hello, Members, News, RunningLease, Standing
from tests.tokens import attempt

ME, ASH, OAK = NodeId("me"), NodeId("ash"), NodeId("oak")
ALIVE, SUSPECT, DEAD, LEFT = Standing.ALIVE, Standing.SUSPECT, Standing.DEAD, Standing.LEFT
OFFERS = Capacity.of(2.0, 2**30, "3.11")
MINE = News(ME, 1, 0, ALIVE, "me:1")


def word(node: NodeId, standing: Standing = ALIVE, incarnation: int = 0, boot: int = 1) -> News:
    return News(node, boot, incarnation, standing, f"{node}:1")


def beat(
    node: NodeId,
    number: int,
    incarnation: int = 0,
    boot: int = 1,
    *,
    news: tuple[News, ...] = (),
    echoes: tuple[Echo, ...] = (),
) -> Heartbeat:
    return Heartbeat(
        node,
        boot,
        incarnation,
        boot * BEATS_PER_BOOT + number,
        OFFERS,
        2.0,
        news=news,
        echoes=echoes,
        address=f"{node}:1",
    )


def to(node: NodeId | None, *words: News) -> Send:
    return Send(node, Members(words), promises=False)


def changes(answers: list[Answer]) -> list[Answer]:
    return [answer for answer in answers if not isinstance(answer, Send | BeatDue)]


def sends(answers: list[Answer]) -> list[Answer]:
    return [answer for answer in answers if isinstance(answer, Send)]


class Life:
    """A node that is driven as its owner must: ticks when they are due, a heartbeat at every BeatDue."""

    def __init__(self, *others: NodeId, beating: bool = True) -> None:
        self.machine = Membership(ME, 1, "me:1", Random(7))
        self.now = 0.0
        self.others = others
        self.numbers = dict.fromkeys(others, 0)
        self.machine.start(0.0)
        for node in others:
            self.machine.on_hello(node, Hello(word(node)), 0.0)
        if beating:
            self.run(10.0, *others)

    def tick(self) -> list[Answer]:
        answers = self.machine.tick(self.now)
        if BeatDue() in answers:
            self.machine.heartbeat(self.now, OFFERS, 2.0)
        return answers

    def run(self, until: float, *beating: NodeId) -> list[Answer]:
        """Let time pass; those who are named beat every half second."""
        answers: list[Answer] = []
        while self.now < until:
            self.now = round(self.now + 0.01, 2)
            if self.now % HEARTBEAT_S < 0.005:
                for node in beating:
                    answers += self.beat_of(node)
            answers += self.tick()
        self.machine.check()
        return answers

    def beat_of(self, node: NodeId, incarnation: int = 0, echoes: tuple[Echo, ...] = ()) -> list[Answer]:
        self.numbers[node] += 1
        said = beat(node, self.numbers[node], incarnation, echoes=echoes)
        return self.machine.on_heartbeat(said, self.now)

    def hear(self, sender: NodeId, *words: News) -> list[Answer]:
        return self.machine.on_members(sender, Members(words), self.now)

    def standing(self, node: NodeId) -> Standing | None:
        member = self.machine.member(node)
        return None if member is None else member.standing


# Coming.


def test_a_newcomer_says_hello_to_all() -> None:
    machine = Membership(ME, 1, "me:1", Random(1))
    assert machine.start(0.0) == [Send(None, Hello(MINE), promises=False)]
    assert machine.alive() == (ME,)


def test_a_hello_is_answered_with_the_members_and_the_first_beat_is_due_at_once() -> None:
    life = Life(beating=False)
    answers = life.machine.on_hello(ASH, Hello(word(ASH)), 0.0)
    assert answers == [Joined(ASH)]
    life.machine.on_hello(OAK, Hello(word(OAK)), 0.0)
    answers = life.run(0.06)
    assert BeatDue() in answers
    assert to(ASH, MINE, word(OAK)) in answers
    assert to(OAK, MINE, word(ASH)) in answers
    assert life.machine.alive() == (ASH, ME, OAK)


def test_a_hello_in_the_name_of_another_is_not_heard() -> None:
    life = Life(beating=False)
    assert life.machine.on_hello(ASH, Hello(word(OAK)), 0.0) == []
    assert life.machine.others() == ()


def test_members_are_learnt_from_an_answer_and_from_heartbeats() -> None:
    life = Life(beating=False)
    assert changes(life.hear(ASH, word(ASH), word(OAK))) == [Joined(ASH), Joined(OAK)]
    other = Life(beating=False)
    heard = other.machine.on_heartbeat(beat(ASH, 1, news=(word(OAK),)), 0.0)
    assert changes(heard) == [Joined(ASH), Joined(OAK)]


# Heartbeats.


def test_a_heartbeat_says_everything_of_its_node_and_goes_to_its_watchers() -> None:
    life = Life(ASH, OAK)
    lease = RunningLease(TaskId("5-kedova/a"), attempt(3), RangeSet.span(0, 5), 0.5)
    made = life.machine.heartbeat(10.0, OFFERS, 1.5, (lease,), b"digest", None)
    assert sorted(made.to) == [ASH, OAK]
    said = made.heartbeat
    assert (said.node, said.boot, said.offers, said.free_cpus) == (ME, 1, OFFERS, 1.5)
    assert (said.leases, said.digest, said.address) == ((lease,), b"digest", "me:1")
    assert life.machine.heartbeat(10.5, OFFERS, 1.5).heartbeat.beat == said.beat + 1


def test_the_last_heartbeat_of_a_node_is_known() -> None:
    life = Life(ASH)
    life.beat_of(ASH)
    member = life.machine.member(ASH)
    assert member is not None
    assert member.heartbeat == beat(ASH, life.numbers[ASH])


def test_a_heartbeat_that_comes_twice_or_late_says_nothing() -> None:
    life = Life(ASH)
    newest = beat(ASH, 100)
    life.machine.on_heartbeat(newest, life.now)
    for stale in (newest, beat(ASH, 99, incarnation=5, news=(word(OAK),))):
        assert life.machine.on_heartbeat(stale, life.now) == []
    member = life.machine.member(ASH)
    assert member is not None
    assert (member.heartbeat, member.news.incarnation) == (newest, 0)


def test_a_new_word_is_passed_on_a_few_times() -> None:
    life = Life(ASH, OAK)
    life.hear(ASH, word(OAK, SUSPECT))
    told = [word(OAK, SUSPECT) in life.machine.heartbeat(life.now, OFFERS, 2.0).heartbeat.news for _ in range(3)]
    assert all(told)


def test_round_trips_are_measured_by_echoes() -> None:
    life = Life(ASH)
    assert life.machine.delivery_s() > 0.01, "nothing was measured yet"
    made = life.machine.heartbeat(life.now, OFFERS, 2.0).heartbeat
    life.now += 0.304
    life.beat_of(ASH, echoes=(Echo(ME, made.beat, 0.3),))
    assert life.machine.delivery_s() == pytest.approx(0.002)
    assert life.machine.round_trip_s(ASH) == pytest.approx(0.004)


def test_alone_there_is_nothing_to_wait_for() -> None:
    assert Life(beating=False).machine.delivery_s() == 0.0


def test_a_beat_that_is_not_of_its_life_is_refused() -> None:
    life = Life(beating=False)
    wrong = Heartbeat(ASH, 2, 0, BEATS_PER_BOOT + 1, OFFERS, 2.0)
    assert life.machine.on_heartbeat(wrong, 0.0) == []
    assert life.machine.others() == ()


def test_who_beats_to_a_node_that_is_not_its_neighbour_is_told_of_those_who_stand_nearer() -> None:
    life = Life(*(NodeId(f"n{number:02}") for number in range(20)), beating=False)
    neighbours = life.machine.heartbeat(0.0, OFFERS, 2.0).to
    far = next(node for node in life.machine.others() if node not in neighbours)
    assert life.beat_of(far) == [to(far, MINE, *(word(node) for node in neighbours))]
    assert life.beat_of(far) == [], "once is enough for a while"
    assert life.beat_of(neighbours[0]) == []


# Silence.


def test_a_silent_node_is_suspected_and_then_dead_and_everybody_is_told() -> None:
    """LAN 4.5: a host that falls silent is presumed failed."""
    life = Life(ASH, OAK)
    answers = life.run(12.0, OAK)
    assert changes(answers) == [Suspected(ASH), Died(ASH)]
    assert to(None, word(ASH, SUSPECT)) in answers
    assert to(None, word(ASH, DEAD)) in answers
    assert life.machine.alive() == (ME, OAK)


def test_a_suspect_is_asked_again_and_again_until_it_refutes() -> None:
    life = Life(ASH, OAK)
    life.run(11.3, OAK)
    asked = [answer for answer in life.run(11.75, OAK) if answer == to(ASH, word(ASH, SUSPECT), MINE)]
    assert len(asked) == 2
    assert changes(life.hear(ASH, word(ASH, ALIVE, 1))) == [Refuted(ASH)]
    assert changes(life.run(12.5, OAK)) == []


def test_a_beat_of_the_same_incarnation_keeps_a_suspect_from_dying_but_does_not_clear_it() -> None:
    life = Life(ASH, OAK)
    life.run(11.3, OAK)
    assert changes(life.beat_of(ASH)) == []
    assert life.standing(ASH) is SUSPECT
    assert Died(ASH) not in life.run(13.0, OAK)


def test_who_is_vouched_for_is_not_suspected() -> None:
    """An asymmetric cut: this node does not hear ash, oak does."""
    life = Life(ASH, OAK)
    for _ in range(20):
        life.numbers[ASH] += 1
        echo = Echo(ASH, BEATS_PER_BOOT + life.numbers[ASH], 0.2)
        assert changes(life.beat_of(OAK, echoes=(echo,))) == []
        assert changes(life.run(life.now + HEARTBEAT_S)) == []


def test_an_echo_of_a_beat_that_is_known_vouches_for_nobody() -> None:
    life = Life(ASH, OAK)
    for _ in range(6):
        life.beat_of(OAK, echoes=(Echo(ASH, BEATS_PER_BOOT + life.numbers[ASH], 0.2), Echo(ASH, 7, 0.2)))
        life.run(life.now + HEARTBEAT_S)
    assert life.standing(ASH) is DEAD


def test_any_other_message_breaks_the_silence() -> None:
    life = Life(ASH)
    for _ in range(10):
        life.machine.heard(ASH, life.now)
        assert changes(life.run(life.now + 1.0)) == []


def test_a_false_word_of_death_about_a_node_that_is_heard_is_a_suspicion_and_the_node_is_asked() -> None:
    life = Life(ASH, OAK)
    answers = life.hear(OAK, word(ASH, DEAD))
    assert changes(answers) == [Suspected(ASH)]
    assert to(ASH, word(ASH, SUSPECT), MINE) in answers
    assert Died(ASH) not in life.run(15.0, ASH, OAK)


def test_a_true_word_of_death_is_believed_once_the_node_is_silent() -> None:
    life = Life(ASH, OAK)
    life.run(11.3, OAK)
    assert life.standing(ASH) is SUSPECT
    life.run(11.8, OAK)
    assert changes(life.hear(OAK, word(ASH, DEAD))) == [Died(ASH)]


# The own life.


@pytest.mark.parametrize("standing", [SUSPECT, DEAD, LEFT])
def test_a_node_refutes_at_once_what_is_said_of_it(standing: Standing) -> None:
    life = Life(ASH)
    refutation = News(ME, 1, 1, ALIVE, "me:1")
    assert life.hear(ASH, word(ME, standing)) == [to(None, refutation)]
    assert ME in life.machine.alive()
    assert life.machine.heartbeat(life.now, OFFERS, 2.0).heartbeat.incarnation == 1


def test_an_old_accusation_is_answered_with_the_newest_word_to_its_speaker_only() -> None:
    life = Life(ASH)
    life.hear(ASH, word(ME, SUSPECT))
    assert life.hear(ASH, word(ME, DEAD)) == [to(ASH, News(ME, 1, 1, ALIVE, "me:1"))]


def test_an_accuser_that_does_not_count_as_living_hears_the_refutation_too() -> None:
    life = Life(beating=False)
    answers = life.hear(ASH, word(ME, DEAD))
    assert answers == [to(None, News(ME, 1, 1, ALIVE, "me:1")), to(ASH, News(ME, 1, 1, ALIVE, "me:1"))]


def test_a_node_that_others_know_in_a_later_life_says_so_once() -> None:
    life = Life(ASH)
    assert life.hear(ASH, word(ME, boot=4)) == [Superseded(4)]
    assert life.hear(ASH, word(ME, DEAD, boot=4)) == []


def test_an_overruled_word_is_answered_with_the_newer_one() -> None:
    life = Life(ASH, OAK)
    life.hear(ASH, word(OAK, ALIVE, 3))
    assert life.hear(ASH, word(OAK, SUSPECT, 2)) == [to(ASH, word(OAK, ALIVE, 3))]


def test_whoever_was_paused_excuses_the_silence_of_all_and_speaks_up() -> None:
    life = Life(ASH, OAK)
    life.now += 3_600.0
    answers = life.tick()
    assert to(None, News(ME, 1, 1, ALIVE, "me:1")) in answers
    assert changes(answers) == []
    assert changes(life.run(life.now + 0.7)) == []
    assert changes(life.run(life.now + 3.0, ASH, OAK)) == []


def test_whoever_was_paused_still_notices_a_death_afterwards() -> None:
    life = Life(ASH, OAK)
    life.now += 60.0
    assert Died(ASH) in life.run(life.now + 3.0, OAK)


def test_a_moved_node_tells_its_new_address() -> None:
    life = Life(ASH)
    assert life.machine.move("me:2", life.now) == [to(None, News(ME, 1, 1, ALIVE, "me:2"))]


# Leaving, returning.


def test_whoever_leaves_says_goodbye_and_has_nothing_left_to_do() -> None:
    life = Life(ASH)
    goodbye = News(ME, 1, 0, LEFT, "me:1")
    assert life.machine.leave(life.now) == [to(None, goodbye), to(ASH, goodbye)]
    assert life.machine.next_deadline() is None
    assert life.machine.tick(life.now + 100.0) == []
    assert life.beat_of(ASH) == [to(ASH, goodbye)], "it has not heard"
    assert life.hear(ASH, word(ME, SUSPECT)) == [to(ASH, goodbye)]
    assert life.hear(ASH, goodbye, word(ASH, LEFT)) == [], "two who leave do not greet each other for ever"


def test_a_node_that_left_is_not_dead() -> None:
    life = Life(ASH, OAK)
    assert changes(life.hear(ASH, word(ASH, LEFT))) == [Left(ASH)]
    assert changes(life.hear(OAK, word(ASH, DEAD))) == []
    assert Died(ASH) not in life.run(20.0, OAK)
    assert life.standing(ASH) is LEFT


@pytest.mark.parametrize("standing", [DEAD, LEFT])
def test_heartbeats_of_the_past_revive_nobody_and_the_living_are_told(standing: Standing) -> None:
    life = Life(ASH, OAK)
    life.run(12.0, OAK)
    life.hear(OAK, word(ASH, standing))
    life.now += ACCUSE_S
    late = life.beat_of(ASH)
    assert late == [to(ASH, word(ASH, standing), MINE)]
    assert life.machine.alive() == (ME, OAK)
    assert changes(life.beat_of(ASH, incarnation=1)) == [Returned(ASH)]


def test_a_restarted_node_is_recognised_and_its_earlier_life_is_not_heard() -> None:
    life = Life(ASH)
    assert changes(life.machine.on_heartbeat(beat(ASH, 1, boot=2), life.now)) == [Restarted(ASH, 2)]
    earlier = life.beat_of(ASH)
    assert earlier == [to(ASH, word(ASH, boot=2), MINE)]
    assert life.hear(ASH, word(ASH, DEAD)) == [to(ASH, word(ASH, boot=2))]
    assert life.standing(ASH) is ALIVE


def test_the_gone_are_looked_for_and_find_their_way_back() -> None:
    life = Life(ASH, OAK)
    life.run(12.0, OAK)
    tried = sends(life.run(30.0, OAK))
    assert Send(ASH, Hello(MINE), promises=False) in tried
    answered = life.hear(ASH, word(ME, DEAD), word(ASH))
    assert to(None, News(ME, 1, 1, ALIVE, "me:1")) in answered
    assert to(ASH, word(ASH, DEAD)) in answered
    assert changes(life.hear(ASH, word(ASH, ALIVE, 1))) == [Returned(ASH)]
