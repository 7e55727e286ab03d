"""Results that have to agree: who compares what, when a result counts, and what becomes of those that differ."""

from typing import Any

import msgspec
import pytest

from roost.core.agreement.agreeing import KEPT_S, REPEAT_AFTER_S_MAX
from roost.core.events import ElementsDone, Heard
from roost.core.facts import FailureNoted, KeysNoted, StoryTold
from roost.core.queue.disk_pressure import RETRY_AFTER_S
from roost.model.errors import InvalidInput
from roost.model.happenings import FoundOn, ResultsDiffer
from roost.model.hashing import FINGERPRINT_BYTES
from roost.model.ids import NodeId, task_id
from roost.model.pools import below
from roost.model.ranges import ONE
from roost.model.segments import pack
from roost.model.states import Cancelled, Done, Failed, Leased
from roost.model.task import Agreement, Edge, EdgeKind, Manual, Priority, Reuse, TaskSpec
from roost.model.workflow import check_submission
from roost.policy.at_once import SHIFT_S
from roost.wire.messages import FindingsTold, Keep
from tests.core.company import DEATH_S, REPAIR_S, Company
from tests.core.harness import RUN, edge, task

A = task_id(RUN, "a")
NAMES = ("ash", "elm", "oak")


def asking(agreeing: int = 2, limit: int = 3, count: int = 1, **changes: Any) -> TaskSpec:
    """It begins where it is handed in, without a contest."""
    return task("a", count, priority=Priority.INTERACTIVE, agreement=Agreement(agreeing, limit), **changes)


def company(spec: TaskSpec | None = None, names: tuple[str, ...] = NAMES) -> Company:
    """Let ash hand in one element whose results have to agree."""
    some = Company(*names)
    some["ash"].submit(spec or asking())
    some.wait(2 * SHIFT_S)
    return some


def runners(some: Company) -> list[str]:
    return [name for name, running in some.runs().items() if "a[0]" in running]


def another(some: Company, *but: str) -> str:
    """Wait until a node runs the element that is none of these, and return it."""
    for _ in range(10):
        found = [name for name in runners(some) if name not in but]
        if found:
            return found[0]
        some.wait(SHIFT_S)
    raise AssertionError(f"nobody but {but} runs it")


def stories(some: Company, name: str, kind: type) -> list[Any]:
    return [fact.what for fact in some[name].facts if isinstance(fact, StoryTold) and isinstance(fact.what, kind)]


def accepted(some: Company) -> Done:
    [state] = {member.state_on_disk("a") for member in some.living()}
    assert isinstance(state, Done)
    return state


def test_a_result_counts_when_another_node_has_found_the_same() -> None:
    some = company()
    second = another(some, "ash")
    some["ash"].done("a", value=b"42")
    some.wait(1)
    assert isinstance(some["oak"].state("a"), Leased), "one finding is not enough"
    some[second].done("a", value=b"42")
    some.wait(REPAIR_S)
    assert accepted(some).node in ("ash", second)
    assert some.runs() == {}
    assert some.agree()
    assert stories(some, "ash", FoundOn) == [FoundOn("ash", 2)]


def test_no_more_nodes_run_it_than_have_to_agree() -> None:
    some = company(names=("ash", "elm", "oak", "fir", "yew"))
    assert len(runners(some)) == 2


def test_when_two_differ_a_third_decides_and_its_like_counts() -> None:
    some = company()
    second = another(some, "ash")
    some["ash"].done("a", value=b"41")
    some[second].done("a", value=b"42")
    third = another(some, "ash", second)
    some[third].done("a", value=b"42")
    some.wait(REPAIR_S)
    assert accepted(some).node in (second, third)
    assert some.agree()


def test_a_holder_that_is_wrong_does_not_fail_what_others_agree_on() -> None:
    some = company()
    second = another(some, "ash")
    some["ash"].done("a", value=b"41")
    some[second].done("a", value=b"42")
    third = another(some, "ash", second)
    # What the others offer is slow; the holder hears of their findings first.
    some.lost = lambda letter: isinstance(letter.message, Keep)
    some[third].done("a", value=b"42")
    some.wait(1)
    assert isinstance(some["ash"].state("a"), Leased)
    some.lost = lambda _: False
    some.wait(REPAIR_S)
    assert accepted(some).node in (second, third)
    assert stories(some, "ash", ResultsDiffer) == []


def test_when_all_differ_it_has_failed_for_good_and_the_story_has_what_each_found() -> None:
    some = company(asking(retries=3))
    second = another(some, "ash")
    some["ash"].done("a", value=b"41")
    some[second].done("a", value=b"42")
    third = another(some, "ash", second)
    some[third].done("a", value=b"43")
    some.wait(REPAIR_S)
    for member in some.living():
        state = member.state_on_disk("a")
        assert isinstance(state, Failed)
        assert state.failures > 3, "no retry is left"
    [noted] = [fact for fact in some["ash"].facts if isinstance(fact, FailureNoted)]
    assert noted.failure.reason == "3 nodes have run it, and no 2 of them found the same"
    [what] = stories(some, "ash", ResultsDiffer)
    assert [node for node, _ in what.found] == sorted(NAMES)
    assert len({key for _, key in what.found}) == 3
    assert some.agree()


def test_a_holder_that_fails_gives_it_to_others_and_uses_up_no_retry() -> None:
    some = company()
    second = another(some, "ash")
    some["ash"].fail("a")
    some.wait(REPAIR_S)
    assert "ash" not in runners(some), "it has run it already"
    third = another(some, "ash", second)
    for name in (second, third):
        some[name].done("a", value=b"42")
    some.wait(REPAIR_S)
    assert accepted(some).node in (second, third)
    assert some.agree()


def test_a_further_attempt_that_fails_is_a_finding_and_who_failed_does_not_try_again() -> None:
    some = company()
    second = another(some, "ash")
    some[second].fail("a")
    third = another(some, "ash", second)
    some.wait(3 * SHIFT_S)
    assert runners(some) == sorted(("ash", third))
    some["ash"].done("a", value=b"42")
    some[third].done("a", value=b"42")
    some.wait(REPAIR_S)
    assert accepted(some).node in ("ash", third)


def test_what_fails_everywhere_has_failed_when_the_limit_is_reached() -> None:
    some = company()
    for _ in NAMES:
        some[another(some)].fail("a")
        some.wait(1)
    some.wait(REPAIR_S)
    assert all(isinstance(member.state_on_disk("a"), Failed) for member in some.living())
    told = [what for name in NAMES for what in stories(some, name, ResultsDiffer)]
    assert ResultsDiffer(tuple((NodeId(name), "") for name in NAMES), 2) in told
    assert some.agree()


def test_a_further_attempt_that_was_given_back_is_made_again() -> None:
    some = company(names=("ash", "elm"))
    assert another(some, "ash") == "elm"
    some["elm"].give_back("a", "0")
    some.wait(3 * SHIFT_S)
    assert runners(some) == ["ash", "elm"]


def test_a_further_attempt_that_finds_no_room_waits_for_it() -> None:
    some = company(names=("ash", "elm"))
    assert another(some, "ash") == "elm"
    some["elm"].give_back("a", "0", no_room="the disk is full")
    assert runners(some) == ["ash"]
    some.wait(3 * RETRY_AFTER_S)
    assert runners(some) == ["ash", "elm"]


def test_how_long_a_list_is_belongs_to_what_is_compared() -> None:
    some = Company("ash", "elm")
    pool = task("b", 1, Edge(A, EdgeKind.SPREAD, "item"), mapper=A, depth=1, elements=below(ONE))
    some["ash"].submit(asking(2, 2, is_mapped=True), pool)
    some.wait(2 * SHIFT_S)
    some["ash"].map("a", _0=3)
    some["elm"].map("a", _0=4)
    some.wait(REPAIR_S)
    assert all(isinstance(member.state_on_disk("a"), Failed) for member in some.living())


def test_findings_of_who_is_gone_are_found_again() -> None:
    """What elm found, nobody tells those that come later."""
    some = company(asking(3, 3), ("ash", "elm", "oak"))
    assert runners(some) == ["ash", "elm", "oak"]
    some["ash"].done("a")
    some["elm"].done("a")
    some.wait(1)
    some.kill("elm")
    some.wait(DEATH_S)
    some.add("yew")
    some["yew"].boot()
    some.wait(REPAIR_S + SHIFT_S)
    assert runners(some) == ["oak", "yew"]


def test_what_two_found_that_are_gone_for_good_does_not_keep_it_open_for_ever() -> None:
    """They agreed, and told the others, and could not offer it any more."""
    some = company(asking(2, 3), ("ash", "elm", "oak", "fir", "yew"))
    second = another(some, "ash")
    gone = ("ash", second)
    some.lost = lambda letter: isinstance(letter.message, Keep)
    for name in gone:
        some[name].done("a", value=b"42")
    some.wait(0.5)
    for name in gone:
        some.kill(name)
    some.lost = lambda _: False
    some.wait(DEATH_S)
    left = [name for name in ("elm", "oak", "fir", "yew") if name not in gone]
    for at, _ in enumerate(left):
        some[another(some, *gone)].done("a", value=b"%d" % at)
        some.wait(1)
    some.wait(2 * KEPT_S)
    assert all(isinstance(member.state_on_disk("a"), Failed) for member in some.living())


def test_results_that_may_be_wrong_are_found_by_no_later_run() -> None:
    some = company(asking(reuse=Reuse.KEPT))
    [lease] = [lease for lease in some["ash"].node.queue.leases.in_hand() if lease.spec.id == A]
    result = (pack(0, [b"42"]),)
    some["ash"].feed(ElementsDone(lease.name, result, 0.1, keys=(pack(0, [b"key"]),)))
    assert not any(isinstance(fact, KeysNoted) for fact in some["ash"].facts)


def test_a_retry_by_a_person_begins_anew() -> None:
    some = Company("ash", "elm")
    # What nobody has room for keeps the run in memory.
    some["ash"].submit(asking(2, 2), task("b", cpus=64.0))
    some.wait(2 * SHIFT_S)
    some["ash"].done("a", value=b"41")
    some["elm"].done("a", value=b"42")
    some.wait(REPAIR_S)
    assert isinstance(some["elm"].state_on_disk("a"), Failed)
    some["ash"].retry(a="0")
    some.wait(3 * SHIFT_S)
    assert sorted(runners(some)) == ["ash", "elm"]
    some["ash"].done("a", value=b"42")
    some.wait(1)
    assert isinstance(some["elm"].state("a"), Leased), "what was found in the round before does not count"
    some["elm"].done("a", value=b"42")
    some.wait(REPAIR_S)
    assert isinstance(accepted(some), Done)


def test_a_node_that_is_alone_agrees_with_nobody_and_goes_on_when_another_comes() -> None:
    some = company(names=("ash",))
    some["ash"].done("a")
    some.wait(5)
    assert isinstance(some["ash"].state("a"), Leased)
    [line] = some["ash"].node.explanations.explain(A, None)
    assert line.endswith(
        "running: 1 node has run it, and at most 1 found the same; 2 must agree, and after 3 it has failed"
    )
    some.add("elm")
    some["elm"].boot()
    some.wait(REPAIR_S)
    assert another(some) == "elm"
    some["elm"].done("a")
    some.wait(REPAIR_S)
    assert isinstance(accepted(some), Done)


def test_lost_words_are_told_again() -> None:
    some = company()
    second = another(some, "ash")
    some["ash"].done("a")
    some[second].done("a")
    some.lose(some.letters(FindingsTold))
    assert isinstance(some["ash"].state("a"), Leased)
    some.wait(REPEAT_AFTER_S_MAX)
    assert isinstance(accepted(some), Done)
    some.wait(2 * REPEAT_AFTER_S_MAX)
    said = len(some.said_by("ash", FindingsTold))
    some.wait(2 * REPEAT_AFTER_S_MAX)
    assert len(some.said_by("ash", FindingsTold)) == said, "what is decided is told no more"


def test_what_a_dead_holder_has_found_counts_and_who_has_found_something_does_not_lease_it() -> None:
    some = company()
    second = another(some, "ash")
    some["ash"].done("a", value=b"42")
    some[second].done("a", value=b"41")
    some.wait(0.2)
    some.kill("ash")
    third = next(name for name in NAMES if name not in ("ash", second))
    some.wait(DEATH_S + 3 * SHIFT_S)
    assert some.runs() == {third: ["a[0]"]}, "only who has found nothing may take it"
    some[third].done("a", value=b"42")
    some.wait(REPAIR_S)
    assert accepted(some).node == third


def test_a_holder_that_was_restarted_finds_it_again() -> None:
    some = company(names=("ash", "elm"))
    some["ash"].done("a", value=b"42")
    some.wait(0.2)
    some.kill("ash")
    some.boot("ash")
    some.wait(REPAIR_S)
    for name in sorted(runners(some)):
        some[name].done("a", value=b"42")
    some.wait(REPAIR_S)
    some.finish_all()
    assert isinstance(accepted(some), Done)
    assert some.agree()


def test_what_is_cancelled_is_compared_no_more() -> None:
    some = company()
    some["ash"].done("a")
    some.wait(0.2)
    some["oak"].cancel(a="0")
    some.wait(REPAIR_S)
    assert isinstance(some["ash"].state_on_disk("a"), Cancelled)
    said = len(some.said_by("ash", FindingsTold))
    some.wait(2 * REPEAT_AFTER_S_MAX)
    assert len(some.said_by("ash", FindingsTold)) == said
    assert all(member.node.medium.sizes()["findings"][0] == 0 for member in some.living())


def test_elements_of_one_array_are_decided_each_by_itself() -> None:
    some = company(asking(count=2), ("ash", "elm"))
    assert some.runs() == {"ash": ["a[0]"], "elm": ["a[1]"]}
    some["ash"].done("a", "0")
    some.wait(3 * SHIFT_S)
    assert some.runs() == {"ash": ["a[1]"], "elm": ["a[1]"]}, "ash repeats what elm has not ended yet"
    some["ash"].done("a", "1")
    some["elm"].done("a", "1")
    some.wait(REPAIR_S)
    assert isinstance(some["elm"].state_on_disk("a", 1), Done)
    assert isinstance(some["elm"].state_on_disk("a", 0), Leased)
    assert some.runs() == {"elm": ["a[0]"]}


def test_executors_say_by_what_results_are_compared() -> None:
    some = company(names=("ash", "elm"))
    for name, value in (("ash", b"3.14159"), ("elm", b"3.14160")):
        another(some, *(other for other in ("ash", "elm") if other != name))
        [lease] = [lease for lease in some[name].node.queue.leases.in_hand() if lease.spec.id == A]
        compared = (pack(0, [b"3.14"]),)
        some[name].feed(ElementsDone(lease.name, (pack(0, [value]),), 0.1, compared=compared))
        some.wait(0.5)
    some.wait(REPAIR_S)
    assert isinstance(accepted(some), Done)


def test_what_comes_after_takes_what_was_agreed_on() -> None:
    some = Company("ash", "elm")
    some["ash"].submit(asking(), task("b", 1, edge("a"), priority=Priority.INTERACTIVE))
    some.wait(2 * SHIFT_S)
    some["ash"].done("a")
    some.wait(1)
    assert some["ash"].states("b") == {"waiting": "0"}
    some["elm"].done("a")
    some.wait(REPAIR_S)
    assert [running for of in some.runs().values() for running in of] == ["b[0]"]


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (
            asking(3, 2),
            "task 'a' wants 3 agreeing results of at most 2; use 1 to 32 for both, the first not above the second",
        ),
        (
            asking(repeatable=False),
            "task 'a' must not be repeated, so its results cannot be compared; ask for no agreement",
        ),
        (
            asking(reuse=Reuse.PURE),
            (
                "task 'a' may take over results of earlier runs, which nobody has found by himself; "
                "ask for no agreement, or for no reuse"
            ),
        ),
        (
            asking(work=Manual("look at it")),
            "task 'a' must not be repeated, so its results cannot be compared; ask for no agreement",
        ),
    ],
)
def test_what_cannot_agree_is_refused(spec: TaskSpec, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_submission([spec], {})
    assert str(refused.value) == sentence


def test_strangers_words_change_nothing() -> None:
    some = company()
    token, found = some["ash"].node.queue.tokens.following(), (pack(0, [b"x"]),)
    for told in (
        FindingsTold(task_id(RUN, "nobody"), 0, 0, token, found),
        FindingsTold(A, 7, 0, token, found),
        FindingsTold(A, 0, 7, token, found),
        FindingsTold(A, 0, 0, token, (pack(5, [b"x"]),)),
        FindingsTold(A, 0, 0, token, (pack(0, [b"x" * (FINGERPRINT_BYTES + 1)]),)),
        FindingsTold(A, 0, 0, token, (msgspec.structs.replace(found[0], count=2),)),
    ):
        some["ash"].feed(Heard(NodeId("elm"), some["elm"].stamp(), told))
    assert some["ash"].node.medium.sizes()["findings"][0] == 0
