"""What a disk has lost is taken from another node, or made again if no node has it."""

from roost.core.events import DamageFound
from roost.core.facts import StoryTold
from roost.core.telling.story_words import in_words
from roost.model.ids import NodeId, task_id
from roost.model.ranges import RangeSet
from roost.model.states import Done
from tests.core.company import REPAIR_S, Company, Member
from tests.core.harness import RUN, Bench, edge, ranges, task

A, B = task_id(RUN, "a"), task_id(RUN, "b")


def lose(bench: Bench, name: str, elements: str = "0") -> None:
    """The disk finds that it has lost these results; what is left of the others is there."""
    lost, source = ranges(elements), task_id(RUN, name)
    for key in [key for key in bench.disk.made if key[0] == source]:
        kept = [part for part in bench.disk.made[key] if not part.ranges & lost]
        bench.disk.made[key] = tuple(kept)
    bench.feed(DamageFound("the result of element 0", RUN, source, lost, bench.disk.holdings(source)))


def story(bench: Bench, name: str) -> list[str]:
    told = [fact for fact in bench.facts if isinstance(fact, StoryTold) and fact.task == task_id(RUN, name)]
    return [in_words(line.what) for line in told]


def test_alone_a_lost_result_that_is_needed_is_made_again_and_what_waits_takes_the_new_one() -> None:
    bench = Bench(task("a"), task("c"), task("b", 1, edge("a"), edge("c", "after")), cpus=2.0)
    bench.done("a")
    lose(bench, "a")
    bench.done("c")
    assert bench.states("a") == {"running": "0"}
    assert bench.states("b") == {"waiting": "0"}
    bench.finish_all()
    assert bench.disk.ends[RUN].state == "done"
    assert any("damaged" in line for line in story(bench, "a"))
    assert any("made again" in line for line in story(bench, "a"))


def test_a_lost_result_that_nothing_needs_any_more_is_not_made_again_by_itself() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")), task("c", 1, edge("b")), cpus=2.0)
    bench.done("a")
    bench.done("b")
    lose(bench, "a")
    assert bench.states("a") == {"done": "0"}
    assert bench.states("c") == {"running": "0"}


def test_a_person_who_retries_has_lost_results_made_again_with_all_that_was_made_of_them() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")), task("c", 1, edge("b")), cpus=2.0)
    bench.done("a")
    bench.done("b")
    lose(bench, "a")
    bench.retry(a="0", b="0", c="0")
    assert bench.states("a") == {"running": "0"}
    assert bench.states("b") == {"waiting": "0"}


def test_what_was_lost_in_an_earlier_life_is_made_again_too() -> None:
    bench = Bench(task("a"), task("c"), task("b", 1, edge("a"), edge("c", "after")), cpus=2.0)
    bench.done("a")
    bench.done("c")
    bench.disk.made = dict.fromkeys(bench.disk.made, ())
    bench.boot()
    assert bench.states("a") == {"running": "0"}


def has_lost(member: Member, name: str) -> None:
    lose(member, name)
    assert not member.has_result(name)


def company_with_a_done() -> Company:
    """Ash has made a, elm keeps a copy, and b, which needs it, waits for c, which runs."""
    company = Company("ash", "elm", no_room=["elm"])
    company["ash"].submit(task("a"), task("c"), task("b", 1, edge("a"), edge("c", "after")))
    company.wait(1)
    company["ash"].done("a")
    company.wait(1)
    assert company["elm"].has_result("a")
    return company


def test_in_company_a_lost_result_comes_from_whoever_keeps_it() -> None:
    company = company_with_a_done()
    ash = company["ash"]
    has_lost(ash, "a")
    before = ash.state("a")
    company.finish_all()
    assert isinstance(before, Done)
    assert ash.state_on_disk("a") == before
    assert ash.has_result("a")
    assert isinstance(ash.state_on_disk("b"), Done)


def test_in_company_what_nobody_has_is_made_again() -> None:
    company = company_with_a_done()
    ash, elm = company["ash"], company["elm"]
    has_lost(ash, "a")
    has_lost(elm, "a")
    company.finish_all()
    company.wait(REPAIR_S)
    company.finish_all()
    state = ash.state_on_disk("a")
    assert isinstance(state, Done)
    assert state.edition == 1
    assert ash.has_result("a")
    assert isinstance(ash.state_on_disk("b"), Done)


def test_a_run_whose_records_are_damaged_is_doubted_until_others_have_told_of_it() -> None:
    company = Company("ash", "elm", no_room=["elm"])
    company["ash"].submit(task("a"))
    company.finish_all()
    company.wait(REPAIR_S)
    elm = company["elm"]
    assert elm.node.queue.digests.total() == company["ash"].node.queue.digests.total()
    elm.feed(DamageFound("the record of run 1-bababa", RUN))
    assert elm.node.queue.digests.total() != company["ash"].node.queue.digests.total()
    company.wait(REPAIR_S)
    assert elm.node.queue.digests.total() == company["ash"].node.queue.digests.total()


def test_a_damaged_function_is_no_longer_here() -> None:
    bench = Bench(task("a"))
    bench.feed(DamageFound("a function", blob="c0de"))  # type: ignore[arg-type]
    assert not bench.node.inventory.is_whole


def test_whoever_is_away_may_bring_back_what_he_made() -> None:
    bench = Bench(task("a"))
    assert bench.node._losses._lost(A, RangeSet.span(0, 1)) == RangeSet()
    assert not bench.node._losses._is_here(NodeId("elm"))
