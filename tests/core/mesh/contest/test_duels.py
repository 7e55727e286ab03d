"""What becomes of elements that this node works on and others have moved: of two holders one goes on."""

from random import Random

import pytest

from roost.core.events import Progressed
from roost.core.mesh.contest.bid_table import REMEMBERED_S
from roost.core.mesh.contest.duels import HEARING_S
from roost.core.mesh.contest.lease_expiry import CONFIRM_S
from roost.core.mesh.membership.ring import WATCHERS, place
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.model.ids import NodeId
from roost.model.states import Done, Leased
from roost.model.token import Token
from roost.wire.messages import Bid, Facts, Heartbeat
from tests.core.company import DEATH_S, RECORDS, REPAIR_S, WINDOW_S, Company, Letter
from tests.core.harness import edge, task
from tests.tokens import attempt

ELM = NodeId("elm")


def test_a_holder_that_was_believed_dead_takes_its_elements_again() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    company.cut("elm")
    company.wait(DEATH_S)
    assert company["ash"].holders("a") == {}
    assert company["elm"].runs() == ["a[0]"]
    company.heal()
    company.wait(REPAIR_S)
    assert company["elm"].seen().count("stop a[0] kill") == 0
    assert all(member.holders("a") == {"elm": "0"} for member in company.living())
    state = company["ash"].state("a")
    assert state is not None
    assert state.token == attempt(2)


def test_what_was_sent_back_elsewhere_is_stopped_and_begins_again_in_its_edition() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a"), task("b", 1, edge("a")))
    company.wait(WINDOW_S)
    company["elm"].done("a")
    company.wait(WINDOW_S)
    assert company.runs() == {"elm": ["b[0]"]}
    company["elm"].seen()
    company["ash"].send_back(a="0")
    company.settle()
    assert "stop b[0] kill" in company["elm"].seen()
    company["elm"].give_back("b", "0")
    company.wait(WINDOW_S)
    company["elm"].done("a")
    company.wait(WINDOW_S)
    state = company["ash"].state("b")
    assert isinstance(state, Leased)
    assert (state.edition, state.node) == (1, ELM)


def test_a_holder_that_was_believed_dead_leaves_to_others_what_they_have_finished() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash"])
    company["ash"].submit(task("a"))
    company.wait(2 * WINDOW_S)
    [holder] = company.runs()
    other = "oak" if holder == "elm" else "elm"
    company.cut(holder)
    company.wait(DEATH_S)
    company[other].done("a")
    company.wait(1)
    company[holder].seen()
    company.heal()
    company.wait(REPAIR_S)
    assert "stop a[0] kill" in company[holder].seen()
    company[holder].give_back("a", "0")
    assert company.agree()


def test_a_node_that_starts_anew_does_not_end_what_another_has_done_since_it_died() -> None:
    """It knows only what its journal says: that its own lease died with it. Its tokens are larger than all others, and
    nobody remembers what was bid then.
    """
    company = Company("ash", "elm", "oak", no_room=["ash"])
    company["ash"].submit(task("a"))
    company.wait(2 * WINDOW_S)
    [holder] = company.runs()
    other = "oak" if holder == "elm" else "elm"
    company.kill(holder)
    company.wait(DEATH_S + 2 * REMEMBERED_S)
    assert company.runs() == {other: ["a[0]"]}
    company.lost = lambda letter: letter.to == holder and is_lease(letter)
    company.boot(holder)
    company.wait(1)
    assert company.runs() == {other: ["a[0]"], holder: ["a[0]"]}
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert stopped(company) == [holder]
    company[holder].give_back("a", "0")
    company.wait(REPAIR_S)
    assert company.runs() == {other: ["a[0]"]}
    assert all(member.holders("a") == {other: "0"} for member in company.living())


# Of two holders one goes on.


def both_run(company: Company) -> None:
    """Let ash and elm lease the same element, neither knowing of the other's lease; elm's is the larger."""
    company.lost = lambda letter: isinstance(letter.message, Bid)
    company["ash"].submit(task("a"))
    company.settle()
    company.hold(WINDOW_S)
    company.lost = lambda _: False
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[0]"]}


def stopped(company: Company) -> list[str]:
    return [member.name for member in company.living() if "stop a[0] kill" in member.seen()]


def is_lease(letter: Letter) -> bool:
    return isinstance(letter.message, Facts) and bool(letter.message.states)


def test_of_two_holders_that_know_no_bids_the_larger_lease_goes_on() -> None:
    company = Company("ash", "elm")
    both_run(company)
    company.settle()
    assert stopped(company) == ["ash"]
    company["ash"].give_back("a", "0")
    company.wait(REPAIR_S)
    assert company.runs() == {"elm": ["a[0]"]}
    assert all(member.holders("a") == {"elm": "0"} for member in company.living())


def test_of_two_holders_the_one_with_the_better_bid_goes_on() -> None:
    """DICE situation 3: a bid that came late decides as if it had come in time."""
    company = Company("ash", "elm")
    company["ash"].submit(task("a"))
    company.deliver(company.letters(RECORDS))
    company.hold(WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[0]"]}
    company.deliver(company.letters(Bid))
    company.settle()
    assert stopped(company) == ["elm"]
    company["elm"].give_back("a", "0")
    company.wait(REPAIR_S)
    assert company.runs() == {"ash": ["a[0]"]}
    assert all(member.holders("a") == {"ash": "0"} for member in company.living())


def test_of_two_holders_the_one_that_is_further_goes_on() -> None:
    company = Company("ash", "elm")
    company.lost = lambda letter: isinstance(letter.message, Bid) or is_lease(letter)
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[0]"]}
    [lease] = company["ash"].node.queue.leases.active.values()
    company["ash"].feed(Progressed(lease.name, 0, 0.8))
    company.lost = is_lease
    company.wait(0.6)
    assert company.said_by("ash", Heartbeat)[-1].leases[0].fraction == 0.8
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert stopped(company) == ["elm"]
    assert company["ash"].runs() == ["a[0]"]


def test_when_both_have_finished_one_result_is_accepted_everywhere() -> None:
    company = Company("ash", "elm", "oak", no_room=["oak"])
    both_run(company)
    company["ash"].done("a")
    company["elm"].done("a")
    company.wait(REPAIR_S)
    assert len({str(member.state_on_disk("a")) for member in company.living()}) == 1
    assert isinstance(company["oak"].state_on_disk("a"), Done)
    assert company.agree()


# Who is ahead goes on.


def on_two_sides(one: str, other: str, *beside: str) -> Company:
    """Let two nodes hold the same element, each on its side of a cut; the first is alone there."""
    company = Company(one, other, *beside, no_room=beside)
    company[beside[0]].submit(task("a"))
    company.lost = lambda letter: isinstance(letter.message, Bid)
    company.settle()
    company.cut(one)
    company.wait(WINDOW_S)
    company.lost = lambda _: False
    assert company.runs() == {one: ["a[0]"], other: ["a[0]"]}
    company.wait(DEATH_S)
    return company


def come_to(company: Company, name: str, fraction: float) -> None:
    [lease] = company[name].node.queue.leases.active.values()
    company[name].feed(Progressed(lease.name, 0, fraction))


def heal_bit_by_bit(company: Company, random: Random, *, lost: float, seconds: float) -> None:
    """Let each direction of each link come back at a moment of its own, while letters are late, or lost."""
    for link in sorted(company.cuts):
        company.later(random.uniform(0, 2), lambda link=link: company.cuts.discard(link))
    seed = random.random()
    company.lost = lambda letter: Random(f"{seed} loses {letter.number}").random() < lost
    company.flow(seconds, lambda letter: letter.sent_at + Random(f"{seed} {letter.number}").uniform(0.001, 0.04))


@pytest.mark.parametrize("seed", range(32))
def test_after_a_partition_has_healed_who_is_ahead_goes_on(seed: int) -> None:
    """LAN 3.6.2.1, requirements B 4; whatever is heard first, of whom, and from whom."""
    random = Random(seed)
    sides = random.sample(["ash", "elm"], 2)
    company = on_two_sides(*sides, "oak", *random.sample(["bay", "yew"], random.randrange(3)))
    company.wait(random.uniform(0, 2))
    behind, ahead = random.sample(sides, 2)
    fraction = random.choice([0.0, 0.3, 0.5])
    come_to(company, behind, fraction)
    come_to(company, ahead, fraction + random.uniform(0.25, 1 - fraction))
    heal_bit_by_bit(company, random, lost=random.choice([0.0, 0.1]), seconds=2 * REPAIR_S)
    assert stopped(company) == [behind]
    assert {str(member.holders("a")) for member in company.living()} == {str({ahead: "0"})}


def test_who_is_ahead_goes_on_also_if_its_heartbeats_do_not_go_to_its_rival() -> None:
    """In a large mesh they go to neighbours on the ring; those who work on the same get them, too."""
    ring = sorted((NodeId(f"pc{number}") for number in range(WATCHERS + 2)), key=place)
    one, other = ring[0], ring[len(ring) // 2]
    assert other not in [letter.to for letter in Company(*ring).letters(Heartbeat, of=one)]
    company = on_two_sides(one, other, *(node for node in ring if node not in (one, other)))
    behind, ahead = sorted((one, other))[::-1]
    come_to(company, behind, 0.3)
    come_to(company, ahead, 0.8)
    company.heal()
    company.wait(2 * REPAIR_S)
    assert stopped(company) == [behind]


def hears_of_a_lease_alone(*, at: float) -> Company:
    """Let ash have come so far with what elm holds, too, under the larger lease, and hear of that and not how far."""
    company = Company("ash", "elm")
    both_run(company)
    come_to(company, "ash", at)
    company.hold(HEARTBEAT_S)
    company.deliver(company.letters(Facts, of="elm", to="ash"))
    company.lose(company.waiting)
    company.lost = lambda letter: isinstance(letter.message, Heartbeat) and letter.sender == "elm"
    return company


def token_of_ash(company: Company) -> Token:
    [lease] = company["ash"].node.queue.leases.active.values()
    return lease.token


def test_who_is_ahead_works_on_until_it_hears_how_far_its_rival_has_come() -> None:
    company = hears_of_a_lease_alone(at=0.6)
    company.wait(HEARING_S - 2 * HEARTBEAT_S)
    assert (stopped(company), token_of_ash(company)) == ([], attempt(1))
    come_to(company, "elm", 0.9)
    company.lost = lambda _: False
    company.wait(HEARTBEAT_S)
    assert stopped(company) == ["ash"]


def test_a_rival_of_whom_nothing_is_heard_in_time_has_come_nowhere() -> None:
    company = hears_of_a_lease_alone(at=0.8)
    company.wait(HEARING_S + 0.1)
    assert token_of_ash(company) == attempt(2)
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert stopped(company) == ["elm"]


def test_who_has_hardly_begun_does_not_wait() -> None:
    company = hears_of_a_lease_alone(at=0.1)
    assert stopped(company) == ["ash"]


def test_when_a_rival_dies_before_it_is_decided_the_other_takes_the_element() -> None:
    company = hears_of_a_lease_alone(at=0.8)
    company.kill("elm")
    company.wait(DEATH_S)
    assert stopped(company) == []
    assert company.runs() == {"ash": ["a[0]"]}
    assert company["ash"].holders("a") == {"ash": "0"}


def test_two_who_hear_of_each_other_only_from_a_third_end_with_one_that_goes_on() -> None:
    """Each counts the other as dead, so none hears how far the other has come."""
    company = on_two_sides("ash", "elm", "oak")
    come_to(company, "ash", 0.8)
    come_to(company, "elm", 0.6)
    company.cuts = {("ash", "elm"), ("elm", "ash")}
    company.wait(8 * HEARING_S)
    assert len(stopped(company)) == 1


def test_it_is_decided_before_the_lease_of_a_rival_that_is_not_there_is_released() -> None:
    assert HEARING_S < CONFIRM_S
