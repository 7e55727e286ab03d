"""Which data is here, and what is lacking before elements can start."""

from typing import Any

from roost.core.data.inventory import Inventory, Lacking
from roost.core.holdings import Brought, Holdings
from roost.core.queue.replica import Replica
from roost.model.elements import Elements
from roost.model.ids import BlobHash, NodeId, task_id
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import EMPTY
from roost.model.record import RunRecord, TaskRecord
from roost.model.states import Absent, Done
from roost.model.task import Function, Script, TaskSpec, blobs_of
from tests.core.harness import ASH, RUN, edge, function, inside, mapping, ranges, run_spec, script, task
from tests.tokens import attempt

A = task_id(RUN, "a")
OAK = NodeId("oak")
CODE, ARGUMENTS, FIRST = BlobHash("c0de"), BlobHash("a465"), BlobHash("f125")


def stocked(*specs: TaskSpec, **states: Any) -> Inventory:
    """Make an empty stock beside a replica with these tasks, the elements of which are in these states."""
    replica = Replica()
    replica.add_run(RunRecord(run_spec()))
    for spec in specs:
        name = spec.id.partition("/")[2]
        replica.add_task(TaskRecord(spec, Elements({state: ranges(text) for state, text in states.get(name, ())})))
    return Inventory(replica)


def done_by(node: NodeId, token: int, elements: str) -> list[tuple[Done, str]]:
    return [(Done(attempt(token), node), elements)]


# Results.


def test_results_count_only_with_the_token_and_the_maker_that_the_state_names() -> None:
    stock = stocked(task("a", 4), a=done_by(OAK, 2, "0-2"))
    stock.add_results(A, attempt(1), OAK, ranges("0"))
    stock.add_results(A, attempt(2), ASH, ranges("1"))
    assert stock.results(A) == EMPTY
    stock.add_results(A, attempt(2), OAK, ranges("2-3"))
    assert stock.results(A) == ranges("2"), "element 3 is not accepted"


def test_results_that_came_before_their_acceptance_count_when_it_comes() -> None:
    replica = Replica()
    replica.add_run(RunRecord(run_spec()))
    entry = replica.add_task(TaskRecord(task("a", 2)))
    stock = Inventory(replica)
    stock.add_results(A, attempt(1), OAK, ranges("0"))
    stock.add_results(A, attempt(1), OAK, ranges("1"))
    assert stock.results(A) == EMPTY
    entry.merge(Elements({Done(attempt(1), OAK): ranges("0-1")}))
    assert stock.results(A) == ranges("0-1")


# What can start.


def test_a_command_without_inputs_lacks_nothing() -> None:
    spec = task("a", 3)
    stock = stocked(spec)
    assert stock.startable(spec, ranges("0-2")) == ranges("0-2")
    assert not stock.lacking(spec, ranges("0-2"))


def test_elements_with_items_start_where_their_items_are() -> None:
    spec = task("a", 4, has_items=True)
    stock = stocked(spec)
    stock.add_items(A, ranges("1"))
    stock.add_items(A, ranges("3"))
    assert stock.items(A) == ranges("1,3")
    assert stock.startable(spec, ranges("0-3")) == ranges("1,3")
    assert stock.lacking(spec, ranges("0-1")) == Lacking(items=((A, ranges("0")),))


def test_a_function_needs_its_variables() -> None:
    work = Function(CODE, "3.11", "f", variables=ARGUMENTS)
    assert blobs_of(task("a", work=work)) == [CODE, ARGUMENTS]


def test_a_function_needs_its_code_its_arguments_and_its_initializer() -> None:
    work = Function(CODE, "3.11", "f", ARGUMENTS, FIRST)
    spec = task("a", 2, work=work)
    stock = stocked(spec)
    assert blobs_of(spec) == [CODE, ARGUMENTS, FIRST]
    stock.add_blob(CODE)
    assert stock.startable(spec, ranges("0-1")) == EMPTY
    assert stock.lacking(spec, ranges("0")) == Lacking(blobs=(ARGUMENTS, FIRST))
    stock.add_blob(ARGUMENTS)
    stock.add_blob(FIRST)
    assert stock.has_blob(FIRST)
    assert stock.startable(spec, ranges("0-1")) == ranges("0-1")


def test_a_script_needs_its_code_and_its_arguments() -> None:
    assert blobs_of(task("a", work=Script(CODE, "job", arguments=ARGUMENTS))) == [CODE, ARGUMENTS]
    assert blobs_of(script("a")) == [CODE]


def test_a_plain_function_needs_its_code_and_a_command_no_blob() -> None:
    assert blobs_of(function("f")) == [CODE]
    assert blobs_of(task("a")) == []


def test_element_by_element_only_the_result_of_the_same_index_is_needed() -> None:
    spec = task("b", 4, edge("a"))
    stock = stocked(task("a", 4), spec, a=done_by(OAK, 1, "0-2"))
    stock.add_results(A, attempt(1), OAK, ranges("1"))
    assert stock.startable(spec, ranges("0-2")) == ranges("1")
    assert stock.lacking(spec, ranges("0-1")) == Lacking(results=((A, ranges("0")),))


def test_whoever_needs_all_starts_nothing_until_all_are_here() -> None:
    spec = task("b", 2, edge("a", "all"))
    stock = stocked(task("a", 3), spec, a=done_by(OAK, 1, "0-2"))
    stock.add_results(A, attempt(1), OAK, ranges("0-1"))
    assert stock.startable(spec, ranges("0-1")) == EMPTY
    assert stock.lacking(spec, ranges("1")) == Lacking(results=((A, ranges("2")),))
    stock.add_results(A, attempt(1), OAK, ranges("2"))
    assert stock.startable(spec, ranges("0-1")) == ranges("0-1")


def test_a_broadcast_needs_the_one_result_for_every_element() -> None:
    spec = task("b", 5, edge("a", "broadcast"))
    stock = stocked(task("a"), spec, a=done_by(OAK, 1, "0"))
    assert stock.startable(spec, ranges("3")) == EMPTY
    assert stock.lacking(spec, ranges("3")) == Lacking(results=((A, ranges("0")),))


def test_who_merely_comes_after_needs_no_data() -> None:
    spec = task("b", 2, edge("a", "after"))
    stock = stocked(task("a", 9), spec, a=done_by(OAK, 1, "0-8"))
    assert stock.startable(spec, ranges("0-1")) == ranges("0-1")
    assert not stock.lacking(spec, ranges("0-1"))


def test_two_edges_from_one_source_are_asked_for_together() -> None:
    spec = task("b", 3, edge("a"), edge("a", "all"))
    stock = stocked(task("a", 3), spec, a=done_by(OAK, 1, "0-2"))
    assert stock.lacking(spec, ranges("1")) == Lacking(results=((A, ranges("0-2")),))


def test_what_is_not_accepted_anywhere_cannot_be_asked_for() -> None:
    spec = task("b", 3, edge("a"))
    stock = stocked(task("a", 3), spec, a=done_by(OAK, 1, "0"))
    assert stock.lacking(spec, ranges("0-2")) == Lacking(results=((A, ranges("0")),))


# Beginning and end.


def test_a_node_starts_with_what_its_disk_holds() -> None:
    spec = task("b", 2, edge("a"), has_items=True)
    stock = stocked(task("a", 2), spec, a=done_by(OAK, 4, "0-1"))
    stock.restore(Holdings(A, results=((attempt(4), OAK, ranges("0")), (attempt(3), OAK, ranges("1")))))
    stock.restore(Holdings(spec.id, items=ranges("0-1")))
    assert stock.startable(spec, ranges("0-1")) == ranges("0")
    assert Inventory(Replica(), [CODE]).has_blob(CODE)


def test_what_leaves_memory_is_no_longer_counted() -> None:
    spec = task("a", 2, has_items=True)
    stock = stocked(spec, a=done_by(OAK, 1, "0-1"))
    stock.add_items(A, ranges("0-1"))
    stock.add_results(A, attempt(1), OAK, ranges("0-1"))
    stock.drop(A)
    stock.drop(A)
    assert (stock.items(A), stock.results(A)) == (EMPTY, EMPTY)


def test_what_a_full_disk_refused_is_not_here_and_what_was_here_before_stays() -> None:
    spec = task("a", 6, has_items=True)
    stock = stocked(spec, a=done_by(OAK, 1, "0-5"))
    stock.add_results(A, attempt(1), OAK, ranges("0"))
    brought = Brought(((A, ranges("1-2")),), ((A, attempt(1), OAK, ranges("1-3")),), (CODE,))
    stock.add(brought)
    assert (stock.items(A), stock.results(A), stock.has_blob(CODE)) == (ranges("1-2"), ranges("0-3"), True)
    assert stock.made(A, attempt(1), OAK) == ranges("0-3")
    stock.take_back(brought)
    assert (stock.items(A), stock.results(A), stock.has_blob(CODE)) == (EMPTY, ranges("0"), False)


def test_taking_back_what_has_left_memory_leaves_nothing_behind() -> None:
    stock = stocked(task("a", 2), a=done_by(OAK, 1, "0-1"))
    stock.take_back(Brought(((A, ranges("0")),), ((A, attempt(1), OAK, ranges("0")),), (CODE,)))
    assert (stock.items(A), stock.results(A)) == (EMPTY, EMPTY)


def test_how_much_is_lacking_is_counted() -> None:
    assert len(Lacking()) == 0
    assert len(Lacking(((A, ranges("0-3")),), ((A, ranges("1")),), (CODE, FIRST))) == 7


# Pools.

M = mapping("m", 2)
P = inside("p", M)
LISTS = [(Done(attempt(1), OAK, 2), "0"), (Done(attempt(1), OAK, 1), "1")]
ENDS = [(Absent(), f"2-{POOL_BLOCK - 1},{POOL_BLOCK + 1}-{2 * POOL_BLOCK - 1}")]


def test_an_element_of_a_pool_needs_the_list_of_its_block_here() -> None:
    stock = stocked(M, P, m=LISTS, p=ENDS)
    everything = ranges(f"0-1,{POOL_BLOCK}")
    assert stock.lacking(P, everything).results == ((M.id, ranges("0-1")),)
    stock.add_results(M.id, attempt(1), OAK, ranges("1"))
    assert stock.startable(P, everything) == ranges(str(POOL_BLOCK))


def test_what_gathers_needs_all_that_lies_below_it_here_and_nothing_else() -> None:
    g = task("g", 2, edge("p", "gather"))
    stock = stocked(M, P, g, m=LISTS, p=[*ENDS, (Done(attempt(3), OAK), f"0-1,{POOL_BLOCK}")])
    stock.add_results(P.id, attempt(3), OAK, ranges(f"0,{POOL_BLOCK}"))
    assert stock.startable(g, ranges("0-1")) == ranges("1")
    assert stock.lacking(g, ranges("0-1")).results == ((P.id, ranges("1")),)
    stock.add_results(P.id, attempt(3), OAK, ranges("1"))
    assert stock.startable(g, ranges("0-1")) == ranges("0-1")


def test_what_does_not_exist_is_not_lacking() -> None:
    s = task("s", 1, edge("p", "all"))
    stock = stocked(M, P, s, m=LISTS, p=[*ENDS, (Done(attempt(3), OAK), f"0-1,{POOL_BLOCK}")])
    stock.add_results(P.id, attempt(3), OAK, ranges(f"0-1,{POOL_BLOCK}"))
    assert stock.startable(s, ranges("0")) == ranges("0")
