"""One coordinator, by merit, whatever happens to messages and nodes; and quiet when it is settled."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.core.actions import Send
from roost.core.mesh import election as election_module
from roost.core.mesh.election import ELECTIONS_MAX, Elected, Election, Outcome, SteppedDown, merit
from roost.model.clock import Stamp
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.wire.messages import Candidacy, Claim, Heartbeat, Message, NewMaster, StartElection, WhoIsMaster
from tests.core.neighbourhood import BEAT_S, SILENCE_S, WINDOW_S, Neighbourhood

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
WINDOW = 0.010


class Desk:
    """One election machine, with a clock that only counts."""

    def __init__(self, me: NodeId = ASH, reputation: int = 0, *living: NodeId) -> None:
        self.count = 0
        self.me = me
        self.election = Election(me, reputation, self._stamp, window_s=WINDOW, map_size=5)
        for node in living:
            self.election.member_alive(node)

    def _stamp(self, now: float) -> Stamp:
        self.count += 1
        return Stamp(int(now * 1000), self.count, self.me)

    def in_office(self, now: float = 1.0) -> Claim:
        """Let this node need a coordinator until it is one."""
        self.election.need(now)
        self.election.tick(now + WINDOW)
        self.election.tick(now + 2 * WINDOW)
        assert self.election.office is not None
        return self.election.office


def to_all(*messages: Message) -> list[Outcome]:
    return [Send(None, message, promises=False) for message in messages]


def said(outcomes: list[Outcome]) -> list[Message]:
    return [outcome.message for outcome in outcomes if isinstance(outcome, Send)]


def at(wall_ms: int, node: NodeId) -> Stamp:
    return Stamp(wall_ms, 0, node)


def always(stamp: Stamp) -> Callable[[float], Stamp]:
    return lambda _: stamp


def beat(node: NodeId, claim: Claim | None) -> Heartbeat:
    return Heartbeat(node, 1, 1, 1, Capacity.of(1.0, 0, "3.11"), 1.0, coordinator=claim)


# The order of candidates (3.6.1, algorithm 3.1).


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param(Candidacy(0, 1, at(9, OAK)), Candidacy(-1, 9, at(1, ASH)), id="higher reputation"),
        pytest.param(Candidacy(0, 9, at(9, OAK)), Candidacy(0, 1, at(1, ASH)), id="then larger map"),
        pytest.param(Candidacy(0, 9, at(1, OAK)), Candidacy(0, 9, at(9, ASH)), id="then older"),
        pytest.param(Candidacy(0, 9, at(1, ASH)), Candidacy(0, 9, at(1, OAK)), id="then host name"),
    ],
)
def test_candidates_are_compared_by_reputation_map_age_and_name(better: Candidacy, worse: Candidacy) -> None:
    """LAN 3.6.1: "highest reputation, or in case of a tie, if the number of tasks on its map is greater ..."."""
    assert min([worse, better], key=merit) == min([better, worse], key=merit) == better


candidacies = st.lists(
    st.builds(Candidacy, st.integers(-2, 0), st.integers(0, 2), st.builds(at, st.integers(5, 8), st.just(ASH))),
    min_size=2,
    max_size=6,
).map(
    lambda drawn: [Candidacy(c.reputation, c.map_size, at(c.at.wall_ms, NodeId(f"n{i}"))) for i, c in enumerate(drawn)]
)


@given(st.data(), candidacies)
def test_any_order_and_doubling_of_candidacies_gives_the_same_winner_everywhere(
    data: st.DataObject, known: list[Candidacy]
) -> None:
    """LAN 3.6.1.2: "if every server-node has received all proposals ... a unique master will be elected"."""
    winners = []
    for mine in known:
        machine = Election(mine.node, mine.reputation, always(mine.at), window_s=1.0, map_size=mine.map_size)
        others = [candidacy for candidacy in known if candidacy is not mine]
        doubled = others + data.draw(st.lists(st.sampled_from(others), max_size=4))
        for candidacy in data.draw(st.permutations(doubled)):
            machine.on_candidacy(candidacy, now=0.0)
        machine.tick(1.0)
        if machine.office:
            winners.append(mine)
    assert winners == [min(known, key=merit)]


# An election, step by step.


def test_who_needs_a_coordinator_asks_who_it_is() -> None:
    """LAN 3.6.3: a joining node begins "by broadcasting the WHO_IS_MASTER message"."""
    desk = Desk()
    assert desk.election.need(1.0) == to_all(WhoIsMaster())
    assert desk.election.next_deadline() == 1.0 + WINDOW
    assert desk.election.need(1.001) == []


def test_no_answer_starts_an_election() -> None:
    """LAN 3.6.3: "If no reply arrives, it ... triggers the election process"."""
    desk = Desk()
    desk.election.need(1.0)
    assert desk.election.tick(1.0 + WINDOW / 2) == []
    start, mine = said(desk.election.tick(1.0 + WINDOW))
    assert start == StartElection()
    assert mine == Candidacy(0, 5, Stamp(1010, 1, ASH))


def test_the_coordinator_answers_who_asks() -> None:
    """LAN table 3.5, NEW_MASTER: "The master-server sends its information to a server when asked"."""
    desk = Desk()
    claim = desk.in_office()
    assert desk.election.on_who_is_master(OAK) == [Send(OAK, NewMaster(claim), promises=False)]


def test_who_is_no_coordinator_does_not_answer() -> None:
    desk = Desk(ASH, 0, OAK)
    assert desk.election.on_who_is_master(ELM) == []
    desk.election.on_new_master(NewMaster(Claim(at(5, OAK), OAK)), OAK)
    assert desk.election.on_who_is_master(ELM) == []


def test_an_answer_ends_the_asking() -> None:
    """LAN 3.6.3: "Otherwise, if a reply arrives" the node turns to the coordinator."""
    desk = Desk()
    desk.election.need(1.0)
    claim = Claim(at(5, OAK), OAK)
    assert desk.election.on_new_master(NewMaster(claim), OAK) == [Elected(claim)]
    assert desk.election.next_deadline() is None
    assert desk.election.need(2.0) == []


def test_who_hears_of_an_election_makes_its_candidacy() -> None:
    """LAN 3.6.1: upon START_NEW_MASTER_ELECTION a node "makes its candidacy by broadcasting the TRY_TO_BE_MASTER"."""
    desk = Desk(ASH, -2)
    (candidacy,) = said(desk.election.on_start_election(at(900, OAK), 1.0))
    assert candidacy == Candidacy(-2, 5, Stamp(1000, 1, ASH))


def test_the_winner_says_so_to_all_when_the_window_closes() -> None:
    """LAN 3.6.1: "if the server has won the election then it broadcasts a message to all nodes"."""
    desk = Desk(ASH, 0, OAK)
    desk.election.on_start_election(at(900, OAK), 1.0)
    desk.election.on_candidacy(Candidacy(-1, 50, at(901, OAK)), 1.001)
    elected, announced = desk.election.tick(1.0 + WINDOW)
    assert desk.election.office is not None
    assert elected == Elected(desk.election.office)
    assert [announced] == to_all(NewMaster(desk.election.office))


def test_the_loser_waits_for_the_winner_and_is_quiet() -> None:
    """LAN 3.6.1: "Else, if it has lost then it will receive the new master information"."""
    desk = Desk(ASH, -1, OAK)
    desk.election.on_start_election(at(900, OAK), 1.0)
    desk.election.on_candidacy(Candidacy(0, 0, at(901, OAK)), 1.001)
    assert desk.election.tick(1.0 + WINDOW) == []
    assert desk.election.next_deadline() is None
    claim = Claim(at(1011, OAK), OAK)
    assert desk.election.on_new_master(NewMaster(claim), OAK) == [Elected(claim)]


def test_elections_at_the_same_time_are_one() -> None:
    desk = Desk(ASH, 0, ELM, OAK)
    desk.election.on_start_election(at(900, OAK), 1.0)
    assert desk.election.on_start_election(at(901, ELM), 1.001) == []
    assert desk.election.unanswered(1.002) == []
    assert desk.election.next_deadline() == 1.0 + WINDOW


def test_a_candidacy_alone_tells_of_the_election_whose_start_was_lost() -> None:
    desk = Desk(ASH, -1, OAK)
    (mine,) = said(desk.election.on_candidacy(Candidacy(0, 0, at(901, OAK)), 1.0))
    assert isinstance(mine, Candidacy)
    assert desk.election.tick(1.0 + WINDOW) == []


def test_a_candidacy_that_overtakes_the_start_counts() -> None:
    desk = Desk(ASH, -1, ELM, OAK)
    desk.election.on_new_master(NewMaster(Claim(at(5, ELM), ELM)), ELM)
    assert desk.election.on_candidacy(Candidacy(0, 0, at(901, OAK)), 1.0) == []
    desk.election.on_start_election(at(900, OAK), 1.001)
    desk.election.tick(1.001 + WINDOW)
    assert desk.election.office is None


def test_the_coordinator_in_office_ends_an_election_instead_of_taking_part() -> None:
    desk = Desk(ASH, 0, OAK)
    claim = desk.in_office()
    assert desk.election.on_start_election(at(9000, OAK), 2.0) == to_all(NewMaster(claim))
    late = Candidacy(9, 9, at(9001, OAK))
    assert desk.election.on_candidacy(late, 2.0) == [Send(OAK, NewMaster(claim), promises=False)]

    voter = Desk(OAK, 0, ASH)
    voter.election.on_new_master(NewMaster(claim), ASH)
    voter.election.on_start_election(at(9000, ELM), 2.0)
    assert voter.election.next_deadline() is not None
    assert voter.election.on_new_master(NewMaster(claim), ASH) == []
    assert voter.election.next_deadline() is None


def test_late_messages_of_a_settled_election_start_no_other() -> None:
    desk = Desk(ASH, -1, ELM, OAK)
    desk.election.on_new_master(NewMaster(Claim(at(950, OAK), OAK)), OAK)
    desk.election.member_died(OAK, 2.0)
    assert desk.election.on_start_election(at(900, ELM), 2.1) == []
    assert desk.election.on_candidacy(Candidacy(0, 0, at(901, ELM)), 2.1) == []
    assert desk.election.next_deadline() is None
    assert said(desk.election.on_start_election(at(960, ELM), 2.2)) != []


def test_a_candidacy_that_comes_twice_starts_no_other_election_before_the_winner_is_heard() -> None:
    desk = Desk(ASH, -1, OAK)
    twice = Candidacy(0, 0, at(901, OAK))
    desk.election.on_candidacy(twice, 1.0)
    desk.election.tick(1.0 + WINDOW)
    assert desk.election.on_candidacy(twice, 1.011) == []
    assert desk.election.next_deadline() is None


@pytest.mark.parametrize("in_order", [True, False])
def test_of_each_candidate_the_last_word_counts(in_order: bool) -> None:
    desk = Desk(ASH, -1, OAK)
    words = [Candidacy(0, 0, at(901, OAK)), Candidacy(-2, 0, at(902, OAK))]
    for candidacy in words if in_order else reversed(words):
        desk.election.on_candidacy(candidacy, 1.0)
    desk.election.tick(1.0 + WINDOW)
    assert desk.election.office is not None


# Deaths (3.6.1.1, server-node level).


def test_the_death_of_the_coordinator_starts_an_election_when_one_is_needed() -> None:
    """LAN 3.6.1.1: "If the master server-node fails then the remainder nodes should ... elect a new one"."""
    desk = Desk(ASH, 0, OAK)
    desk.election.need(1.0)
    desk.election.on_new_master(NewMaster(Claim(at(5, OAK), OAK)), OAK)
    start, candidacy = said(desk.election.member_died(OAK, 1.5))
    assert (start, type(candidacy)) == (StartElection(), Candidacy)


def test_the_death_of_the_coordinator_is_let_be_while_nobody_needs_one() -> None:
    """LAN 3.6.3: "If it was the master, then when the master is needed, the election algorithm is triggered"."""
    desk = Desk(ASH, 0, OAK)
    desk.election.on_new_master(NewMaster(Claim(at(5, OAK), OAK)), OAK)
    assert desk.election.member_died(OAK, 1.5) == []
    assert desk.election.claim is None
    desk.election.need(2.0)
    desk.election.served()
    assert desk.election.next_deadline() is None


def test_the_death_of_another_node_changes_nothing() -> None:
    desk = Desk(ASH, 0, ELM, OAK)
    desk.election.need(1.0)
    desk.election.on_new_master(NewMaster(Claim(at(5, OAK), OAK)), OAK)
    assert desk.election.member_died(ELM, 1.5) == []
    assert desk.election.claim == Claim(at(5, OAK), OAK)


def test_a_coordinator_that_dies_in_the_window_of_an_election_starts_no_second_one() -> None:
    desk = Desk(ASH, 0, OAK)
    desk.election.on_new_master(NewMaster(Claim(at(5, OAK), OAK)), OAK)
    desk.election.unanswered(1.0)
    assert desk.election.member_died(OAK, 1.002) == []
    assert desk.election.next_deadline() == 1.0 + WINDOW


def test_a_candidate_that_dies_in_the_window_does_not_win() -> None:
    desk = Desk(ASH, -1, OAK)
    desk.election.on_start_election(at(900, OAK), 1.0)
    desk.election.on_candidacy(Candidacy(0, 0, at(901, OAK)), 1.001)
    desk.election.member_died(OAK, 1.002)
    desk.election.tick(1.0 + WINDOW)
    assert desk.election.office is not None


def test_a_coordinator_that_does_not_answer_is_replaced_unless_it_speaks_up() -> None:
    """LAN 3.6.1.1: the failure is detected when "the master does not reply"."""
    desk = Desk(ASH, 0, OAK)
    claim = Claim(at(5, OAK), OAK)
    desk.election.on_new_master(NewMaster(claim), OAK)
    assert said(desk.election.unanswered(1.0))[0] == StartElection()
    desk.election.on_heartbeat(beat(ELM, claim))
    assert desk.election.next_deadline() is not None, "what others believe is no sign of life"
    desk.election.on_heartbeat(beat(OAK, claim))
    assert desk.election.next_deadline() is None
    assert desk.election.unanswered(2.0) != []
    desk.election.tick(2.0 + WINDOW)
    assert desk.election.office is not None


def test_late_words_of_a_dead_coordinator_do_not_bring_it_back_but_its_return_does() -> None:
    desk = Desk(ASH, 0, ELM, OAK)
    claim = Claim(at(5, OAK), OAK)
    desk.election.on_new_master(NewMaster(claim), OAK)
    desk.election.member_died(OAK, 1.0)
    assert desk.election.on_new_master(NewMaster(claim), OAK) == []
    assert desk.election.on_heartbeat(beat(ELM, claim)) == []
    desk.election.member_alive(OAK)
    assert desk.election.on_heartbeat(beat(ELM, claim)) == [Elected(claim)]


def test_a_need_ends_although_no_winner_is_ever_heard() -> None:
    desk = Desk(ASH, -1, OAK)
    messages = said(desk.election.need(0.0))
    for _ in range(1 + 2 * ELECTIONS_MAX):
        deadline = desk.election.next_deadline()
        assert deadline is not None
        new = said(desk.election.tick(deadline))
        if StartElection() in new:
            desk.election.on_candidacy(Candidacy(0, 0, Stamp(int(deadline * 1000) + 1, 0, OAK)), deadline)
        messages += new
    assert desk.election.office is not None
    assert desk.election.next_deadline() is None
    assert messages.count(StartElection()) == ELECTIONS_MAX


# Claims (3.6.1.1, network level).


def test_the_older_coordinator_steps_down_before_a_newer_claim() -> None:
    """LAN 3.6.1.1: the older master "should update its local state as not being the master any more"."""
    desk = Desk(ASH, 0, OAK)
    old = desk.in_office()
    newer = Claim(at(10**6, OAK), OAK)
    assert desk.election.on_heartbeat(beat(OAK, newer)) == [SteppedDown(old), Elected(newer)]
    assert (desk.election.office, desk.election.claim) == (None, newer)


def test_the_newer_coordinator_stays() -> None:
    """LAN 3.6.1.1: "if the timestamp of when the message sender was elected in newer" it replaces the known one."""
    desk = Desk(ASH, 0, OAK)
    mine = desk.in_office()
    assert desk.election.on_heartbeat(beat(OAK, Claim(at(5, OAK), OAK))) == []
    assert desk.election.office == mine


def test_claims_are_passed_on_by_those_who_believe_them() -> None:
    desk = Desk(ASH, 0, ELM, OAK)
    claim = Claim(at(5, OAK), OAK)
    assert desk.election.on_heartbeat(beat(ELM, claim)) == [Elected(claim)]


def test_a_claim_of_a_node_that_nobody_saw_counts_only_from_itself() -> None:
    desk = Desk(ASH, 0, ELM)
    claim = Claim(at(5, OAK), OAK)
    assert desk.election.on_heartbeat(beat(ELM, claim)) == []
    assert desk.election.on_heartbeat(beat(OAK, claim)) == [Elected(claim)]


def test_a_restarted_node_takes_up_the_office_that_others_still_see_it_in() -> None:
    desk = Desk(ASH, -1, OAK)
    claim = Claim(at(5, ASH), ASH)
    assert desk.election.on_heartbeat(beat(OAK, claim)) == [Elected(claim)]
    assert desk.election.office == claim


def test_the_best_candidates_are_kept_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(election_module, "ELECTORS_MAX", 3)
    desk = Desk(ASH, -5)
    for number in range(10):
        node = NodeId(f"n{number}")
        desk.election.member_alive(node)
        desk.election.on_candidacy(Candidacy(number % 3 - 4, 0, at(900, node)), 1.0)
    assert (len(desk.election._candidacies), len(desk.election._living)) == (3, 3)
    desk.election.tick(1.0 + WINDOW)
    assert desk.election.office is None


# Many of them, on a bad network.


def settle_and_check(village: Neighbourhood, somebody: str) -> None:
    """Let somebody need a coordinator; then all agree on one that lives, and nothing more is said."""
    village.need(somebody)
    village.run(SILENCE_S + 20 * BEAT_S)
    before = len(village.said)
    village.run(20 * BEAT_S)
    assert len(village.in_office()) == 1, "\n".join(village.story)
    assert village.coordinators() == set(village.in_office()), "\n".join(village.story)
    assert len(village.said) == before


def names(count: int) -> dict[str, int]:
    return {f"n{number:02}": -(number % 3) for number in range(count)}


@pytest.mark.parametrize("count", [2, 3, 5, 12, 20])
def test_a_healthy_mesh_elects_the_best(count: int) -> None:
    village = Neighbourhood(
        {name: reputation - 1 for name, reputation in names(count).items()} | {"best": 0}, skew_s=60.0
    )
    settle_and_check(village, "n01")
    assert village.in_office() == ["best"]
    kinds = [type(message) for _, _, _, message in village.said]
    assert (kinds.count(Candidacy), kinds.count(NewMaster)) == (count + 1, 1)


@pytest.mark.parametrize("seed", range(12))
def test_all_needs_at_once_are_one_election(seed: int) -> None:
    village = Neighbourhood(names(8), seed=seed)
    for name in list(village.members):
        village.need(name)
    settle_and_check(village, "n03")
    kinds = [type(message) for _, _, _, message in village.said]
    assert (kinds.count(Candidacy), kinds.count(NewMaster)) == (8, 1)


@pytest.mark.parametrize("seed", range(20))
def test_one_coordinator_is_left_after_losses_cuts_deaths_and_returns(seed: int) -> None:
    """LAN 3.6.1.1: after failures of nodes and of the network there is one coordinator, on whom all agree."""
    draw = Random(f"{seed}/world")
    count = draw.randint(2, 20)
    reach = draw.choice([None, 2])
    village = Neighbourhood(
        names(count), seed=seed, loss=0.2, doubling=0.2, jitter=6.0, skew_s=120.0, claims_reach=reach
    )
    for _ in range(6):
        alive = sorted(village.members)
        match draw.choice(["cut", "heal", "kill", "kill coordinator", "start", "need", "need all"]):
            case "cut":
                draw.shuffle(alive)
                village.cut(alive[: len(alive) // 2], alive[len(alive) // 2 :])
            case "heal":
                village.heal()
            case "kill" if len(alive) > 2:
                village.kill(draw.choice(alive))
            case "kill coordinator" if len(alive) > 2 and village.in_office():
                village.kill(village.in_office()[0])
            case "start":
                village.start(f"n{draw.randrange(count):02}", -1)
            case "need all":
                for name in alive:
                    village.need(name)
            case _:
                village.need(draw.choice(alive))
        village.run(draw.choice([WINDOW_S, BEAT_S, 2 * SILENCE_S]))
    village.heal()
    village.loss = 0.0
    village.run(2 * SILENCE_S)
    settle_and_check(village, draw.choice(sorted(village.members)))
