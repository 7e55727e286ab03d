"""What a node hands in or finishes is kept by others before it counts."""

from itertools import combinations

import pytest

from roost.core.actions import Accepted, Action, Persist
from roost.core.data.write_acknowledgement import REPEAT_AFTER_S, REPEATS_MAX
from roost.core.events import Heard, VitalsChanged
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.core.tickets import RETRY_AFTER_S
from roost.model.clock import Stamp
from roost.model.ids import NodeId, task_id
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.states import Done
from roost.model.vitals import Vitals
from roost.wire.messages import (
    Audit,
    Delivery,
    Fetch,
    Keep,
    Kept,
    Purpose,
)
from tests.core.company import DEATH_S, RECORDS, REPAIR_S, WINDOW_S, Company, Letter, Member
from tests.core.harness import RUN, edge, task
from tests.tokens import attempt

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM, OAK = NodeId("elm"), NodeId("oak")
ZERO = RangeSet.span(0, 1)
LARGE = b"x" * 20_000
NAMES = ("ash", "elm", "fir", "oak", "yew")


def is_copy(letter: Letter) -> bool:
    return isinstance(letter.message, Keep | Audit)


def keepers(company: Company, name: str) -> list[str]:
    """Return whom a node asks to keep something, by the letters that wait."""
    return [letter.to for letter in company.letters(of=name) if is_copy(letter)]


def test_alone_a_submission_is_answered_at_once() -> None:
    company = Company("ash")
    assert company["ash"].submit(task("a", 3)) == Accepted(elements=3)


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
    company.lose(company.letters(RECORDS))
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


def answered_at_once(safe: int) -> Company:
    """Hand something in, and let only those disks write it that it takes for an answer."""
    company = Company(*NAMES, no_room=NAMES)
    for member in company.living():
        member.slow_disk = True
    company["ash"].submit(task("a", 3), safe=safe)
    company["ash"].write_all()
    keepers = [letter.to for letter in company.letters(Keep)]
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


def one_done(*names: str) -> Company:
    """Let elm have made a result, and ash, where it was submitted, have accepted it; its word is on its way."""
    company = Company("ash", "elm", *names, no_room=["ash", *names])
    company["ash"].submit(task("a"), task("b", 1, edge("a")))
    company.wait(WINDOW_S)
    company["elm"].done("a")
    company.deliver(company.letters(Keep, of="elm"))
    assert company.letters(Kept, to="elm")
    return company


def test_a_result_costs_one_commit_of_its_maker_and_one_of_its_keeper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that somebody waits for; what else there is to write goes along with others."""
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a", 3), task("b", 1, edge("a")))
    company.wait(WINDOW_S)
    urgent: list[str] = []
    perform = Member._perform

    def count(member: Member, action: Action) -> None:
        if isinstance(action, Persist) and action.urgent:
            urgent.append(member.name)
        perform(member, action)

    monkeypatch.setattr(Member, "_perform", count)
    for index in range(2):
        company["elm"].done("a", str(index))
        company.wait(WINDOW_S)
    assert company["ash"].states("a")["done"] == company["elm"].states("a")["done"] == "0-1"
    assert urgent == ["elm", "ash", "elm", "ash"]


def test_its_maker_goes_on_from_a_result_and_tells_of_it_when_a_keeper_has_accepted_it() -> None:
    company = one_done()
    company["elm"].slow_disk = True
    company["elm"].seen()
    company.deliver(company.letters(Kept, to="elm"))
    assert company["elm"].states("a") == {"done": "0"}
    assert "tell a[0] done" in company["elm"].seen()
    company.wait(WINDOW_S)
    assert company["elm"].runs() == ["b[0]"]
    assert not isinstance(company["elm"].state_on_disk("a"), Done)
    company["elm"].write_all()
    assert company["elm"].state_on_disk("a") == Done(attempt(1), ELM)


def test_what_a_power_cut_takes_from_its_maker_comes_back_from_the_keeper() -> None:
    company = one_done()
    company["elm"].slow_disk = True
    company.deliver(company.letters(Kept, to="elm"))
    company.boot("elm")
    company["elm"].slow_disk = False
    assert not isinstance(company["elm"].state_on_disk("a"), Done)
    company.wait(REPAIR_S)
    assert company["elm"].state_on_disk("a") == company["ash"].state_on_disk("a") == Done(attempt(1), ELM)
    assert company["elm"].has_result("a")


def test_the_death_of_a_keeper_right_after_its_word_costs_no_accepted_result() -> None:
    company = one_done("oak")
    company.deliver(company.letters(Kept, to="elm"))
    company.lose(company.letters(of="ash"))
    company.kill("ash")
    company.wait(DEATH_S + REPAIR_S)
    assert company["oak"].state_on_disk("a") == company["elm"].state_on_disk("a") == Done(attempt(1), ELM)


def test_an_acceptance_that_does_not_fit_on_the_makers_disk_is_written_again() -> None:
    company = one_done()
    company["elm"].slow_disk = True
    company.deliver(company.letters(Kept, to="elm"))
    company["elm"].refuse()
    company["elm"].slow_disk = False
    assert company["elm"].states("a") == {"done": "0"}
    assert not isinstance(company["elm"].state_on_disk("a"), Done)
    company.wait(2 * RETRY_AFTER_S)
    assert company["elm"].state_on_disk("a") == Done(attempt(1), ELM)


def test_who_wants_a_result_gets_it_from_its_maker_before_the_acceptance_is_written_there() -> None:
    company = one_done("oak")
    company["elm"].slow_disk = True
    company.deliver(company.letters(Kept, to="elm"))
    wanted = Fetch(Purpose.INPUTS, 1, results=((A, ZERO),))
    company["elm"].feed(Heard(OAK, Stamp(1, 0, OAK), wanted))
    [letter] = company.letters(Delivery, of="elm", to="oak")
    assert [(task, node) for task, _, node, _ in letter.message.results] == [(A, ELM)]


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
    company.lose(company.letters(RECORDS))
    company.kill("ash")
    company.wait(DEATH_S)
    assert company["oak"].has_result("a")


# Stable and unstable nodes.


def unstable(company: Company, *names: str) -> None:
    """Let these nodes have little left in their batteries, and all others hear of it."""
    for name in names:
        company[name].feed(VitalsChanged(Vitals(remaining=0.3)))
    company.wait(2 * HEARTBEAT_S)


def test_who_is_unstable_is_asked_to_keep_nothing_while_somebody_else_is_there() -> None:
    company = Company(*NAMES, no_room=NAMES)
    unstable(company, "elm", "fir", "oak")
    company["ash"].submit(task("a"))
    assert keepers(company, "ash") == ["yew"]


def test_but_what_was_handed_in_there_goes_there() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    unstable(company, "ash")
    company["ash"].submit(task("a"))
    company.wait(1)
    assert company["elm"].runs() == ["a[0]"]
    company["elm"].done("a")
    assert keepers(company, "elm") == ["ash"]


def test_who_is_unstable_itself_asks_a_super_peer() -> None:
    company = Company(*NAMES, no_room=NAMES)
    unstable(company, "ash")
    for name in ("elm", "fir", "yew"):
        company[name].feed(VitalsChanged(Vitals(utilisation=0.9)))
    company.wait(2 * HEARTBEAT_S)
    company["ash"].submit(task("a"))
    assert keepers(company, "ash") == ["oak"]


def test_without_super_peers_anybody_keeps_what_is_of_an_unstable_node() -> None:
    company = Company("ash", "elm", "oak", no_room=("ash", "elm", "oak"))
    unstable(company, "ash", "elm", "oak")
    company["ash"].submit(task("a"))
    assert len(keepers(company, "ash")) == 1
    company.settle()
    assert isinstance(company["ash"].answer("submit"), Accepted)
