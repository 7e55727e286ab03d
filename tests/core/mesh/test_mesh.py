"""The node among others: it hears them, follows who lives, and has its work kept by them."""

from roost.core.actions import Accepted, Send
from roost.core.events import CapacityChanged, Heard, Moved, Started
from roost.core.facts import StoryTold
from roost.core.peers import EXPECT_S
from roost.model.clock import Stamp
from roost.model.happenings import HowLost, NodeLost
from roost.model.ids import NodeId, task_id
from roost.model.limits import RECORDS_TASKS_MAX
from roost.model.resources import Capacity
from roost.model.states import Done
from roost.model.task import Needs
from roost.wire.messages import (
    BucketDigests,
    Candidacy,
    DoYouKnow,
    Facts,
    Heartbeat,
    Hello,
    Message,
    RunDigests,
    StartElection,
    TasksTransfer,
    WhoIsMaster,
)
from tests.core.company import DEATH_S, MEETING_S, REPAIR_S, WINDOW_S, Company, Member
from tests.core.harness import ASH, OTHER_RUN, RUN, Bench, edge, task

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM = NodeId("elm")
LARGE = b"x" * 20_000


def hear(member: Member | Bench, message: Message, sender: str = "elm") -> None:
    """Let a node hear something that nobody has said."""
    member.feed(Heard(NodeId(sender), Stamp(1, 0, NodeId(sender)), message))


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


def test_after_a_restart_a_node_begins_nothing_until_it_has_heard_those_who_were_there_or_waited_for_them() -> None:
    """They may be at work on what its journal says was lost with its last life."""
    company = Company("ash", "elm", no_room=["elm"])
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    for name in ("ash", "elm"):
        company.kill(name)
    company.boot("ash")
    company.wait(EXPECT_S / 2)
    assert company.runs() == {}
    (line,) = company["ash"].node.explanations.explain(A, None)
    assert line.endswith("this node leaves it for now: others are expected in a moment, and may have it")
    company.wait(EXPECT_S)
    assert company.runs() == {"ash": ["a[0]"]}


def test_alone_a_node_says_hello_and_nothing_else() -> None:
    company = Company("ash")
    company["ash"].submit(task("a", 3))
    company.finish_all()
    company.wait(10)
    assert {type(message) for _, message in company.said} == {Hello}
    assert company["ash"].disk.ends[RUN].counts == {"done": 3}


def test_without_a_network_a_node_hears_and_says_nothing() -> None:
    bench = Bench(task("a"))
    hear(bench, Facts())
    hear(bench, TasksTransfer())
    assert bench.seen() == []
    assert bench.node.next_deadline() is None
    assert not [action for action in Bench().node.handle(Started(), 1.0) if isinstance(action, Send)]


# A submission is kept by another node before it is answered.


# A result is kept by the submitter before it counts.


# Data.


# Who has left memory.


def test_what_has_left_memory_is_looked_up_before_a_message_about_it_is_taken() -> None:
    company = ended(Company("ash", "elm"))
    ash = company["ash"]
    late = Facts(states=((A, ash.disk.tasks[A].elements),))
    hear(ash, late)
    assert ash.disk.ends[RUN].counts == {"done": 2}
    assert company.said_by("ash", DoYouKnow) == []
    company.wait(REPAIR_S)
    assert company.agree()


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
    sizes = [len(records.tasks) for records in company.said_by("ash", Facts)]
    assert max(sizes) == RECORDS_TASKS_MAX
    assert len(company["elm"].node.queue.replica.tasks) == RECORDS_TASKS_MAX + 5


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


def test_the_death_of_a_holder_is_told_in_the_story_of_its_task() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    company.kill("elm")
    company.wait(DEATH_S)
    told = [fact.what for fact in company["ash"].facts if isinstance(fact, StoryTold)]
    assert told[-1] == NodeLost(NodeId("elm"), HowLost.SILENT, (NodeId("elm"),))


def test_one_coordinator_is_left_and_another_follows_when_it_dies() -> None:
    company = Company("ash", "elm", "oak")
    claims = {member.node.medium.election.claim for member in company.living()}
    [claim] = claims
    assert claim is not None
    company.kill(claim.node)
    company.wait(DEATH_S)
    company.add("fir")
    company.wait(2 * MEETING_S)
    [after] = {member.node.medium.election.claim for member in company.living()}
    assert after is not None
    assert after.node != claim.node


def test_late_words_of_an_election_change_nothing() -> None:
    company = Company("ash", "elm", "oak")
    [claim] = {member.node.medium.election.claim for member in company.living()}
    for message in (Candidacy(9, 9, Stamp(1, 0, ELM)), StartElection(), WhoIsMaster()):
        for member in company.living():
            hear(member, message, sender="elm")
    company.wait(MEETING_S)
    assert {member.node.medium.election.claim for member in company.living()} == {claim}


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
    members = company["elm"].node.medium.members
    assert members is not None
    ash = members.member(NodeId("ash"))
    assert ash is not None
    assert ash.news.address == "10.0.0.9:47801"


def test_heartbeats_leave_out_most_of_what_a_node_has() -> None:
    company = Company("ash", "elm")
    company.wait(MEETING_S)
    programs = tuple(f"program-{number}" for number in range(1_000))
    offers = Capacity({"cpus": 2.0}, {"os": "linux", "python": "3.11", "programs": programs})
    company["ash"].feed(CapacityChanged(offers))
    company.said.clear()
    company.wait(3)
    beats = [beat for sender, beat in company.said if isinstance(beat, Heartbeat) and beat.node == "ash"]
    assert beats
    assert {tuple(beat.offers.attributes.items()) for beat in beats} == {(("python", "3.11"),)}


def test_a_task_goes_to_the_only_node_that_is_what_it_requires() -> None:
    company = Company("ash", "elm", "oak")
    for name, attributes in (("ash", {"tags": ("lab",)}), ("elm", {"tags": ("lab", "quiet")}), ("oak", {})):
        company[name].feed(CapacityChanged(Capacity({"cpus": 2.0}, attributes)))
    company["ash"].submit(task("a", 3, needs=Needs(condition='"quiet" in tags')))
    company.finish_all()
    makers = [company["ash"].state_on_disk("a", index) for index in range(3)]
    assert [state.node for state in makers if isinstance(state, Done)] == ["elm"] * 3


def test_what_another_node_can_run_is_no_warning_where_it_is_handed_in() -> None:
    company = Company("ash", "elm")
    company["elm"].feed(CapacityChanged(Capacity({"cpus": 4.0})))
    company.wait(MEETING_S)
    company["ash"].seen()
    company["ash"].submit(task("a", cpus=3.0), task("b", cpus=5.0))
    company.settle()
    assert company["ash"].answer("submit") == Accepted((f"'{B}' will wait: it needs 5 CPUs and this node offers 1",), 2)
