"""What changes here is told to all, and what others tell is merged."""

import pytest

from roost.core.events import Heard
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import NodeId, task_id
from roost.model.segments import pack
from roost.model.states import Cancelled, Done
from roost.wire.messages import Audit, Bid, DoYouKnow, Facts, Keep, Kept, Message
from tests.core.company import RECORDS, REPAIR_S, WINDOW_S, Company, Letter, Member
from tests.core.harness import RUN, edge, ranges, task
from tests.tokens import attempt

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM, OAK = NodeId("elm"), NodeId("oak")


def hear(member: Member, message: Message, sender: str = "elm") -> None:
    """Let a node hear something that nobody has said."""
    member.feed(Heard(NodeId(sender), Stamp(1, 0, NodeId(sender)), message))


def is_copy(letter: Letter) -> bool:
    return isinstance(letter.message, Keep | Audit)


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


# Out.


def test_what_is_asked_again_while_it_goes_to_the_disk_is_written_once() -> None:
    company = running_on_elm()
    company["ash"].slow_disk = True
    company["elm"].done("a")
    (copy,) = [letter for letter in company.letters(RECORDS, to="ash") if is_copy(letter)]
    company.deliver([copy])
    tickets = len(company["ash"].node.tickets._waiting)
    hear(company["ash"], copy.message)
    assert len(company["ash"].node.tickets._waiting) == tickets
    company["ash"].write_all()
    hear(company["ash"], copy.message)
    company["ash"].write_all()
    assert len(company.said_by("ash", Kept)) == 2, "the first word may have been lost"


# In.


def test_what_others_tell_is_merged_at_once_and_told_when_it_is_on_disk() -> None:
    company = Company("ash", "elm", "oak", no_room=["elm", "oak"])
    oak = company["oak"]
    oak.slow_disk = True
    company["ash"].submit(task("a", 2))
    company.lost = is_copy
    company.settle()
    assert oak.knows("a")
    assert A not in oak.disk.tasks
    assert oak.seen() == []
    oak.write_all()
    assert oak.seen() == ["tell run 1-bababa added", "tell run 1-bababa sealed"]
    assert A in oak.disk.tasks


def test_what_has_been_overtaken_on_its_way_to_the_disk_is_not_told() -> None:
    company = running_on_elm()
    oak = company["oak"]
    oak.slow_disk = True
    hear(oak, Facts(states=((A, Elements({Cancelled(attempt(1)): ranges("0")})),)))
    hear(oak, Facts(states=((A, Elements({Done(attempt(1), ELM): ranges("0")})),)))
    oak.write_all()
    assert [line for line in oak.seen() if line.startswith("tell a")] == ["tell a[0] done"]


# Tasks that are not known.


def test_lost_records_are_not_repeated_and_digests_repair_them() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(task("x"))
    company.wait(1)
    company.lost = lambda letter: isinstance(letter.message, RECORDS)
    company["ash"].cancel(x="0")
    company.settle()
    company.lost = lambda _: False
    assert not company.agree()
    company.wait(REPAIR_S)
    assert company.agree()
    assert isinstance(company["elm"].state_on_disk("x"), Cancelled)


# Keeping and accepting.


def test_what_is_finished_is_accepted_when_the_keeper_has_it_on_disk() -> None:
    company = running_on_elm()
    ash = company["ash"]
    ash.slow_disk = True
    company["elm"].done("a")
    company.settle()
    assert ash.holders("a") == {"elm": "0"}
    assert company.said_by("ash", Kept) == []
    ash.write_all()
    company.settle()
    assert [kept.refused for kept in company.said_by("ash", Kept)] == [()]
    for member in company.living():
        assert member.state_on_disk("a") == Done(attempt(1), ELM)
        assert "tell a[0] done" in member.seen()
    assert ash.has_result("a")


def test_what_the_keeper_could_not_write_is_written_later_and_then_accepted() -> None:
    company = running_on_elm()
    ash = company["ash"]
    ash.slow_disk = True
    company["elm"].done("a")
    company.settle()
    ash.refuse()
    assert company.said_by("ash", Kept) == []
    ash.slow_disk = False
    company.wait(REPAIR_S)
    assert ash.has_result("a")
    assert company["elm"].state_on_disk("a") == Done(attempt(1), ELM)


def test_an_offer_that_comes_twice_is_confirmed_twice_and_accepted_once() -> None:
    company = running_on_elm()
    company["elm"].done("a")
    [offer] = company.letters(RECORDS, to="ash")
    for _ in range(2):
        company.arrive(offer)
    company.settle()
    assert [kept.refused for kept in company.said_by("ash", Kept)] == [(), (), ()]
    assert company["ash"].seen().count("tell a[0] done") == 1


def test_an_offer_for_an_element_that_has_another_accepted_result_is_refused() -> None:
    company = running_on_elm()
    company["elm"].done("a")
    company.settle()
    rival = Done(attempt(1), OAK)
    hear(company["ash"], offered(rival), sender="oak")
    kept = company.said_by("ash", Kept)[-1]
    assert (kept.number, kept.refused) == (7, ((A, ranges("0")),))
    assert company["ash"].state_on_disk("a") == Done(attempt(1), ELM)


def offered(state: Done, elements: str = "0") -> Keep:
    """Make what a node sends that wants elements accepted."""
    segments = tuple(pack(start, [b"y"] * (stop - start)) for start, stop in ranges(elements).spans())
    results = tuple((A, state.token, state.node, segment) for segment in segments)
    return Keep(7, Facts(results=results), ((A, Elements({state: ranges(elements)})),))


@pytest.mark.parametrize("first_refused", [False, True])
def test_while_one_result_is_on_its_way_to_the_disk_another_is_refused(first_refused: bool) -> None:
    company = running_on_elm()
    ash = company["ash"]
    ash.slow_disk = True
    hear(ash, offered(Done(attempt(1), ELM)), sender="elm")
    hear(ash, offered(Done(attempt(1), OAK)), sender="oak")
    if first_refused:
        ash.refuse()
    ash.slow_disk = False
    ash.write_all()
    company.hold(REPAIR_S)
    assert sorted(kept.refused for kept in company.said_by("ash", Kept)) == [(), ((A, ranges("0")),)]
    assert ash.state_on_disk("a") == Done(attempt(1), ELM)


def test_a_part_of_an_offer_may_be_refused() -> None:
    company = running_on_elm(4)
    company["elm"].done("a", "1")
    company.settle()
    hear(company["ash"], offered(Done(attempt(1), OAK), "0-2"), sender="oak")
    kept = company.said_by("ash", Kept)[-1]
    assert (kept.number, kept.refused) == (7, ((A, ranges("1")),))
    accepted = company["ash"].node.queue.replica.tasks[A].elements
    assert accepted.in_exactly(Done(attempt(1), OAK)) == ranges("0,2")


def test_whose_result_was_refused_takes_the_accepted_one() -> None:
    """elm and oak run the same element, each believing that the other does not; elm is first at the keeper."""
    company = Company("ash", "elm", "oak", no_room=["ash"])
    company.lost = lambda letter: isinstance(letter.message, Bid) or {letter.sender, letter.to} == {"elm", "oak"}
    company["ash"].submit(task("a"))
    company.settle()
    company.hold(WINDOW_S)
    assert company.runs() == {"elm": ["a[0]"], "oak": ["a[0]"]}
    company.lose(company.letters(RECORDS))
    company["elm"].done("a")
    company.deliver(company.letters(RECORDS, to="ash"))
    company["oak"].done("a")
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert {str(member.state_on_disk("a")) for member in company.living()} == {str(Done(attempt(1), ELM))}
    assert company.agree()


def test_of_two_results_that_cross_each_other_only_one_is_ever_accepted() -> None:
    """ash and elm hear each other and have finished the same element: each asks the other to keep its own result."""
    company = Company("ash", "elm")
    company.lost = lambda letter: isinstance(letter.message, Bid)
    company["ash"].submit(task("a"), task("b", 1, edge("a")))
    company.settle()
    company.hold(WINDOW_S)
    company.lose(company.letters(RECORDS))
    for member in company.living():
        member.done("a")
    company.deliver(company.letters(RECORDS))
    accepted = {member.state("a") for member in company.living() if "tell a[0] done" in member.seen()}
    assert len(accepted) <= 1, "two people were told of two results"
    company.wait(REPAIR_S)
    assert len({str(member.state_on_disk("a")) for member in company.living()}) == 1


def test_an_offer_of_a_task_that_is_not_known_is_not_confirmed_before_it_is() -> None:
    company = running_on_elm()
    company.add("fir", cpus=0.0)
    fir = company["fir"]
    hear(fir, offered(Done(attempt(1), ELM)), sender="elm")
    assert company.said_by("fir", Kept) == []
    company.hold(0.2)
    assert company.said_by("fir", DoYouKnow)[:1] == [DoYouKnow(A)]
    company.wait(REPAIR_S)
    hear(fir, offered(Done(attempt(1), ELM)), sender="elm")
    assert [(kept.number, kept.refused) for kept in company.said_by("fir", Kept)] == [(7, ())]


# Switches of a run, turned elsewhere.


def test_a_run_that_is_suspended_elsewhere_is_frozen_here_and_goes_on_when_it_may() -> None:
    company = running_on_elm()
    company["ash"].suspend()
    company.settle()
    assert company["elm"].seen() == ["stop a[0] unstarted", "pause a", "tell run 1-bababa suspended"]
    company["ash"].resume()
    company.settle()
    assert company["elm"].seen() == ["continue a", "tell run 1-bababa resumed"]


def test_nothing_of_a_run_that_is_suspended_elsewhere_starts_here() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a"))
    company["ash"].suspend()
    company.wait(1)
    assert company.runs() == {}
    company["ash"].resume()
    company.wait(2 * WINDOW_S)
    assert company.runs() == {"elm": ["a[0]"]}


def test_what_is_cancelled_elsewhere_is_stopped_here() -> None:
    company = running_on_elm(2)
    company["ash"].cancel(a="0")
    company.settle()
    assert company["elm"].seen() == ["stop a[0] kill", "tell a[0] cancelled"]
    company["elm"].give_back("a", "0")
    company.wait(REPAIR_S)
    assert all(member.state("a", 0) == Cancelled(attempt(1)) for member in company.living())
    assert company["elm"].runs() == ["a[1]"]


def test_a_session_that_is_sealed_elsewhere_ends_here() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"), stays_open=True)
    company.finish_all()
    assert RUN not in company["oak"].disk.ends
    company["ash"].seal()
    company.wait(1)
    assert "tell run 1-bababa sealed" in company["oak"].seen()
    assert company["oak"].disk.ends[RUN].counts == {"done": 1}


# Data.


def result(elements: str, token: int = 1, maker: NodeId = ELM) -> Facts:
    wanted = ranges(elements)
    return Facts(results=((A, attempt(token), maker, pack(wanted.first, [b"x"] * len(wanted))),))
