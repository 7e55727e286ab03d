"""Work that people send back is done again with all that was made of it, and nothing else is."""

from roost.core.actions import Accepted, Refused
from roost.core.events import Answered, ElementsDone, ReopenAsked
from roost.core.facts import StoryTold
from roost.core.reopening import behind, next_edition, reopened
from roost.model.ids import name_of, task_id
from roost.model.pools import POOL_BLOCK, below
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Manual, TaskSpec, Value
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, ranges, task

LOOK = Manual("Look")
#: Nobody answers it, so that the run does not end, and stays in memory.
SIGN = task("sign", work=Manual("Sign"))


def reopen(bench: Bench, why: str = "", **elements: str) -> Accepted | Refused | None:
    named = tuple((task_id(RUN, name), ranges(text)) for name, text in elements.items())
    return bench.ask(ReopenAsked(bench.cause("reject"), named, why))


def answer(bench: Bench, name: str, index: int = 0, value: bytes = b"{}") -> Accepted | Refused | None:
    return bench.ask(Answered(bench.cause("answer"), task_id(RUN, name), index, pack(index, [value]), "anna"))


def refusal(outcome: Accepted | Refused | None) -> str:
    assert isinstance(outcome, Refused)
    return outcome.message


def review(count: int = 3) -> Bench:
    """Measurements that are done, checks that wait for people, and a sum of them; beside them, something else."""
    bench = Bench(
        task("measure", count),
        task("check", count, edge("measure"), work=LOOK),
        task("sum", 1, edge("check", "all")),
        task("aside", 1, edge("measure", "after")),
        SIGN,
        cpus=4,
    )
    bench.finish_all()
    return bench


def told(bench: Bench, name: str) -> list[str]:
    facts = [fact for fact in bench.facts if isinstance(fact, StoryTold) and name_of(fact.task) == name]
    return [f"{fact.ranges} {fact.what}" for fact in facts]


def test_an_element_that_a_person_does_is_ready_and_nobody_runs_it() -> None:
    bench = review()
    assert bench.states("check") == {"ready": "0-2"}
    assert not bench.node.leases.active
    assert answer(bench, "check", 1) == Accepted(elements=1)
    assert bench.states("check") == {"ready": "0,2", "done": "1"}
    assert told(bench, "check")[-1] == "1 done by anna"


def test_what_follows_an_answer_starts() -> None:
    bench = review(1)
    bench.seen()
    answer(bench, "check")
    assert bench.starts() == ["sum[0]"]


def test_only_what_waits_for_a_person_is_answered() -> None:
    bench = Bench(task("measure"), task("check", 1, edge("measure"), work=LOOK))
    assert refusal(answer(bench, "measure")).startswith("task 'measure' is not done by people")
    assert refusal(answer(bench, "check")) == "element 0 of 'check' waits for nobody's answer now"
    assert refusal(answer(bench, "nothing")).startswith("there is no task")


def test_an_amended_answer_does_again_what_was_made_of_it() -> None:
    bench = review()
    for index in range(3):
        answer(bench, "check", index)
    bench.finish_all()
    bench.seen()
    assert answer(bench, "check", 1, b"[]") == Accepted(elements=2)
    assert bench.states("check") == {"done": "0-2"}
    assert bench.starts() == ["sum[0]"]
    assert told(bench, "check")[-1] == "1 amended by anna"
    assert told(bench, "sum")[-2] == "0 amended by anna"


def test_what_is_sent_back_is_done_again_with_all_that_was_made_of_it_and_nothing_else() -> None:
    bench = review()
    for index in range(3):
        answer(bench, "check", index)
    bench.finish_all()
    bench.seen()
    outcome = reopen(bench, "sent back by ben: not level", measure="1")
    assert outcome == Accepted(elements=4), "its check, the sum, and what waits for all measurements"
    assert bench.starts() == ["measure[1]"]
    assert bench.states("check") == {"done": "0,2", "waiting": "1"}
    assert (bench.states("sum"), bench.states("aside")) == ({"waiting": "0"}, {"waiting": "0"})
    for name, elements in (("measure", "1"), ("check", "1"), ("sum", "0")):
        assert f"{elements} sent back by ben: not level" in told(bench, name)
    bench.finish_all()
    assert bench.states("check") == {"done": "0,2", "ready": "1"}


def test_what_runs_of_it_is_stopped() -> None:
    bench = review(1)
    answer(bench, "check")
    bench.seen()
    reopen(bench, measure="0")
    assert "stop sum[0] kill" in bench.seen()


def test_what_is_not_done_or_is_a_value_cannot_be_sent_back() -> None:
    bench = Bench(task("measure"), task("later", 1, edge("measure")))
    assert refusal(reopen(bench, measure="0")).startswith("nothing of what is sent back is done")
    assert refusal(reopen(bench, nothing="0")).startswith("there is no task")
    bench.submit(task("number", work=Value("5"), run=OTHER_RUN))
    named = ((task_id(OTHER_RUN, "number"), ranges("0")),)
    assert "is a value, which cannot be done again" in refusal(bench.ask(ReopenAsked(bench.cause("reject"), named)))


def test_other_runs_keep_what_they_took() -> None:
    bench = review(1)
    bench.submit(task("other", 1, edge("measure", "broadcast"), run=OTHER_RUN))
    bench.finish_all()
    affected = behind(bench.node, [(task_id(RUN, "measure"), ranges("0"))])
    assert {name_of(name) for name in affected} == {"check", "sum", "aside"}
    reopen(bench, measure="0")
    bench.recall(OTHER_RUN)
    assert bench.states("other", OTHER_RUN) == {"done": "0"}


def test_everything_that_is_done_again_has_one_edition_larger_than_all_before() -> None:
    bench = review(2)
    for index in range(2):
        answer(bench, "check", index)
    for value in (b"1", b"2"):
        answer(bench, "check", 1, value)
    affected = {task_id(RUN, "check"): ranges("1"), task_id(RUN, "sum"): ranges("0")}
    edition = next_edition(bench.node, affected)
    assert edition == 3
    states = [state for _, delta in reopened(bench.node, affected, edition) for state, _ in delta.items()]
    assert {state.edition for state in states} == {3}
    assert next_edition(bench.node, {task_id(RUN, "check"): ranges("0")}) == 1


def pool(bench: Bench) -> None:
    """A list of two, work for each of its items, and a sum of that."""
    mapper = task("list", is_mapped=True)
    elements = below(mapper.elements)
    work: TaskSpec = task("work", 1, edge("list", "spread"), elements=elements, mapper=mapper.id, depth=1)
    bench.submit(mapper, work, task("total", 1, edge("work", "gather")), SIGN)
    make_list(bench, 2)
    bench.finish_all()


def make_list(bench: Bench, length: int) -> None:
    (lease,) = bench.node.leases.active
    bench.feed(ElementsDone(lease, (pack(0, [b"list"]),), 0.01, ((0, length),)))


def test_a_pool_whose_list_is_made_again_begins_anew_and_may_be_longer() -> None:
    bench = Bench(cpus=4)
    pool(bench)
    assert bench.states("work") == {"done": "0-1"}
    bench.seen()
    assert reopen(bench, "sent back by ben", list="0") == Accepted(elements=4), "what exists, not what could"
    assert "0-1 sent back by ben" in told(bench, "work")
    assert bench.starts() == ["list[0]"]
    make_list(bench, 3)
    bench.finish_all()
    assert bench.states("work") == {"done": "0-2"}
    assert bench.states("total") == {"done": "0"}
    assert bench.node.replica.tasks[task_id(RUN, "work")].absent == RangeSet.span(3, POOL_BLOCK)
