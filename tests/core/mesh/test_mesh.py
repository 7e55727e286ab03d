"""The node among others: it hears them, follows who lives, and has its work kept by them."""

from itertools import combinations

import pytest

from roost.core.actions import Accepted, Send
from roost.core.data.fetch import PATIENCE_S, RETRY_S
from roost.core.data.write_acknowledgement import REPEAT_AFTER_S, REPEATS_MAX
from roost.core.events import CapacityChanged, Heard, Moved, Started
from roost.core.facts import StoryTold
from roost.core.mesh.anti_entropy.unknown_tasks import Strategy
from roost.model.clock import Stamp
from roost.model.hashing import rendezvous
from roost.model.ids import BlobHash, NodeId, task_id
from roost.model.limits import RECORDS_TASKS_MAX
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.states import Done
from roost.wire.messages import (
    AlreadyFinished,
    BucketDigests,
    Candidacy,
    DoYouKnow,
    Fetch,
    Heartbeat,
    Hello,
    Kept,
    Message,
    Records,
    RunDigests,
    StartElection,
    TasksTransfer,
    WhoIsMaster,
)
from tests.core.company import DEATH_S, MEETING_S, REPAIR_S, WINDOW_S, Company, Letter, Member
from tests.core.harness import ASH, OTHER_RUN, RUN, Bench, edge, task
from tests.tokens import attempt

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM = NodeId("elm")
LARGE = b"x" * 20_000


def hear(member: Member | Bench, message: Message, sender: str = "elm") -> None:
    """Let a node hear something that nobody has said."""
    member.feed(Heard(NodeId(sender), Stamp(1, 0, NodeId(sender)), message))


def is_copy(letter: Letter) -> bool:
    return isinstance(letter.message, Records) and bool(letter.message.keep)


def keepers(company: Company, name: str) -> list[str]:
    """Return whom a node asks to keep something, by the letters that wait."""
    return [letter.to for letter in company.letters(of=name) if is_copy(letter)]


def ended(company: Company) -> Company:
    """Let a run of two elements end, and leave the memory of all; afterwards only the disks know it."""
    company["ash"].submit(task("a", 2))
    company.finish_all()
    company["ash"].submit(task("x", run=OTHER_RUN))
    company.finish_all()
    assert not any(member.knows("a") for member in company.living())
    for member in company.living():
        member.seen()
    company.said.clear()
    return company


# Alone.


def test_alone_a_node_says_hello_and_nothing_else() -> None:
    company = Company("ash")
    company["ash"].submit(task("a", 3))
    company.finish_all()
    company.wait(10)
    assert {type(message) for _, message in company.said} == {Hello}
    assert company["ash"].disk.ends[RUN].counts == {"done": 3}


def test_alone_a_submission_is_answered_at_once() -> None:
    company = Company("ash")
    assert company["ash"].submit(task("a", 3)) == Accepted(elements=3)


def test_without_a_network_a_node_hears_and_says_nothing() -> None:
    bench = Bench(task("a"))
    hear(bench, Records())
    hear(bench, TasksTransfer())
    assert bench.seen() == []
    assert bench.node.next_deadline() is None
    assert not [action for action in Bench().node.handle(Started(), 1.0) if isinstance(action, Send)]


# A submission is kept by another node before it is answered.


def test_a_submission_is_answered_only_when_another_node_keeps_it() -> None:
    company = Company("ash", "elm")
    elm = company["elm"]
    assert company["ash"].submit(task("a")) is None
    elm.slow_disk = True
    company.settle()
    assert company["ash"].answer("submit") is None, "it is on one disk only"
    elm.write_all()
    company.settle()
    assert company["ash"].answer("submit") == Accepted(elements=1)
    assert A in elm.disk.tasks


def test_the_keeper_has_everything_large_inputs_too() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(task("a", has_items=True), items=((A, pack(0, [LARGE])),))
    company.settle()
    assert company["elm"].disk.items[A][0].values() == [LARGE]


def test_a_keeper_that_does_not_answer_is_asked_again_and_then_another() -> None:
    company = Company("ash", "elm", "oak", no_room=["elm", "oak"])
    asked: list[str] = []

    def never_arrives(letter: Letter) -> bool:
        if is_copy(letter):
            asked.append(letter.to)
        return is_copy(letter)

    company.lost = never_arrives
    company["ash"].submit(task("a"))
    company.wait(6)
    first, second = asked[0], asked[REPEATS_MAX]
    assert asked[: REPEATS_MAX + 1] == [first] * REPEATS_MAX + [second]
    assert {first, second} == {"elm", "oak"}
    assert company["ash"].answer("submit") is None
    company.lost = lambda _: False
    company.wait(6)
    assert company["ash"].answer("submit") == Accepted(elements=1)


def test_a_confirmation_that_was_lost_comes_with_the_next_question() -> None:
    company = Company("ash", "elm")
    company.lost = lambda letter: isinstance(letter.message, Kept)
    company["ash"].submit(task("a"))
    company.settle()
    assert company["ash"].answer("submit") is None
    company.lost = lambda _: False
    company.wait(REPEAT_AFTER_S + 0.1)
    assert company["ash"].answer("submit") == Accepted(elements=1)
    assert company["elm"].seen().count("tell run 1-bababa added") == 1


def test_a_keeper_that_dies_is_replaced() -> None:
    company = Company("ash", "elm", "oak", no_room=["elm", "oak"])
    company["ash"].submit(task("a"))
    [first] = keepers(company, "ash")
    company.kill(first)
    company.wait(DEATH_S)
    assert company["ash"].answer("submit") == Accepted(elements=1)
    [other] = {"elm", "oak"} - {first}
    assert A in company[other].disk.tasks


def test_a_keeper_that_says_goodbye_is_replaced_at_once() -> None:
    company = Company("ash", "elm", "oak", no_room=["elm", "oak"])
    company["ash"].submit(task("a"))
    [first] = keepers(company, "ash")
    company.lose(company.letters(Records))
    company.leave(first)
    company.settle()
    assert company["ash"].answer("submit") == Accepted(elements=1)


def test_when_nobody_is_left_to_keep_it_this_disk_has_to_do() -> None:
    company = Company("ash", "elm")
    company["ash"].submit(task("a"))
    company.kill("elm")
    company.wait(DEATH_S)
    assert company["ash"].answer("submit") == Accepted(elements=1)
    assert company["ash"].runs() == ["a[0]"]


# A result is kept by the submitter before it counts.


NAMES = ("ash", "elm", "fir", "oak", "yew")


def answered_at_once(safe: int) -> Company:
    """Hand something in, and let only those disks write it that it takes for an answer."""
    company = Company(*NAMES, no_room=NAMES)
    for member in company.living():
        member.slow_disk = True
    company["ash"].submit(task("a", 3), safe=safe)
    company["ash"].write_all()
    keepers = [letter.to for letter in company.letters(Records) if getattr(letter.message, "keep", 0)]
    company.settle()
    for name in keepers:
        assert company["ash"].answer("submit") is None
        company[name].write_all()
        company.settle()
    answer = company["ash"].answer("submit")
    assert isinstance(answer, Accepted)
    assert not any("disk" in warning for warning in answer.warnings)
    return company


def survives(company: Company, lost: tuple[str, ...]) -> bool:
    """Cut the power everywhere, lose some disks for good, and say whether the submission is on all that are left."""
    for name in lost:
        company.kill(name)
    company.waiting.clear()
    for member in company.living():
        member.slow_disk = False
        company.boot(member.name)
    company.wait(DEATH_S + REPAIR_S)
    return all(member.knows("a") for member in company.living())


@pytest.mark.parametrize("safe", [2, 3, 4])
def test_what_is_safe_on_so_many_disks_outlives_the_loss_of_all_but_one_of_them(safe: int) -> None:
    """design.md, Durability: --safe N asks for more."""
    for lost in combinations(NAMES, safe - 1):
        assert survives(answered_at_once(safe), lost), f"without {lost}"


def test_what_nobody_asked_to_be_safer_is_on_two_disks_and_may_go_with_both() -> None:
    assert not all(survives(answered_at_once(0), lost) for lost in combinations(NAMES, 2))


def test_if_there_are_fewer_nodes_than_are_wanted_the_answer_says_on_how_many_disks_it_is() -> None:
    company = Company("ash", "elm", "oak")
    company["ash"].submit(task("a"), safe=5)
    company.settle()
    warning = "it is on 3 disks and not on 5, because no more nodes are there"
    assert company["ash"].answer("submit") == Accepted((warning,), elements=1)
    alone = Company("ash")
    alone["ash"].submit(task("a"), safe=2)
    warning = "it is on 1 disk and not on 2, because no more nodes are there"
    assert alone["ash"].answer("submit") == Accepted((warning,), elements=1)


def test_a_keeper_that_dies_before_it_has_confirmed_is_replaced_or_missed_in_the_answer() -> None:
    company = Company("ash", "elm", "oak")
    company["oak"].slow_disk = True
    company["ash"].submit(task("a"), safe=3)
    company.settle()
    assert company["ash"].answer("submit") is None
    company.kill("oak")
    company.wait(DEATH_S)
    answer = company["ash"].answer("submit")
    assert isinstance(answer, Accepted)
    assert answer.warnings == ("it is on 2 disks and not on 3, because no more nodes are there",)


def test_a_result_counts_when_the_node_where_it_was_submitted_keeps_it() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"), task("b", 1, edge("a")))
    company.wait(WINDOW_S)
    company["elm"].done("a")
    assert keepers(company, "elm") == ["ash"]
    assert company["elm"].holders("a") == {"elm": "0"}
    assert company["elm"].states("b") == {"waiting": "0"}
    company.settle()
    assert company["elm"].states("a") == {"done": "0"}
    assert company["ash"].has_result("a")


def test_the_death_of_its_maker_costs_no_accepted_result() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"), task("b", 1, edge("a")))
    company.wait(WINDOW_S)
    company["elm"].done("a")
    company.settle()
    company.kill("elm")
    company.add("fir")
    company.wait(DEATH_S + REPAIR_S)
    assert company.runs() == {"fir": ["b[0]"]}, "the result of a was fetched from ash"
    assert company["fir"].has_result("a")


def test_the_result_of_a_submitter_that_is_away_goes_to_another_node() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    company.kill("ash")
    company.wait(DEATH_S)
    company["elm"].done("a")
    company.settle()
    assert company["oak"].has_result("a")
    assert company["elm"].state_on_disk("a") == Done(attempt(1), ELM)


def test_a_finished_result_is_offered_again_when_its_keeper_dies() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    company["elm"].done("a")
    company.lose(company.letters(Records))
    company.kill("ash")
    company.wait(DEATH_S)
    assert company["oak"].has_result("a")


# Data.


def test_data_is_asked_of_the_likeliest_holder_first_and_then_of_the_others() -> None:
    """oak goes on with what elm has made for ash: ash keeps it, elm has it, and fir would be the run's next keeper."""
    assert rendezvous(OTHER_RUN, "fir") > rendezvous(OTHER_RUN, "elm")
    company = Company("ash", "elm", "fir", "oak", no_room=["ash", "fir", "oak"])
    company["ash"].submit(task("a", run=OTHER_RUN), task("b", 1, edge("a", run=OTHER_RUN), run=OTHER_RUN))
    company.wait(WINDOW_S)
    company["elm"].feed(CapacityChanged(Capacity(0.0, 0, "3.11")))
    company["elm"].done("a", run=OTHER_RUN)
    company.settle()
    asked: list[str] = []

    def never_arrives(letter: Letter) -> bool:
        if isinstance(letter.message, Fetch):
            asked.append(letter.to)
        return isinstance(letter.message, Fetch)

    company.lost = never_arrives
    company["oak"].feed(CapacityChanged(Capacity(1.0, 0, "3.11")))
    company.wait(3 * PATIENCE_S + 1)
    assert asked == ["ash", "elm", "fir"]
    assert company["oak"].runs() == []
    company.lost = lambda _: False
    company.wait(RETRY_S + 1)
    assert company["oak"].runs() == ["b[0]"]
    assert company["oak"].has_result("a", run=OTHER_RUN)


def test_who_is_asked_for_data_answers_with_all_that_it_has() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(task("a", has_items=True), items=((A, pack(0, [LARGE])),))
    company.wait(1)
    hear(company["ash"], Fetch(5, items=((A, company["ash"].node.replica.tasks[A].spec.elements),)))
    [answer] = [records for records in company.said_by("ash", Records) if records.answers]
    assert (answer.answers, answer.items[0][1].values()) == (5, [LARGE])
    hear(company["ash"], Fetch(6, blobs=(BlobHash("c0de"),)))
    assert company.said_by("ash", Records)[-1] == Records(answers=6)


# Who has left memory.


def test_what_has_left_memory_is_looked_up_before_a_message_about_it_is_taken() -> None:
    company = ended(Company("ash", "elm"))
    ash = company["ash"]
    late = Records(states=((A, ash.disk.tasks[A].elements),))
    hear(ash, late)
    assert ash.disk.ends[RUN].counts == {"done": 2}
    assert company.said_by("ash", DoYouKnow) == []
    company.wait(REPAIR_S)
    assert company.agree()


def test_a_question_about_a_task_that_has_ended_is_answered_so_from_disk() -> None:
    company = ended(Company("ash", "elm"))
    company.said.clear()
    hear(company["ash"], DoYouKnow(A))
    company.wait(1)
    assert company.said_by("ash", AlreadyFinished) == [AlreadyFinished(A)]


def test_a_question_about_a_task_that_goes_on_is_answered_with_its_records() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(task("a"))
    company.wait(1)
    company.said.clear()
    hear(company["ash"], DoYouKnow(A))
    company.wait(1)
    [told] = company.said_by("ash", Records)
    assert [spec.id for spec in told.tasks] == [A]


def test_of_all_who_know_a_task_that_goes_on_one_tells_it() -> None:
    names = ("ash", "elm", "fir", "oak", "yew")
    company = Company(*names, no_room=names)
    company["ash"].submit(task("a"))
    company.wait(1)
    company.said.clear()
    for name in names:
        hear(company[name], DoYouKnow(A), "bay")
    company.wait(REPAIR_S)
    assert sum(len(company.said_by(name, Records)) for name in names) == 1


def test_a_node_that_never_wants_unknown_tasks_waits_for_anti_entropy() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"], strategy=Strategy.NEVER)
    company["ash"].submit(task("a"), stays_open=True)
    company.lose(company.waiting)
    company["ash"].cancel(a="0")
    company.wait(REPAIR_S)
    assert company.said_by("elm", DoYouKnow) == []
    assert company["elm"].knows("a")


# Newcomers and digests.


def test_a_newcomer_asks_the_coordinator_for_everything() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(task("a", 5))
    company.wait(1)
    company.add("oak", cpus=0.0)
    company.wait(MEETING_S)
    assert company.said_by("oak", TasksTransfer) == [TasksTransfer()]
    assert company["oak"].knows("a")


def test_a_newcomer_that_nobody_answers_learns_everything_by_digests() -> None:
    company = ended(Company("ash", "elm"))
    company.lost = lambda letter: isinstance(letter.message, TasksTransfer)
    company.add("oak", cpus=0.0)
    company.wait(MEETING_S + REPAIR_S)
    assert company.agree()
    assert company["oak"].disk.ends[RUN].counts == {"done": 2}


def test_what_has_left_memory_reaches_a_newcomer_as_well() -> None:
    company = ended(Company("ash", "elm"))
    company.add("oak", cpus=0.0)
    company.wait(MEETING_S + REPAIR_S)
    assert company["oak"].disk.ends[RUN].counts == {"done": 2}
    assert company.agree()


def test_everything_of_a_large_run_travels_in_pieces() -> None:
    company = Company("ash", no_room=["ash"])
    company["ash"].submit(*(task(f"t{number}") for number in range(RECORDS_TASKS_MAX + 5)))
    company.add("elm", cpus=0.0)
    company.wait(MEETING_S)
    sizes = [len(records.tasks) for records in company.said_by("ash", Records)]
    assert max(sizes) == RECORDS_TASKS_MAX
    assert len(company["elm"].node.replica.tasks) == RECORDS_TASKS_MAX + 5


def test_replicas_that_differ_exchange_what_either_lacks() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "elm", "oak"])
    company.cut("oak")
    company.wait(DEATH_S)
    company["ash"].submit(task("a"))
    company["oak"].submit(task("b", run=OTHER_RUN, submitted=company["oak"].stamp()))
    company.wait(1)
    company.heal()
    company.wait(DEATH_S + REPAIR_S)
    assert company.agree()
    assert all(member.knows("a") and member.knows("b", OTHER_RUN) for member in company.living())


def test_who_agrees_does_not_compare() -> None:
    company = ended(Company("ash", "elm", "oak"))
    company.wait(10)
    compared = [message for _, message in company.said if isinstance(message, BucketDigests | RunDigests)]
    assert compared == []


def test_a_run_of_which_tasks_are_missing_is_not_called_finished() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"), stays_open=True)
    company.wait(WINDOW_S)
    company.lost = lambda letter: letter.to == "oak" and not isinstance(letter.message, Heartbeat)
    company["ash"].submit(task("b"), stays_open=True)
    company.settle()
    company.lost = lambda _: False
    company["ash"].seal()
    company["elm"].done("a")
    company.settle()
    oak = company["oak"]
    assert oak.states("a") == {"done": "0"}
    assert not oak.knows("b")
    assert RUN not in oak.disk.ends
    company.finish_all()
    company.wait(REPAIR_S)
    assert {str(member.disk.ends[RUN].counts) for member in company.living()} == {"{'done': 2}"}


# Who comes and goes.


def test_heartbeats_name_everything_that_a_node_has_in_hands() -> None:
    company = Company("ash", "elm", cpus=2, no_room=["ash"])
    company["ash"].submit(task("a", 2))
    company.wait(WINDOW_S)
    company.lost = is_copy
    company["elm"].done("a", "0")
    company.wait(1)
    leases = company.said_by("elm", Heartbeat)[-1].leases
    assert [(str(lease.ranges), lease.fraction) for lease in leases] == [("1", 0.0), ("0", 1.0)]


def test_the_death_of_a_holder_is_told_in_the_story_of_its_task() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    company.kill("elm")
    company.wait(DEATH_S)
    told = [fact.what for fact in company["ash"].facts if isinstance(fact, StoryTold)]
    assert told[-1] == "ready again: elm fell silent"


def test_one_coordinator_is_left_and_another_follows_when_it_dies() -> None:
    company = Company("ash", "elm", "oak")
    claims = {member.node.mesh.election.claim for member in company.living()}
    [claim] = claims
    assert claim is not None
    company.kill(claim.node)
    company.wait(DEATH_S)
    company.add("fir")
    company.wait(2 * MEETING_S)
    [after] = {member.node.mesh.election.claim for member in company.living()}
    assert after is not None
    assert after.node != claim.node


def test_late_words_of_an_election_change_nothing() -> None:
    company = Company("ash", "elm", "oak")
    [claim] = {member.node.mesh.election.claim for member in company.living()}
    for message in (Candidacy(9, 9, Stamp(1, 0, ELM)), StartElection(), WhoIsMaster()):
        for member in company.living():
            hear(member, message, sender="elm")
    company.wait(MEETING_S)
    assert {member.node.mesh.election.claim for member in company.living()} == {claim}


def test_what_another_node_runs_is_seen_as_running_here() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a", 3))
    company.wait(1)
    assert company["elm"].states("a") == {"ready": "1-2", "running": "0"}
    assert company["ash"].states("a") == {"ready": "1-2", "running": "0"}


def test_a_whole_workflow_runs_on_three_nodes_and_ends_alike_everywhere() -> None:
    company = Company("ash", "elm", "oak", cpus=2)
    company["ash"].submit(task("a", 20), task("b", 20, edge("a")), task("c", 1, edge("b", "all")))
    company.finish_all()
    company.wait(REPAIR_S)
    assert {str(member.disk.ends[RUN].counts) for member in company.living()} == {"{'done': 41}"}
    assert company.agree()
    makers = {state.node for state, _ in company["ash"].disk.tasks[A].elements.items() if isinstance(state, Done)}
    assert makers == {ASH, ELM, "oak"}


def test_the_tables_that_others_can_fill_are_counted_beside_their_limits() -> None:
    company = Company("ash", "elm")
    sizes = company["ash"].node.sizes()
    assert sizes["members"][0] == 1
    assert all(0 <= size <= limit for size, limit in sizes.values())


def test_a_node_that_moves_is_known_at_its_new_address() -> None:
    company = Company("ash", "elm")
    company["ash"].feed(Moved("10.0.0.9:47801"))
    company.settle()
    members = company["elm"].node.mesh.members
    assert members is not None
    ash = members.member(NodeId("ash"))
    assert ash is not None
    assert ash.news.address == "10.0.0.9:47801"
