"""Results that count only when most of the nodes hold them that were known when their task was submitted."""

import pytest

from roost.core.actions import Accepted, Refused
from roost.core.data.re_replication import RECOPY_AFTER_S
from roost.core.events import CapacityChanged, ElementsDone, GiveWay, Heard
from roost.core.facts import ResultsStored, VoteKept
from roost.core.quorum.quorum import BACK_OFF_S_MAX, REPEAT_AFTER_S, REPEAT_AFTER_S_MAX
from roost.model.ballots import Ballot
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.limits import HOLDS_WANTED_MAX, VOTERS_MAX
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.states import Cancelled, Done, Failed, State
from roost.model.task import Manual
from roost.wire.ballots import Held, Hold, Outvoted, Prepare, Promised
from roost.wire.messages import Facts, Fetch, Keep, Purpose
from tests.core.company import DEATH_S, MEETING_S, REPAIR_S, WINDOW_S, Company
from tests.core.harness import GIB, OTHER_RUN, RUN, Bench, edge, ranges, task
from tests.core.mesh.test_mesh import hear
from tests.tokens import attempt

FIVE = ("ash", "elm", "fir", "oak", "yew")
BALLOT_WORDS = (Prepare, Promised, Hold, Held, Outvoted)


def five(*workers: str) -> Company:
    """Return five nodes of which these have room for work."""
    return Company(*FIVE, no_room=[name for name in FIVE if name not in workers])


def states(company: Company, index: int = 0) -> set[State | None]:
    return {member.state_on_disk("a", index) for member in company.living()}


def done(company: Company, index: int = 0) -> list[str]:
    """Return who calls an element done."""
    return [member.name for member in company.living() if isinstance(member.state_on_disk("a", index), Done)]


def started(company: Company, at: str = "ash", count: int = 1) -> Company:
    company[at].submit(task("a", count), quorum=True)
    company.wait(WINDOW_S)
    return company


# Voters.


def test_the_nodes_that_are_known_at_the_submission_are_the_voters_and_stay_so() -> None:
    company = started(Company("elm", "ash", cpus=0.0))
    company.add("oak", cpus=0.0)
    company.wait(MEETING_S)
    assert {member.node.queue.replica.tasks[task("a").id].spec.voters for member in company.living()} == {
        ("ash", "elm")
    }


def test_without_a_quorum_there_are_no_voters_and_no_ballots() -> None:
    company = five("elm")
    company["ash"].submit(task("a", 3))
    company.finish_all()
    assert not [word for _, word in company.said if isinstance(word, BALLOT_WORDS)]
    assert not any(isinstance(fact, VoteKept) for member in company.living() for fact in member.facts)


def test_too_many_voters_are_refused() -> None:
    bench = Bench()
    bench.node.peers.others = tuple(NodeId(f"n{number}") for number in range(VOTERS_MAX))
    answer = bench.submit(task("a"), quorum=True)
    assert answer == Refused(
        f"a quorum has at most {VOTERS_MAX} nodes and {VOTERS_MAX + 1} are there; submit it without --quorum"
    )


def test_what_people_do_is_refused() -> None:
    answer = Bench().submit(task("a"), task("ask", work=Manual("well?")), quorum=True)
    assert isinstance(answer, Refused)
    assert "'ask' is done by people" in answer.message


def test_a_node_alone_is_the_only_voter_and_works_as_before() -> None:
    bench = Bench()
    assert isinstance(bench.submit(task("a", 3), task("b", 3, edge("a")), quorum=True), Accepted)
    bench.finish_all()
    assert "tell run 1-bababa done" in bench.seen()


# Deciding.


def test_a_result_counts_when_most_voters_have_it_on_disk() -> None:
    company = started(five("elm"))
    for name in ("ash", "fir", "oak", "yew"):
        company[name].slow_disk = True
    company["elm"].done("a")
    company.settle()
    for name in ("fir", "oak"):
        company[name].write_all()
    company.settle()
    assert done(company) == []
    company["fir"].write_all()
    company.settle()
    assert done(company) == []
    company["oak"].write_all()
    company.settle()
    # It counts now, and elm tells so when the node where it was submitted knows it, too.
    assert done(company) == []
    company["ash"].write_all()
    company.settle()
    assert {"ash", "elm"} <= set(done(company))
    held = {name: any(vote.held for vote in company[name].disk.votes.get(task("a").id, ())) for name in FIVE}
    assert [name for name in FIVE if held[name]] == ["elm", "fir", "oak"]
    for name in ("elm", "fir", "oak"):
        assert company[name].disk.holdings(task("a").id).results
    for name in FIVE:
        company[name].slow_disk = False
        company[name].write_all()
    company.wait(REPAIR_S)
    assert len(states(company)) == 1
    assert done(company) == list(FIVE)


def test_a_vote_is_written_with_the_result_that_it_is_for() -> None:
    company = started(five("elm"))
    company["elm"].done("a")
    company.settle()
    facts = company["ash"].facts
    held = [at for at, fact in enumerate(facts) if isinstance(fact, VoteKept) and fact.vote.held]
    assert held
    assert isinstance(facts[held[0] - 1], ResultsStored)


def test_only_those_who_promised_get_the_results_at_first() -> None:
    company = started(five("elm"))
    company.lost = lambda letter: isinstance(letter.message, Promised) and letter.sender in ("oak", "yew")
    company["elm"].done("a")
    company.settle()
    assert done(company) == list(FIVE)
    assert not company["oak"].has_result("a")


def test_words_that_were_lost_are_said_again() -> None:
    company = started(five("elm"))
    for kind in (Prepare, Promised, Hold, Held):
        company.lost = lambda letter, kind=kind: isinstance(letter.message, kind)  # type: ignore[misc]
        if company["elm"].runs():
            company["elm"].done("a")
        company.wait(REPEAT_AFTER_S / 2)
        assert done(company) == []
    company.lost = lambda _: False
    company.wait(10 * REPEAT_AFTER_S)
    assert done(company) == list(FIVE)


def test_words_that_come_late_and_twice_change_nothing() -> None:
    company = started(five("elm"))
    company["elm"].done("a")
    old = []
    while company.waiting:
        letter = company.waiting[0]
        old.append(letter)
        company.deliver([letter])
    before = states(company)
    for letter in [*old, *reversed(old)]:
        if isinstance(letter.message, BALLOT_WORDS):
            company.arrive(letter)
            company.settle()
    company.wait(REPAIR_S)
    assert states(company) == before
    assert len(before) == 1


def test_a_failure_needs_no_quorum() -> None:
    company = started(five("elm"))
    company.cut("elm", "yew")
    company["elm"].fail("a")
    company.settle()
    assert isinstance(company["yew"].state_on_disk("a"), Failed)


def test_what_is_made_of_a_result_waits_until_it_counts() -> None:
    company = five("elm")
    company["ash"].submit(task("a"), task("b", 1, edge("a")), quorum=True)
    company.wait(WINDOW_S)
    company.cut("elm", "yew")
    company["elm"].done("a")
    company.wait(WINDOW_S)
    assert company.runs() == {}
    company.heal()
    company.wait(MEETING_S + REPAIR_S)
    assert company.runs() == {"elm": ["b[0]"]}


# Partitions.


def test_of_two_sides_only_the_one_with_most_voters_accepts_a_result() -> None:
    company = started(five("elm", "oak"))
    first = next(iter(company.runs()))
    second = "oak" if first == "elm" else "elm"
    company.cut(first, "yew")
    company.wait(DEATH_S)
    company[first].done("a")
    company.wait(DEATH_S)
    assert done(company) == []
    assert company.runs() == {second: ["a[0]"]}
    company[second].done("a")
    company.wait(1.0)
    assert done(company) == [name for name in FIVE if name not in (first, "yew")]
    company.heal()
    company.wait(MEETING_S + REPAIR_S)
    (agreed,) = states(company)
    assert isinstance(agreed, Done)
    assert agreed.node == second
    assert company.agree()


def test_the_result_of_the_smaller_side_counts_after_healing_if_there_is_no_other() -> None:
    company = started(five("elm"))
    company.cut("elm", "yew")
    company["elm"].done("a")
    company.wait(DEATH_S)
    assert done(company) == []
    company.heal()
    company.wait(MEETING_S + REPAIR_S)
    (agreed,) = states(company)
    assert isinstance(agreed, Done)
    assert agreed.node == "elm"


def test_a_side_without_most_voters_says_nothing_while_it_waits() -> None:
    company = started(five("elm"))
    company.cut("elm", "yew")
    company["elm"].done("a")
    company.wait(DEATH_S)
    company.said.clear()
    company.wait(60.0)
    assert not [word for _, word in company.said if isinstance(word, BALLOT_WORDS)]


def test_a_held_result_whose_maker_is_gone_is_what_the_next_proposer_has_to_propose() -> None:
    company = started(five("elm", "oak"))
    first = next(iter(company.runs()))
    second = "oak" if first == "elm" else "elm"
    # Of the first result one voter hears, and it is not told that it is held.
    company.lost = lambda letter: isinstance(letter.message, Hold) and letter.to != "ash"
    company[first].done("a")
    company.settle()
    made = next(iter(company["ash"].node.inventory._results[task("a").id]))
    company.kill(first)
    company.lost = lambda _: False
    company.wait(DEATH_S + WINDOW_S)
    assert company.runs() == {second: ["a[0]"]}
    # The voters that answer are too few without the one that holds it.
    company.lost = lambda letter: "yew" in (letter.to, letter.sender)
    company[second].done("a")
    company.wait(5.0)
    (agreed,) = {company[name].state_on_disk("a") for name in ("ash", "fir", second)}
    assert isinstance(agreed, Done)
    assert (agreed.token, agreed.node) == made
    assert any(fetch.made for _, fetch in company.said if isinstance(fetch, Fetch))
    assert sum(company[name].has_result("a") for name in ("ash", "fir", second)) == 3


def test_a_voter_that_was_restarted_keeps_its_word() -> None:
    company = started(five("elm"))
    company.lost = lambda letter: isinstance(letter.message, Hold) and letter.to != "ash"
    company["elm"].done("a")
    company.settle()
    held = company["ash"].disk.votes[task("a").id][-1]
    assert held.held
    for name in ("ash", "elm"):
        company.kill(name)
    company.boot("ash")
    company.said.clear()
    hear(company["ash"], Prepare(task("a").id, 0, Ballot(1, NodeId("aaa"), 1), ranges("0")), "yew")
    assert company.said_by("ash", Outvoted)[-1].largest == held.ballot
    hear(company["ash"], Prepare(task("a").id, 0, Ballot(9, NodeId("yew"), 1), ranges("0")), "yew")
    assert company.said_by("ash", Promised)[-1].held == ((held.ballot, held.held),)


def test_a_result_that_is_not_sure_to_be_on_disk_is_fetched_before_the_vote() -> None:
    """A full disk has refused it: a vote under a later ballot, which comes without it, must not be written alone."""
    company = started(five("elm"))
    ash = company["ash"]
    ash.slow_disk = True
    made = Elements({Done(attempt(5), NodeId("yew")): ranges("0")})
    sent = ((attempt(5), NodeId("yew"), pack(0, [b"x"])),)
    hear(ash, Hold(task("a").id, 0, Ballot(8, NodeId("yew"), 1), made, sent, NodeId("yew")), "yew")
    ash.refuse()
    company.said.clear()
    hear(ash, Hold(task("a").id, 0, Ballot(9, NodeId("yew"), 1), made, (), NodeId("yew")), "yew")
    assert company.said_by("ash", Fetch) == [
        Fetch(Purpose.VOTE, made=((task("a").id, attempt(5), NodeId("yew"), ranges("0")),))
    ]
    ash.write_all()
    assert not any(vote.held for vote in ash.disk.votes.get(task("a").id, ()))


def test_a_disk_that_refuses_a_vote_keeps_it_from_being_told() -> None:
    company = started(five("elm"))
    for name in ("ash", "fir", "oak"):
        company[name].slow_disk = True
    company["elm"].done("a")
    company.settle()
    for name in ("ash", "fir", "oak"):
        company[name].refuse()
    company.settle()
    assert done(company) == []
    for name in ("ash", "fir", "oak"):
        company[name].slow_disk = False
    company.wait(REPAIR_S)
    assert done(company) == list(FIVE)


def test_rivals_give_way_and_come_to_one_result() -> None:
    company = started(five("elm", "oak"))
    first = next(iter(company.runs()))
    second = "oak" if first == "elm" else "elm"
    company.cut(first)
    company.wait(DEATH_S + WINDOW_S)
    assert company.runs() == {first: ["a[0]"], second: ["a[0]"]}
    company.heal()
    company[second].done("a")
    company[first].done("a")
    company.wait(2 * BACK_OFF_S_MAX + MEETING_S)
    (agreed,) = states(company)
    assert isinstance(agreed, Done)


# Cancelling, sending back, and what left memory.


def test_a_cancellation_ends_what_waits_for_voters() -> None:
    company = started(five("elm"))
    company.cut("elm", "yew")
    company["elm"].done("a")
    company.wait(DEATH_S)
    company["elm"].cancel(a="0")
    company.settle()
    assert isinstance(company["elm"].state_on_disk("a"), Cancelled)
    assert len(company["elm"].node.quorum) == 0
    company.heal()
    company.wait(MEETING_S + REPAIR_S)
    assert {type(state) for state in states(company)} == {Cancelled}


def test_what_is_sent_back_is_decided_anew() -> None:
    company = five("elm")
    company["ash"].submit(task("a"), quorum=True, stays_open=True)
    company.finish_all()
    (before,) = states(company)
    company["ash"].send_back(a="0")
    company.finish_all()
    (after,) = states(company)
    assert isinstance(before, Done)
    assert isinstance(after, Done)
    assert (before.edition, after.edition) == (0, 1)


def test_a_voter_answers_of_what_has_left_its_memory() -> None:
    company = started(five("elm"))
    company.finish_all()
    company["ash"].submit(task("x", run=OTHER_RUN))
    company.finish_all()
    assert not company["ash"].knows("a")
    company.said.clear()
    hear(company["ash"], Prepare(task("a").id, 0, Ballot(99, NodeId("elm"), 1), ranges("0")))
    told = company["ash"].state_on_disk("a")
    assert isinstance(told, Done)
    assert not company.said_by("ash", Promised)
    (answer,) = company.said_by("ash", Facts)
    assert answer.states == ((task("a").id, Elements({told: ranges("0")})),)


def test_who_finished_later_and_is_no_voter_asks_the_voters() -> None:
    company = started(Company("ash", cpus=0.0))
    company.add("elm")
    company.wait(MEETING_S)
    company.cut("elm")
    company["elm"].done("a")
    company.wait(DEATH_S)
    assert done(company) == []
    company.heal()
    company.wait(MEETING_S + REPAIR_S)
    assert done(company) == ["ash", "elm"]
    assert company["ash"].has_result("a")


def test_a_result_of_the_only_voter_is_on_two_disks_when_it_is_told() -> None:
    company = started(Company("ash"))
    company.add("elm", cpus=0.0)
    company.wait(MEETING_S)
    company["ash"].done("a")
    assert done(company) == []
    company.settle()
    assert done(company) == ["ash", "elm"]
    assert company["elm"].has_result("a")


def test_a_second_attempt_of_the_only_voter_does_not_tell_the_first_before_it_is_on_two_disks() -> None:
    # World 230075: others took its lease back while its run was suspended, and it leased the element again beside it.
    company = started(Company("ash", cpus=2.0))
    company.add("elm", cpus=0.0)
    company.wait(MEETING_S)
    ash = company["ash"]
    ash.suspend()
    company.wait(1)
    company.cut("elm")
    company.wait(DEATH_S + REPAIR_S)
    company.heal()
    company.wait(REPAIR_S)
    ash.resume()
    company.wait(WINDOW_S)
    first, second = list(ash.node.queue.leases.active)
    company.lost = lambda letter: letter.sender == "ash"
    for lease, value in ((first, b"first"), (second, b"second")):
        ash.feed(ElementsDone(lease, (pack(0, [value]),), 0.1))
        company.hold(0.1)
    assert done(company) == []
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert done(company) == ["ash", "elm"]
    assert company["elm"].has_result("a")


def test_what_the_only_voter_held_in_an_earlier_life_is_what_is_copied_when_it_counts() -> None:
    """It proposes the result of its second attempt, and what counts is the first, of which the other has nothing."""
    company = started(Company("ash"))
    company.add("elm", cpus=0.0)
    company.wait(MEETING_S)
    company.lost = lambda letter: letter.sender == "ash"
    company["ash"].done("a")
    company.settle()
    first = company["ash"].disk.votes[task("a").id][-1].held
    assert first
    company.kill("ash")
    company.lost = lambda _: False
    company.boot("ash")
    company.wait(MEETING_S)
    company.finish_all()
    company.wait(RECOPY_AFTER_S + REPAIR_S)
    assert states(company) == {state for state, _ in first.items()}
    assert company["elm"].has_result("a")


def test_a_result_that_counts_after_its_maker_is_gone_is_copied() -> None:
    """A voter that holds it and hears from a third node that it counts may be the only one left that has it."""
    company = started(Company("ash", "elm", "oak", no_room=["ash", "oak"]))
    company.lost = lambda letter: "oak" in (letter.to, letter.sender)
    company["elm"].done("a")
    company.settle()
    decided = company["elm"].state_on_disk("a")
    assert isinstance(decided, Done)
    company.kill("elm")
    company.lost = lambda _: False
    company.wait(DEATH_S)
    company.wait(RECOPY_AFTER_S + REPAIR_S)
    assert company["ash"].has_result("a")
    assert company["oak"].has_result("a")


# Whatever comes.


def test_words_that_make_no_sense_change_nothing() -> None:
    company = started(five("elm"))
    ballot = Ballot(7, NodeId("yew"), 1)
    unknown, other = task("b").id, task("a").id
    lease = company["ash"].state("a")
    assert lease is not None
    for message in (
        Prepare(unknown, 0, ballot, ranges("0")),
        Hold(other, 0, ballot, Elements({lease: ranges("0")})),
        Hold(other, 0, ballot, Elements({Done(attempt(5), NodeId("yew")): ranges("0,77")}), (), NodeId("yew")),
        Promised(other, 0, ballot, ranges("0")),
        Held(other, 0, ballot, ranges("0")),
        Outvoted(ballot, Ballot(9, NodeId("yew"), 1)),
    ):
        hear(company["ash"], message, "yew")
    company.settle()
    company["elm"].done("a")
    company.wait(REPAIR_S)
    assert done(company) == list(FIVE)


def test_what_a_voter_was_asked_to_hold_and_cannot_get_is_bounded() -> None:
    company = started(five("elm"))
    ash = company["ash"]
    for number in range(HOLDS_WANTED_MAX + 9):
        value = Elements({Done(attempt(5), NodeId("yew")): ranges("0")})
        hear(ash, Hold(task("a").id, 0, Ballot(number, NodeId("yew"), 1), value, (), NodeId("yew")), "yew")
    assert ash.node.sizes()["wanted"] == (HOLDS_WANTED_MAX, HOLDS_WANTED_MAX)


@pytest.mark.parametrize("count", [40])
def test_many_elements_are_decided_in_ranges(count: int) -> None:
    company = started(five("elm", "oak"), count=count)
    company.finish_all()
    assert all(done(company, index) == list(FIVE) for index in range(count))
    assert len([word for _, word in company.said if isinstance(word, Prepare)]) < 4 * count


def test_a_pause_stays_bounded_however_often_it_was_in_vain() -> None:
    company = started(Company("ash", "elm", "oak", no_room=["ash", "oak"]))
    company.lost = lambda letter: isinstance(letter.message, BALLOT_WORDS)
    company["elm"].done("a")
    for one in company["elm"].node.quorum._by_ballot.values():
        one.asked = one.outvoted = 100_000
    company.wait(2 * REPEAT_AFTER_S_MAX)
    company.lost = lambda _: False
    company.wait(REPEAT_AFTER_S_MAX)
    assert done(company) == ["ash", "elm", "oak"]


def test_a_ballot_that_gets_further_is_repeated_soon_however_long_that_took() -> None:
    """Promises were lost for a long time; that those who hold are not heard then costs one short pause, not a long."""
    company = started(five("elm"))
    company.lost = lambda letter: isinstance(letter.message, Promised)
    company["elm"].done("a")
    company.wait(4 * REPEAT_AFTER_S_MAX)
    company.lost = lambda letter: isinstance(letter.message, Held)
    while not company.said_by("elm", Hold):
        company.wait(REPEAT_AFTER_S)
    assert done(company) == []
    company.lost = lambda _: False
    company.wait(4 * REPEAT_AFTER_S)
    assert done(company) == list(FIVE)


def test_a_result_that_waits_for_voters_does_not_keep_its_run_from_ending_as_all_others_say() -> None:
    """One of two voters is gone for good, and the element has failed for good elsewhere meanwhile."""
    company = started(Company("ash", "elm", cpus=0.0))
    oak = company.add("oak")
    company.wait(MEETING_S + WINDOW_S)
    company.kill("ash")
    oak.done("a")
    company.wait(DEATH_S)
    assert len(oak.node.quorum) == 1
    failed = Elements({Failed(0, attempt(2), NodeId("elm"), 1): ranges("0")})
    oak.feed(Heard(NodeId("elm"), company["elm"].stamp(), Facts(states=((task("a").id, failed),))))
    company.settle()
    assert oak.node.queue.replica.runs[RUN].finished_at is not None
    company.boot("ash")
    company.wait(MEETING_S + REPEAT_AFTER_S_MAX)
    assert done(company) == ["ash", "elm", "oak"], "it counts after all, and the run stayed in memory for it"


def test_what_another_node_alone_decides_is_offered_also_when_its_results_are_not_kept_in_mind_any_more() -> None:
    """The only voter was away for so long that they were dropped; they are on both disks, and a second is to know."""
    company = started(Company("ash", cpus=0.0))
    elm = company.add("elm")
    company.wait(MEETING_S + WINDOW_S)
    company.kill("ash")
    elm.done("a")
    company.wait(DEATH_S)
    assert not any(keep.offers for keep in company.said_by("elm", Keep))
    company.boot("ash")
    company.wait(MEETING_S + REPEAT_AFTER_S_MAX)
    assert done(company) == ["ash", "elm"]
    assert any(keep.offers for keep in company.said_by("elm", Keep))


def test_a_result_that_an_earlier_life_of_the_only_voter_held_is_copied_when_others_decide_on_it() -> None:
    """It was alone then, and its power failed before the result counted; who decides on it now has lost the data."""
    company = started(Company("ash", cpus=1.0))
    ash = company["ash"]
    ash.slow_disk = True
    ash.done("a")
    while not any(vote.held for votes in ash.disk.votes.values() for vote in votes):
        ash.write()
    ash.slow_disk = False
    company.kill("ash")
    assert not isinstance(ash.state_on_disk("a"), Done)
    elm = company.add("elm", cpus=0.0)
    company.boot("ash")
    ash.feed(CapacityChanged(Capacity.of(0.0, 8 * GIB, "3.11"), GiveWay.GIVE_BACK))
    company.wait(MEETING_S + REPAIR_S)
    assert not elm.has_result("a")
    counts = Elements({Done(attempt(1), NodeId("ash")): ranges("0")})
    ash.feed(Heard(NodeId("elm"), elm.stamp(), Keep(7, Facts(), ((task("a").id, counts),))))
    company.wait(REPAIR_S)
    assert states(company) == {Done(attempt(1), NodeId("ash"))}, "what the voter held counts"
    assert elm.has_result("a")
