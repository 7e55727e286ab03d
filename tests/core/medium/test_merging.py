"""What others tell becomes part of what is known."""

from random import Random

import msgspec

from roost.core.events import Heard
from roost.core.facts import FailureNoted, ResultsStored, Worked
from roost.core.medium.merging import switched
from roost.core.mesh.anti_entropy.sifting import facts_of
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import NodeId, task_id
from roost.model.ranges import EMPTY
from roost.model.record import RunRecord, Switch
from roost.model.segments import pack
from roost.model.spans import Span
from roost.model.states import Cancelled, Done, Failed, Leased, Released
from roost.model.task import Failure
from roost.wire.messages import DoYouKnow, Facts, Keep, Message
from tests.core.company import RECORDS, REPAIR_S, WINDOW_S, Company, Letter, Member
from tests.core.harness import ASH, OTHER_RUN, RUN, edge, ranges, run_spec, task
from tests.tokens import attempt

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM, OAK = NodeId("elm"), NodeId("oak")


def hear(member: Member, message: Message, sender: str = "elm") -> None:
    """Let a node hear something that nobody has said."""
    member.feed(Heard(NodeId(sender), Stamp(1, 0, NodeId(sender)), message))


def brings_tasks(letter: Letter) -> bool:
    return isinstance(letter.message, Facts | Keep) and bool(facts_of(letter.message).tasks)


def running_on_elm(count: int = 1) -> Company:
    """Let elm run elements that were submitted on ash; the other two have no room."""
    company = Company("ash", "elm", "oak", cpus=float(count), no_room=["ash", "oak"])
    company["ash"].submit(task("a", count))
    company.wait(WINDOW_S)
    assert company["elm"].holders("a") == {"elm": str(ranges(f"0-{count - 1}"))}
    for member in company.living():
        member.seen()
    company.said.clear()
    return company


def result(elements: str, token: int = 1, maker: NodeId = ELM) -> Facts:
    wanted = ranges(elements)
    return Facts(results=((A, attempt(token), maker, pack(wanted.first, [b"x"] * len(wanted))),))


def test_who_takes_an_element_without_knowing_the_nodes_that_have_gone_down_with_it_is_told_of_them() -> None:
    company = running_on_elm()
    hear(company["ash"], Facts(states=((A, Elements({Released(0, attempt(9), ELM, 0, downed=(ELM,)): ranges("0")})),)))
    hear(company["ash"], Facts(states=((A, Elements({Leased(0, attempt(10), OAK, 0): ranges("0")})),)), "oak")
    assert company["ash"].state("a") == Leased(0, attempt(10), OAK, 0, downed=(ELM,))
    assert company["ash"].state_on_disk("a") == company["ash"].state("a")
    hear(company["ash"], Facts(states=((A, Elements({Leased(1, attempt(11), OAK, 0): ranges("0")})),)), "oak")
    assert company["ash"].state("a") == Leased(1, attempt(11), OAK, 0), "a person has forgiven it"


def test_what_has_failed_for_good_stays_so_though_somebody_who_has_not_heard_of_it_takes_it_again() -> None:
    company = running_on_elm()
    company["elm"].fail("a")
    company.settle()
    company.said.clear()
    hear(company["ash"], Facts(states=((A, Elements({Leased(0, attempt(9), OAK, 0): ranges("0")})),)), "oak")
    assert company["ash"].state_on_disk("a") == Failed(0, attempt(9), OAK, 1)
    company.settle()
    assert company["oak"].state_on_disk("a") == Failed(0, attempt(9), OAK, 1)


def test_what_is_taken_again_after_a_retry_has_not_failed() -> None:
    company = running_on_elm()
    company["elm"].fail("a")
    company.settle()
    later = Leased(1, attempt(9), OAK, 0)
    hear(company["ash"], Facts(states=((A, Elements({later: ranges("0")})),)), "oak")
    assert company["ash"].state("a") == later


def test_records_in_any_order_doubled_and_late_lead_to_the_same() -> None:
    for seed in range(3):
        chance = Random(seed)
        company = Company("ash", "elm", "oak")
        company["ash"].submit(task("a", 6), task("b", 6, edge("a")))
        kept: list[Letter] = []
        for _ in range(40):
            company.hold(0.05)
            letters = company.letters() + chance.sample(kept, min(len(kept), 5))
            chance.shuffle(letters)
            kept += company.letters(RECORDS)
            company.deliver(letters)
            for member in company.living():
                member.finish_all()
        company.wait(REPAIR_S)
        company.finish_all()
        company.wait(REPAIR_S)
        assert company.agree()
        assert {str(member.disk.ends[RUN].counts) for member in company.living()} == {"{'done': 12}"}


def test_elements_that_a_task_does_not_have_are_left_out() -> None:
    company = running_on_elm(2)
    oak = company["oak"]
    far = Elements({Done(attempt(5), ELM): ranges("1,7-900")})
    hear(oak, Facts(states=((A, far),)))
    hear(oak, Keep(9, Facts(), ((A, far),)))
    assert oak.node.queue.replica.tasks[A].elements.known() == ranges("0-1")


def test_what_a_node_says_of_itself_is_not_heard() -> None:
    company = running_on_elm()
    hear(company["elm"], Facts(states=((A, Elements({Cancelled(attempt(1)): ranges("0")})),)), sender="elm")
    assert company["elm"].holders("a") == {"elm": "0"}


def test_a_run_that_another_node_describes_otherwise_does_not_bring_this_one_down() -> None:
    company = running_on_elm()
    other = RunRecord(msgspec.structs.replace(run_spec(), name="something else"))
    hear(company["ash"], Facts(runs=(other,)))
    company.wait(1)
    assert company["ash"].node.queue.replica.runs[RUN].record.spec.name == "bench"


def test_why_an_element_failed_is_known_where_it_was_submitted() -> None:
    company = running_on_elm()
    company["elm"].fail("a", 0, "exit code 3")
    company.wait(REPAIR_S)
    noted = [fact.failure.reason for fact in company["ash"].facts if isinstance(fact, FailureNoted)]
    assert noted == ["exit code 3"]


def test_a_task_whose_record_was_lost_is_asked_for_when_something_names_it() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"))
    company.lost = lambda letter: letter.to == "oak" and brings_tasks(letter)
    company.settle()
    company.lost = lambda _: False
    assert not company["oak"].knows("a")
    company.wait(0.9)
    assert company.said_by("oak", DoYouKnow) == [DoYouKnow(A)]
    assert company["oak"].holders("a") == {"elm": "0"}


def test_a_task_whose_source_is_missing_is_left_out_and_the_source_asked_for() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "elm", "oak"])
    company["ash"].submit(task("a"), stays_open=True)
    company.lost = lambda letter: letter.to == "oak"
    company.settle()
    company.lost = lambda _: False
    company["ash"].submit(task("b", 1, edge("a")), stays_open=True)
    company.settle()
    assert not company["oak"].knows("b")
    company.wait(REPAIR_S)
    assert company.said_by("oak", DoYouKnow)[0] == DoYouKnow(A)
    assert company["oak"].knows("a")
    assert company["oak"].knows("b")


def test_what_became_of_a_run_is_told_in_words() -> None:
    bare = RunRecord(run_spec(OTHER_RUN))
    on, off = (Switch(Stamp(at, 0, ASH), on=at == 5) for at in (5, 6))
    sealed = RunRecord(bare.spec, sealed=on)
    assert switched(None, bare) == ["added"]
    assert switched(None, sealed) == ["added", "sealed"]
    assert switched(bare, sealed) == ["sealed"]
    assert switched(sealed, RunRecord(bare.spec, suspended=on, sealed=on)) == ["suspended"]
    assert switched(RunRecord(bare.spec, suspended=on), RunRecord(bare.spec, suspended=off)) == ["resumed"]
    assert switched(sealed, sealed) == []


def test_results_and_items_of_elements_that_a_task_does_not_have_are_not_taken() -> None:
    company = running_on_elm(2)
    oak = company["oak"]
    hear(oak, result("1-2"))
    hear(oak, Facts(items=((A, pack(0, [b"x"] * 5)),)))
    hear(oak, Facts(failures=((A, 7, attempt(1), Failure("no")),)))
    assert (oak.disk.holdings(A).results, oak.disk.holdings(A).items) == ((), EMPTY)
    assert not [fact for fact in oak.facts if isinstance(fact, FailureNoted)]
    hear(oak, result("0-1"))
    assert oak.disk.holdings(A).results == ((attempt(1), ELM, ranges("0-1")),)


def test_what_is_here_is_not_written_once_more() -> None:
    company = running_on_elm(2)
    oak = company["oak"]
    for _ in range(2):
        hear(oak, result("0-1"))
    assert len([fact for fact in oak.facts if isinstance(fact, ResultsStored)]) == 1


def test_results_of_what_has_left_memory_are_taken() -> None:
    company = running_on_elm()
    company["elm"].done("a")
    company.wait(REPAIR_S)
    company.kill("oak")
    company.boot("oak")
    oak = company["oak"]
    assert not oak.knows("a"), "the run is over, and a new life begins without it"
    assert not oak.has_result("a")
    hear(oak, result("0", maker=ELM))
    assert oak.has_result("a")


def test_data_that_a_full_disk_refused_is_not_here_until_it_is_written_again() -> None:
    company = running_on_elm(2)
    oak = company["oak"]
    oak.slow_disk = True
    hear(oak, Facts(states=((A, Elements({Done(attempt(1), ELM): ranges("0-1")})),)))
    oak.write_all()
    hear(oak, result("0-1"))
    assert oak.node.inventory.results(A) == ranges("0-1")
    oak.refuse()
    assert oak.node.inventory.results(A) == EMPTY
    oak.slow_disk = False
    company.wait(2)
    assert oak.has_result("a", 0)
    assert oak.has_result("a", 1)


def test_when_and_where_something_ran_is_kept_with_its_results() -> None:
    company = running_on_elm()
    company["ash"].facts.clear()
    company["elm"].done("a", "0")
    company.wait(WINDOW_S)
    [kept] = [fact.span for fact in company["ash"].facts if isinstance(fact, Worked)]
    assert (kept.task, kept.node, kept.elements, kept.failed) == (A, "elm", 1, 0)


def test_when_and_where_an_unknown_task_ran_is_left_out() -> None:
    company = Company("ash", "elm")
    company["ash"].facts.clear()
    hear(company["ash"], Keep(9, Facts(), worked=(Span(B, ELM, 0, 1.0, 2.0, 1.0, 1, 0, 0, 0),)))
    assert company["ash"].facts == []
