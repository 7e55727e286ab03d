"""Work that is sent back is done again with all that was made of it, and with nothing else."""

from roost.core.actions import Accepted, Refused
from roost.core.queue.invalidation import behind, next_edition, reopened
from roost.model.ids import task_id
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.states import Done, Retried
from roost.model.task import Manual, Value
from roost.model.token import Token
from tests.core.harness import ASH, OTHER_RUN, RUN, Bench, edge, inside, mapping, ranges, task
from tests.stored_results import stored_results


def chain() -> Bench:
    """a, b and c of three elements each, one after the other, and d of all of b; all are done."""
    bench = Bench(
        task("a", 3), task("b", 3, edge("a")), task("c", 3, edge("b")), task("d", 1, edge("b", "all")), cpus=9.0
    )
    bench.finish_all()
    bench.recall()
    bench.seen()
    return bench


def editions(bench: Bench, name: str) -> dict[int, str]:
    """Return the elements of a task by their edition."""
    found: dict[int, RangeSet] = {}
    for state, part in bench.node.queue.replica.tasks[task_id(RUN, name)].elements.items():
        found[state.edition] = found.get(state.edition, RangeSet()) | part
    return {edition: str(part) for edition, part in sorted(found.items())}


def started(bench: Bench) -> dict[str, str]:
    """Return what was started since the last look, by task."""
    found: dict[str, RangeSet] = {}
    for line in bench.starts():
        name, _, part = line.rstrip("]").partition("[")
        found[name] = found.get(name, RangeSet()) | ranges(part)
    return {name: str(part) for name, part in found.items()}


def at_the_end(bench: Bench) -> str:
    """Let everything end; return the state of the run."""
    bench.finish_all()
    bench.recall()
    return bench.view().state


def test_what_was_made_of_it_is_done_again_and_nothing_else() -> None:
    bench = chain()
    assert bench.send_back(b="1") == Accepted(elements=3)
    assert bench.starts() == ["b[1]"]
    bench.done("b", "1")
    assert sorted(bench.starts()) == ["c[1]", "d[0]"]
    assert at_the_end(bench) == "done"
    assert bench.states("a") == {"done": "0-2"}


def test_behind_elements_is_what_their_edges_reach() -> None:
    bench = chain()
    a, b, c, d = (task_id(RUN, name) for name in "abcd")
    assert behind(bench.node.queue.replica, bench.node.queue.dataflow, [(a, ranges("0"))]) == {
        b: ranges("0"),
        c: ranges("0"),
        d: ranges("0"),
    }
    assert behind(bench.node.queue.replica, bench.node.queue.dataflow, [(c, ranges("0-2"))]) == {}


def test_the_new_edition_is_larger_than_all_that_it_concerns() -> None:
    bench = chain()
    bench.send_back(b="1")
    bench.finish_all()
    bench.recall()
    bench.send_back(a="0")
    assert editions(bench, "a") == {0: "1-2", 2: "0"}
    assert editions(bench, "b") == {0: "2", 1: "1", 2: "0"}
    assert editions(bench, "d") == {2: "0"}


def test_what_nobody_has_touched_just_waits_on() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")), task("c", 1, edge("b")))
    bench.done("a")
    affected = {task_id(RUN, "c"): ranges("0")}
    assert next_edition(bench.node.queue.replica, affected) == 1
    assert reopened(bench.node.queue.replica, affected, 1) == []


def test_what_runs_of_it_is_stopped_and_begins_again_with_new_inputs() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")), task("x"))
    bench.done("a")
    bench.seen()
    bench.send_back(a="0")
    assert "stop b[0] kill" in bench.seen()
    bench.give_back("b", "0")
    assert [line for line in bench.starts() if "b" in line] == []
    bench.done("a")
    assert bench.starts() == ["b[0]"]


def test_a_late_result_of_an_earlier_edition_counts_for_nothing() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")))
    bench.done("a")
    bench.send_back(a="0")
    bench.done("b")
    assert bench.states("b") == {"waiting": "0"}
    assert editions(bench, "b") == {1: "0"}
    bench.done("a")
    assert bench.starts()[-1] == "b[0]"


def test_tokens_grow_from_edition_to_edition() -> None:
    bench = chain()
    before = bench.tokens()["b"]
    bench.send_back(b="1")
    assert bench.tokens()["b"] > max(before, Token(edition=1))


def test_what_failed_of_it_is_forgiven() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")))
    bench.done("a")
    bench.fail("b")
    bench.recall()
    assert bench.states("b") == {"failed": "0"}
    bench.send_back(a="0")
    assert bench.states("b") == {"waiting": "0"}
    assert at_the_end(bench) == "done"


def test_what_another_run_took_it_keeps() -> None:
    bench = Bench(task("a"))
    bench.submit(task("b", 1, edge("a"), run=OTHER_RUN))
    bench.finish_all()
    bench.recall()
    bench.recall(OTHER_RUN)
    bench.send_back(a="0")
    assert bench.states("b", OTHER_RUN) == {"done": "0"}


def test_only_what_is_done_is_sent_back() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")))
    answer = bench.send_back(b="0")
    assert isinstance(answer, Refused)
    assert answer.message.startswith("nothing of what is sent back is done")
    assert editions(bench, "b") == {}


def test_a_value_is_not_done_again() -> None:
    bench = Bench(task("v", work=Value("5")), task("a"))
    answer = bench.send_back(v="0")
    assert isinstance(answer, Refused)
    assert "is a value, which cannot be done again" in answer.message


# Pools.


def mapped(length: int = 2) -> Bench:
    """m maps a list of this length into the pool p, r gathers it; all are done."""
    m = mapping("m")
    bench = Bench(m, inside("p", m, edge("q", "after")), task("q"), task("r", 1, edge("p", "gather")), cpus=9.0)
    bench.map("m", _0=length)
    bench.finish_all()
    bench.recall()
    bench.seen()
    return bench


def test_a_mapper_that_gives_a_longer_list_gets_more_elements() -> None:
    bench = mapped(2)
    bench.send_back(m="0")
    bench.map("m", _0=4)
    assert started(bench)["p"] == "0-3"
    assert at_the_end(bench) == "done"
    assert bench.states("p") == {"done": "0-3"}


def test_a_mapper_that_gives_a_shorter_list_gets_fewer() -> None:
    bench = mapped(3)
    bench.send_back(m="0")
    bench.map("m", _0=1)
    assert started(bench)["p"] == "0"
    bench.finish_all()
    bench.recall()
    assert bench.states("p") == {"done": "0"}
    assert bench.states("r") == {"done": "0"}


def test_a_mapper_that_gives_nothing_any_more_leaves_an_empty_pool() -> None:
    bench = mapped(3)
    bench.send_back(m="0")
    bench.map("m", _0=0)
    assert started(bench) == {"m": "0", "r": "0"}
    assert at_the_end(bench) == "done"


def test_what_does_not_exist_stays_so_when_something_else_is_sent_back() -> None:
    bench = mapped(2)
    bench.send_back(q="0")
    bench.done("q")
    assert started(bench)["p"] == "0-1"
    assert at_the_end(bench) == "done"
    assert bench.states("p") == {"done": "0-1"}
    assert editions(bench, "p") == {0: f"2-{POOL_BLOCK - 1}", 1: "0-1"}


def test_one_element_of_a_pool_is_done_again_alone() -> None:
    bench = mapped(3)
    bench.send_back(p="1")
    assert bench.starts() == ["p[1]"]
    bench.finish_all()
    bench.recall()
    assert bench.states("p") == {"done": "0-2"}
    assert editions(bench, "r") == {1: "0"}


def test_a_list_that_had_not_been_begun_is_of_the_edition_of_its_pool() -> None:
    m = mapping("m", 3, edge("a", "after"))
    bench = Bench(task("a"), m, inside("p", m), task("r", 1, edge("p", "all")), cpus=1.0)
    bench.done("a")
    assert started(bench) == {"m": "0"}
    bench.send_back(a="0")
    bench.give_back("m", "0")
    bench.done("a")
    assert editions(bench, "m") == {1: "0-2"}
    bench.map("m", _0=0, _1=2, _2=1)
    assert at_the_end(bench) == "done"
    assert bench.states("p") == {"done": f"{POOL_BLOCK}-{POOL_BLOCK + 1},{2 * POOL_BLOCK}"}


def test_a_pool_inside_a_pool_begins_anew_with_it() -> None:
    m = mapping("m")
    p = inside("p", m, is_mapped=True)
    bench = Bench(m, p, inside("n", p), task("r", 1, edge("n", "all")), cpus=9.0)
    bench.map("m", _0=1)
    bench.map("p", _0=2)
    bench.finish_all()
    bench.recall()
    assert bench.states("n") == {"done": "0-1"}
    bench.send_back(m="0")
    bench.map("m", _0=2)
    bench.map("p", _0=0, _1=1)
    assert at_the_end(bench) == "done"
    assert bench.states("n") == {"done": str(POOL_BLOCK)}


# What people do.


def form() -> Bench:
    return Bench(task("look", 1, work=Manual("look")), task("b", 1, edge("look")), task("x"), cpus=9.0)


def test_an_answer_makes_a_manual_task_done() -> None:
    bench = form()
    assert bench.states("look") == {"ready": "0"}
    assert bench.answer("look") == Accepted(elements=1)
    assert bench.starts() == ["b[0]"]


def test_an_answer_that_is_amended_has_all_done_again_that_was_made_of_it() -> None:
    bench = form()
    bench.answer("look", value=b"1")
    bench.finish_all()
    bench.recall()
    bench.seen()
    bench.answer("look", value=b"2")
    assert bench.starts() == ["b[0]"]
    bench.finish_all()
    state = bench.disk.tasks[task_id(RUN, "look")].elements.at(0)
    assert isinstance(state, Done)
    assert (state.edition, state.node) == (1, ASH)
    assert stored_results(bench.disk, task_id(RUN, "look"), 0)[-1] == (state.token, b"2")


def test_an_answer_that_is_rejected_is_waited_for_again() -> None:
    bench = form()
    bench.answer("look")
    bench.finish_all()
    bench.recall()
    bench.send_back(look="0")
    assert bench.states("look") == {"ready": "0"}
    assert bench.states("b") == {"waiting": "0"}
    assert bench.answer("look") == Accepted(elements=1)
    assert at_the_end(bench) == "done"


def test_nobody_is_asked_before_what_he_looks_at_is_there() -> None:
    bench = Bench(task("a"), task("look", 1, edge("a"), work=Manual("look")))
    answer = bench.answer("look")
    assert isinstance(answer, Refused)
    assert "waits for nobody's answer now" in answer.message
    other = bench.answer("a")
    assert isinstance(other, Refused)
    assert "is not done by people" in other.message


def test_editions_outlive_the_node() -> None:
    bench = chain()
    bench.send_back(b="1")
    bench.boot()
    assert editions(bench, "b") == {0: "0,2", 1: "1"}
    assert at_the_end(bench) == "done"


def test_states_of_one_edition_are_what_the_next_ones_replace() -> None:
    bench = chain()
    affected = {task_id(RUN, "b"): ranges("1")}
    before = bench.node.queue.replica.tasks[task_id(RUN, "b")].elements.at(1)
    assert before is not None
    ((name, delta),) = reopened(bench.node.queue.replica, affected, 7)
    assert (name, list(delta.items())) == (task_id(RUN, "b"), [(Retried(0, before.token, 7), ranges("1"))])
