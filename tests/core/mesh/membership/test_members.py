"""Which word overrules which, in memberlist's vocabulary: no, double, old, refute, replay; and what is remembered."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.core.mesh.membership.members import (
    GONE_S,
    Change,
    Died,
    Joined,
    KnownMembers,
    Left,
    Refuted,
    Restarted,
    Returned,
    Suspected,
    is_sound,
)
from roost.core.mesh.membership.suspicion import Arrivals
from roost.model.ids import NodeId
from roost.model.limits import (
    ADDRESS_LENGTH_MAX,
    BOOT_MAX,
    GONE_MAX,
    INCARNATION_MAX,
    MEMBERS_MAX,
    NAME_LENGTH_MAX,
)
from roost.wire.messages import News, Standing

ASH = NodeId("ash")
ALIVE, SUSPECT, DEAD, LEFT = Standing.ALIVE, Standing.SUSPECT, Standing.DEAD, Standing.LEFT


def word(standing: Standing, incarnation: int = 0, boot: int = 1, node: NodeId = ASH, address: str = "") -> News:
    return News(node, boot, incarnation, standing, address)


def knowing(*words: News) -> KnownMembers:
    roster = KnownMembers()
    for news in words:
        roster.learn(news, 0.0)
    return roster


@pytest.mark.parametrize(
    ("known", "heard", "changes", "stands"),
    [
        # Alive.
        pytest.param([], word(ALIVE), [Joined(ASH)], word(ALIVE), id="alive: no member yet"),
        pytest.param([word(ALIVE)], word(ALIVE), [], word(ALIVE), id="alive: double"),
        pytest.param([word(ALIVE, 2)], word(ALIVE, 1), [], word(ALIVE, 2), id="alive: old"),
        pytest.param([word(ALIVE, 1)], word(ALIVE, 2), [], word(ALIVE, 2), id="alive: newer"),
        pytest.param([word(ALIVE), word(SUSPECT)], word(ALIVE), [], word(SUSPECT), id="alive: replay to a suspect"),
        pytest.param([word(ALIVE), word(SUSPECT)], word(ALIVE, 1), [Refuted(ASH)], word(ALIVE, 1), id="alive: refute"),
        pytest.param([word(ALIVE), word(DEAD)], word(ALIVE), [], word(DEAD), id="alive: replay to a dead one"),
        pytest.param([word(ALIVE), word(DEAD)], word(ALIVE, 1), [Returned(ASH)], word(ALIVE, 1), id="alive: return"),
        pytest.param([word(ALIVE), word(LEFT)], word(ALIVE), [], word(LEFT), id="alive: replay to one that left"),
        # Suspect.
        pytest.param([], word(SUSPECT), [Joined(ASH), Suspected(ASH)], word(SUSPECT), id="suspect: no member yet"),
        pytest.param([word(ALIVE)], word(SUSPECT), [Suspected(ASH)], word(SUSPECT), id="suspect"),
        pytest.param([word(ALIVE), word(SUSPECT)], word(SUSPECT), [], word(SUSPECT), id="suspect: double"),
        pytest.param([word(ALIVE, 1)], word(SUSPECT), [], word(ALIVE, 1), id="suspect: old"),
        pytest.param([word(SUSPECT)], word(SUSPECT, 1), [], word(SUSPECT, 1), id="suspect: again before it was heard"),
        pytest.param([word(ALIVE), word(DEAD)], word(SUSPECT), [], word(DEAD), id="suspect: already dead"),
        pytest.param(
            [word(ALIVE), word(DEAD)],
            word(SUSPECT, 1),
            [Returned(ASH), Suspected(ASH)],
            word(SUSPECT, 1),
            id="suspect: it had returned",
        ),
        # Dead.
        pytest.param([], word(DEAD), [], None, id="dead: no member"),
        pytest.param([word(ALIVE)], word(DEAD), [Died(ASH)], word(DEAD), id="dead"),
        pytest.param([word(SUSPECT)], word(DEAD), [Died(ASH)], word(DEAD), id="dead: after suspicion"),
        pytest.param([word(ALIVE), word(DEAD)], word(DEAD), [], word(DEAD), id="dead: double"),
        pytest.param([word(ALIVE, 1)], word(DEAD), [], word(ALIVE, 1), id="dead: old"),
        pytest.param([word(ALIVE), word(LEFT)], word(DEAD), [], word(LEFT), id="dead: it had left, which is not dead"),
        # Left.
        pytest.param([], word(LEFT), [], None, id="left: no member"),
        pytest.param([word(ALIVE)], word(LEFT), [Left(ASH)], word(LEFT), id="left"),
        pytest.param([word(ALIVE), word(LEFT)], word(LEFT), [], word(LEFT), id="left: double"),
        pytest.param([word(ALIVE, 1)], word(LEFT), [], word(ALIVE, 1), id="left: old"),
        pytest.param([word(ALIVE), word(DEAD)], word(LEFT), [Left(ASH)], word(LEFT), id="left: believed dead"),
        # Other lives.
        pytest.param([word(ALIVE, 5)], word(ALIVE, 0, 2), [Restarted(ASH, 2)], word(ALIVE, 0, 2), id="restarted"),
        pytest.param(
            [word(ALIVE), word(DEAD)],
            word(ALIVE, 0, 2),
            [Restarted(ASH, 2)],
            word(ALIVE, 0, 2),
            id="restarted: was dead",
        ),
        pytest.param(
            [word(ALIVE), word(LEFT)],
            word(ALIVE, 0, 2),
            [Restarted(ASH, 2)],
            word(ALIVE, 0, 2),
            id="restarted: had left",
        ),
        pytest.param(
            [word(SUSPECT)],
            word(SUSPECT, 0, 2),
            [Restarted(ASH, 2), Suspected(ASH)],
            word(SUSPECT, 0, 2),
            id="restarted: suspect",
        ),
        pytest.param([word(ALIVE, 0, 2)], word(DEAD, 9, 1), [], word(ALIVE, 0, 2), id="death of the earlier life"),
        pytest.param([word(ALIVE)], word(DEAD, 0, 2), [Died(ASH)], word(DEAD, 0, 2), id="death of a life unheard of"),
    ],
)
def test_words(known: list[News], heard: News, changes: list[Change], stands: News | None) -> None:
    roster = knowing(*known)
    assert roster.learn(heard, 1.0) == changes
    assert (roster.members[ASH].news if stands else None) == stands
    assert (ASH in roster.members) == (stands is not None)
    roster.check()


WORDS = st.builds(
    word,
    st.sampled_from(list(Standing)),
    st.integers(0, 3),
    st.integers(1, 3),
    st.sampled_from([NodeId("ash"), NodeId("oak")]),
)


@given(st.lists(WORDS, max_size=6), st.data())
def test_all_who_have_heard_the_same_words_of_a_member_believe_the_same(words: list[News], data: st.DataObject) -> None:
    met = [word(ALIVE, node=NodeId("ash")), word(ALIVE, node=NodeId("oak"))]
    shuffled = data.draw(st.permutations(words * 2))
    one, other = knowing(*met, *words), knowing(*met, *shuffled)
    assert {node: member.news for node, member in one.members.items()} == {
        node: member.news for node, member in other.members.items()
    }
    assert one.living == other.living
    one.check()
    other.check()


@given(st.lists(WORDS, max_size=12))
def test_boot_and_incarnation_never_fall_and_changes_tell_who_lives(words: list[News]) -> None:
    roster, living = KnownMembers(), set[NodeId]()
    highest: dict[NodeId, tuple[int, int]] = {}
    for news in words:
        for change in roster.learn(news, 0.0):
            if isinstance(change, Died | Left):
                living.discard(change.node)
            else:
                living.add(change.node)
        assert living == set(roster.living)
        for node, member in roster.members.items():
            assert (member.news.boot, member.news.incarnation) >= highest.get(node, (0, 0))
            highest[node] = (member.news.boot, member.news.incarnation)


def test_another_life_keeps_nothing_of_the_earlier_one() -> None:
    roster = knowing(word(ALIVE, address="ash:1"))
    member = roster.members[ASH]
    for beat in range(1, 20):
        member.beaten(beat, float(beat), float(beat))
    roster.learn(word(ALIVE, boot=2), 30.0)
    assert (member.beat_known, member.heartbeat, member.arrivals, member.heard_at) == (0, None, Arrivals(), 30.0)


def test_an_address_is_kept_until_another_is_told() -> None:
    roster = knowing(word(ALIVE, address="ash:1"), word(SUSPECT))
    assert roster.members[ASH].news.address == "ash:1"
    roster.learn(word(ALIVE, 1, address="ash:2"), 0.0)
    assert roster.members[ASH].news.address == "ash:2"


def test_the_gone_are_remembered_for_a_time_and_then_forgotten() -> None:
    roster = knowing(word(ALIVE))
    roster.learn(word(DEAD), 100.0)
    assert roster.forgets_at() == 100.0 + GONE_S
    roster.forget(100.0 + GONE_S - 1)
    assert ASH in roster.members
    roster.forget(100.0 + GONE_S)
    assert (roster.members, roster.forgets_at()) == ({}, None)
    assert roster.learn(word(DEAD), 5_000.0) == [], "those who remember longer do not bring it back"


def test_so_many_gone_are_remembered_and_the_longest_gone_is_forgotten_first() -> None:
    roster = KnownMembers()
    for number in range(GONE_MAX + 1):
        node = NodeId(f"n{number}")
        roster.learn(word(ALIVE, node=node), 0.0)
        roster.learn(word(DEAD, node=node), float(number))
    assert len(roster.gone) == GONE_MAX
    assert "n0" not in roster.members
    roster.check()


def test_beyond_its_limit_a_mesh_takes_nobody_in() -> None:
    roster = KnownMembers()
    for number in range(MEMBERS_MAX):
        roster.learn(word(ALIVE, node=NodeId(f"n{number}")), 0.0)
    assert roster.learn(word(ALIVE), 0.0) == []
    roster.learn(word(DEAD, node=NodeId("n7")), 0.0)
    assert roster.learn(word(ALIVE), 0.0) == [Joined(ASH)]
    assert roster.learn(word(ALIVE, 1, node=NodeId("n7")), 0.0) == []
    roster.check()


def test_a_beat_that_is_known_already_ends_no_silence() -> None:
    member = knowing(word(ALIVE)).members[ASH]
    member.beaten(5, 1.0, 1.0)
    count = member.arrivals.count
    for beat in (5, 4):
        member.beaten(beat, 2.0, 2.0)
    assert (member.arrivals.count, member.heard_at) == (count, 1.0)


def test_word_of_a_beat_that_another_heard_counts_from_when_it_was_heard() -> None:
    member = knowing(word(ALIVE)).members[ASH]
    member.beaten(5, 0.7, 1.1)
    assert member.heard_at == 0.7


@pytest.mark.parametrize(
    "news",
    [
        News(NodeId(""), 1, 0, ALIVE),
        News(NodeId("n" * (NAME_LENGTH_MAX + 1)), 1, 0, ALIVE),
        News(ASH, 1, 0, ALIVE, "a" * (ADDRESS_LENGTH_MAX + 1)),
        News(ASH, -1, 0, ALIVE),
        News(ASH, BOOT_MAX + 1, 0, ALIVE),
        News(ASH, 1, -1, ALIVE),
        News(ASH, 1, INCARNATION_MAX + 1, ALIVE),
    ],
)
def test_words_beyond_the_limits_are_not_sound(news: News) -> None:
    assert not is_sound(news)


def test_every_standing_has_a_rank() -> None:
    for one, other in itertools.permutations(Standing, 2):
        roster = knowing(word(ALIVE), word(one), word(other))
        assert roster.members[ASH].standing == max((one, other), key=list(Standing).index)
