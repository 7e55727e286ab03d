"""Why is it not running: the answer in words."""

from roost.core.events import DrainAsked, Heard
from roost.model.elements import Elements
from roost.model.ids import NodeId, RunId, task_id
from roost.model.limits import NAMED_MAX
from roost.model.segments import pack
from roost.model.states import Leased
from roost.model.task import Manual
from roost.wire.messages import Facts, Fetch, Keep
from tests.core.company import DEATH_S, Company
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, function, ranges, task
from tests.tokens import attempt


def lines(bench: Bench, name: str, index: int | None = None, run: RunId = RUN) -> list[str]:
    return bench.node.explanations.explain(task_id(run, name), index)


def test_what_waits_names_what_is_missing() -> None:
    bench = Bench(task("a", 3), task("b", 3, edge("a")), task("c", 1, edge("b", "all")), cpus=1)
    assert lines(bench, "b") == ["3 of 3 elements: waiting: it needs its own element of 'a', of which 3 are not done"]
    assert lines(bench, "c", 0) == ["element 0: waiting: it needs all of 'b', of which 3 are not done"]


def test_what_is_ready_says_how_many_are_ahead_and_what_is_free() -> None:
    bench = Bench(task("busy"), cpus=1)
    bench.submit(task("first", at=1, run=OTHER_RUN), task("second", at=2, run=OTHER_RUN))
    room = "1 of 1 elements: ready: it needs 1 CPU, and 0 of 1 are free; 1 other element runs"
    assert lines(bench, "first", run=OTHER_RUN) == [room]
    ahead = "1 of 1 elements: ready: 1 task is ahead of it in the queue"
    assert lines(bench, "second", run=OTHER_RUN) == [room, ahead]


def test_what_runs_says_where_and_for_how_long_about_the_element_that_is_asked_for() -> None:
    bench = Bench(task("a", 2), cpus=2)
    bench.now += 60
    bench.fail("a", 1)
    bench.retry(a="1")
    bench.now += 30
    bench.submit(task("tick", run=OTHER_RUN))
    assert lines(bench, "a", 0) == ["element 0: running: on ash for 1 min 30 s"]
    assert lines(bench, "a", 1) == ["element 1: running: on ash for 30.0 s"]
    assert lines(bench, "a") == ["2 of 2 elements: running: on ash for 1 min 30 s"]


def test_what_runs_says_how_long_it_is_expected_to_take_if_its_owner_has_stated_a_length() -> None:
    bench = Bench(task("a", stated_s=600.0), cpus=1)
    expected = "about 10 min 00 s are expected here, likely 5 min 00 s to 20 min 00 s; 10 min 00 s were stated"
    assert lines(bench, "a", 0) == ["element 0: running: on ash", f"element 0: running: {expected}"]
    bench.done("a", each_s=6.0)
    bench.submit(task("b", stated_s=600.0))
    assert "about 3 min 59 s are expected here" in lines(bench, "b", 0)[-1], "600 s * 0.01 ** (1 / 5)"


def test_what_waits_in_a_lane_says_so() -> None:
    bench = Bench(cpus=1)
    bench.submit(function("warm", run=OTHER_RUN))
    bench.done("warm", run=OTHER_RUN)
    bench.submit(function("f", 2))
    assert lines(bench, "f", 1) == ["element 1: ready: it is in a lane and comes next"]


def test_what_will_never_fit_says_why() -> None:
    bench = Bench(task("a", cpus=64), function("f", python="3.9"))
    assert lines(bench, "a") == [
        "1 of 1 elements: ready: this node will not take it: it needs 64 CPUs and this node offers 2"
    ]
    assert "made by Python 3.9" in lines(bench, "f")[0]


def test_a_suspended_task_says_how_to_go_on() -> None:
    bench = Bench(task("a"))
    bench.suspend()
    assert lines(bench, "a") == ["1 of 1 elements: suspended by a person; 'roost resume' lets it go on"]


def test_what_failed_says_how_often_and_how_to_try_again() -> None:
    bench = Bench(task("a", 1, retries=1), task("b"))
    bench.fail("a")
    bench.fail("a")
    assert lines(bench, "a") == ["1 of 1 elements: failed, after 1 retries; 'roost retry' tries it again"]


def test_what_was_aborted_names_the_culprit() -> None:
    bench = Bench(task("a", 3), task("b", 3, edge("a")), task("c", 1, edge("b", "all")), cpus=3)
    bench.fail("a", 1)
    expected = "element 1: aborted: it needs 'a', of which 1 failed, were cancelled or aborted"
    assert lines(bench, "b", 1) == [expected]
    assert lines(bench, "c", 0) == ["element 0: aborted: it needs 'b', of which 1 failed, were cancelled or aborted"]


def test_a_full_disk_is_the_reason_for_everything_that_is_ready() -> None:
    bench = Bench(task("a", 3), cpus=1)
    bench.slow_disk = True
    bench.done("a", "0")
    bench.refuse()
    assert lines(bench, "a", 2) == [
        "element 2: ready: nothing starts while this node cannot write its journal (no space left on device)"
    ]


def test_done_and_cancelled_need_no_reason() -> None:
    bench = Bench(task("a", 3), cpus=1)
    bench.done("a", "0")
    bench.cancel(a="2")
    assert lines(bench, "a", 0) == ["element 0: done"]
    assert lines(bench, "a", 2) == ["element 2: cancelled"]


def test_an_element_that_does_not_exist_has_no_explanation() -> None:
    assert lines(Bench(task("a")), "a", 7) == []


def test_what_runs_elsewhere_says_where() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a"))
    company.wait(1.0)
    (line,) = company["ash"].node.explanations.explain(task_id(RUN, "a"), 0)
    assert line.startswith("element 0: running: on elm for ")


def told_of_all(company: Company, explainer: str, name: str, index: int | None = None) -> list[str]:
    """Explain a task as one node does that has asked all others."""
    own = task_id(RUN, name)
    elsewhere = {member.node.name: member.node.explanations.why_not_started(own) for member in company.living()}
    node = company[explainer].node
    del elsewhere[node.name]
    return node.explanations.explain(own, index, elsewhere)


def test_what_is_ready_among_others_waits_for_each_node_s_own_reason_whoever_is_asked() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "elm"])
    company["elm"].feed(DrainAsked(on=True))
    company["ash"].submit(task("a", 3))
    company.wait(1.0)
    assert company.runs() == {"oak": ["a[0]"]}
    explained = told_of_all(company, "ash", "a")
    assert [line for line in explained if "ready" in line] == [
        "2 of 3 elements: ready: on ash: this node will not take it: it needs 1 CPU and this node offers 0",
        "2 of 3 elements: ready: on elm: this node drains and takes nothing; the others may",
        "2 of 3 elements: ready: on oak: it needs 1 CPU, and 0 of 1 are free; 1 other element runs",
    ]
    for explainer in ("elm", "oak"):
        told = told_of_all(company, explainer, "a")
        assert [line for line in told if "ready" in line] == [line for line in explained if "ready" in line]


def test_who_does_not_answer_or_has_not_heard_of_it_is_named() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "elm", "oak"])
    company["ash"].submit(task("a"))
    company.wait(1.0)
    told = company["ash"].node.explanations.explain(task_id(RUN, "a"), 0, {NodeId("elm"): None, NodeId("oak"): ()})
    assert told[1:] == [
        "element 0: ready: on elm: it does not answer",
        "element 0: ready: on oak: it has not heard of it yet",
    ]
    assert company["oak"].node.explanations.why_not_started(task_id(OTHER_RUN, "a")) is None


def test_of_many_nodes_the_same_few_are_named_everywhere() -> None:
    names = [f"n{number}" for number in range(NAMED_MAX + 2)]
    company = Company(*names, no_room=names)
    company["n0"].submit(task("a"))
    company.wait(1.0)
    told = {tuple(told_of_all(company, name, "a")) for name in names}
    assert len(told) == 1
    assert len(*told) == NAMED_MAX + 1
    assert next(iter(told))[-1] == "1 of 1 elements: ready: and 2 more, which were not asked"
    assert company["n9"].node.explanations.asked_about(task_id(RUN, "a"), 0) == names[:NAMED_MAX]


def test_reasons_are_asked_for_only_where_something_is_ready() -> None:
    company = Company("ash", "elm", no_room=["elm"])
    company["ash"].submit(task("a", 2))
    company.wait(1.0)
    ash, a = company["ash"].node, task_id(RUN, "a")
    assert company["ash"].runs() == ["a[0]"]
    assert [ash.explanations.asked_about(a, index) for index in (0, 1, None)] == [[], ["ash", "elm"], ["ash", "elm"]]
    company["ash"].done("a", "0")
    company.wait(1.0)
    company["ash"].done("a", "1")
    company.wait(1.0)
    assert ash.explanations.asked_about(a, None) == []
    assert company["elm"].node.explanations.why_not_started(a) is None


def test_what_waits_in_a_lane_of_another_node_says_so() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "elm", "oak"])
    company["ash"].submit(task("a", 2))
    company.settle()
    leased = Elements({Leased(0, attempt(1), NodeId("elm"), 0): ranges("1")})
    for name in ("ash", "oak"):
        member = company[name]
        member.feed(Heard(NodeId("elm"), member.stamp(), Facts(states=((task_id(RUN, "a"), leased),))))
        assert lines(member, "a", 1) == ["element 1: ready: it is in a lane of elm and comes next"]
        assert lines(member, "a")[0] == "1 of 2 elements: ready: it is in a lane of elm and comes next"


def test_what_lacks_its_data_says_who_has_it_and_that_he_is_away() -> None:
    a = task_id(RUN, "a")
    company = Company("ash", "elm", no_room=["ash"])
    company.lost = lambda letter: isinstance(letter.message, Fetch | Keep)
    company["ash"].submit(task("a", 1, has_items=True), items=((a, pack(0, [bytes(20_000)])),))
    company.settle()
    assert "element 0: ready: on elm: it needs data that ash has" in "\n".join(lines(company["elm"], "a", 0))
    company.kill("ash")
    company.wait(DEATH_S)
    assert "element 0: ready: it needs data that ash has, which is away" in lines(company["elm"], "a", 0)


def test_what_a_person_does_waits_for_one_and_says_how_to_answer() -> None:
    form = Manual("Look", who=("anna", "ben"))
    bench = Bench(task("a", 2), task("look", 2, edge("a"), work=form), task("sign", 1, work=Manual("Sign")))
    assert lines(bench, "sign") == ["1 of 1 elements: ready: waits for a person; 'roost complete 1 sign' answers it"]
    bench.done("a", "1")
    assert lines(bench, "look", 1) == [
        "element 1: ready: waits for a person (anna, ben); 'roost complete 1 look/1' answers it"
    ]
    bench.suspend()
    assert lines(bench, "sign") == ["1 of 1 elements: suspended by a person; 'roost resume' lets it go on"]


def test_of_several_users_it_is_said_whose_turn_it_is_and_what_each_has_had() -> None:
    bench = Bench(task("sweep", 50), cpus=1)
    bench.done("sweep", "0", each_s=90.0)
    bench.submit(task("first", at=1, run=OTHER_RUN), task("second", at=2, run=OTHER_RUN), owner="bob")
    room = "ready: it needs 1 CPU, and 0 of 1 are free; 1 other element runs"
    # bob begins beside ann, who has used 90 s and has 90 s more in hand.
    turns = "users take turns by what counts for each, in time of a processor (bob 1 min 30 s, ann 3 min 00 s)"
    assert lines(bench, "sweep", 7) == [
        f"element 7: {room}",
        f"element 7: ready: this is ann's, and it is the turn of bob: {turns}",
    ]
    ahead = "ready: 1 of bob's own tasks is ahead of it in the queue"
    assert lines(bench, "first", 0, OTHER_RUN) == [f"element 0: {room}"]
    assert lines(bench, "second", 0, OTHER_RUN) == [f"element 0: {room}", f"element 0: {ahead}"]
