"""Elements that are finished and wait for voters, as people see them."""

from roost.model.ids import NodeId
from roost.model.limits import NAMED_MAX
from tests.core.company import DEATH_S, WINDOW_S, Company
from tests.core.harness import Bench, ranges, task

A = task("a").id
FIVE = ("ash", "elm", "fir", "oak", "yew")


def cut_off() -> Company:
    """Return five nodes of which elm, with yew beside it, has finished what most others do not hear of."""
    company = Company(*FIVE, no_room=[name for name in FIVE if name != "elm"])
    company["ash"].submit(task("a"), quorum=True)
    company.wait(WINDOW_S)
    company.cut("elm", "yew")
    company["elm"].done("a")
    company.wait(DEATH_S)
    return company


def test_what_waits_for_voters_counts_as_running_on_both_nodes_of_its_side() -> None:
    company = cut_off()
    for name in ("elm", "yew"):
        assert company[name].states("a") == {"running": "0"}
        assert company[name].node.undecided.by_node(A) == {"elm": ranges("0")}
        assert company[name].node.undecided.all(A) == ranges("0")


def test_it_is_explained_by_who_holds_it_and_who_is_missing() -> None:
    company = cut_off()
    held = "its result is here; 0 of 5 voters hold it, 3 are needed; waiting for: ash, elm, fir, oak, yew"
    missing = "too few voters are there for it to count; away: ash, fir, oak; if they are gone for good it never will"
    assert company["elm"].node.explanations.explain(A, 0) == [
        f"element 0: running: {held}",
        f"element 0: running: {missing}, and 'roost cancel 1' ends it",
    ]
    assert company["yew"].node.explanations.explain(A, None) == [
        "1 of 1 elements: running: finished on elm, which waits until most voters hold its result"
    ]


def test_when_enough_are_there_only_the_missing_are_named() -> None:
    company = Company(*FIVE, no_room=[name for name in FIVE if name != "elm"])
    company["ash"].submit(task("a"), quorum=True)
    company.wait(WINDOW_S)
    for name in ("fir", "oak", "yew"):
        company[name].slow_disk = True
    company["elm"].done("a")
    company.settle()
    company["fir"].write_all()
    company.settle()
    # Three have promised; two of them have what they were asked to hold on disk.
    assert company["elm"].node.undecided.why(A, ranges("0")) == [
        (ranges("0"), ["running: its result is here; 2 of 5 voters hold it, 3 are needed; waiting for: fir, oak, yew"])
    ]


def test_a_task_without_voters_has_nothing_undecided() -> None:
    bench = Bench(task("a"))
    assert bench.node.undecided.by_node(A) == {}
    assert bench.node.undecided.why(A, ranges("0")) == []


def test_of_many_voters_a_few_are_named() -> None:
    others = tuple(NodeId(f"n{number:02}") for number in range(2 * NAMED_MAX))
    bench = Bench(task("a", voters=(NodeId("ash"), *others)))
    bench.finish_all()
    ((_, (first, _)),) = bench.node.undecided.why(A, ranges("0"))
    assert first.endswith(f"n06 and {NAMED_MAX + 1} more")
