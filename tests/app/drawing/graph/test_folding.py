"""Large graphs made small."""

import pytest

from roost.app.drawing.graph.folding import TIMES, folded
from roost.app.drawing.graph.graph import DrawnStep, Graph, Link
from tests.app.drawing.graph.shapes import fan_of_chains, graph, random_graph


def plain(label: str) -> str:
    return label.replace(TIMES, "x")


def labels(found: Graph) -> list[str]:
    return [plain(step.label) for step in found.steps]


def test_a_graph_that_is_small_enough_stays_as_it_is() -> None:
    small = graph("a > b > c > d > e")
    assert folded(small, 5) is small


def test_a_wide_fan_becomes_one_step_with_a_count() -> None:
    wide = graph(*(f"split > part_{at} > join" for at in range(50)))
    found = folded(wide, 10)
    assert labels(found) == ["split", "part x50", "join"]
    assert [(link.source, link.target, link.stands_for) for link in found.links] == [
        ("split", "part_0", 50),
        ("part_0", "join", 50),
    ]


def test_a_long_chain_becomes_one_step() -> None:
    long = Graph(
        "long",
        [DrawnStep(f"{at}", f"s_{at}") for at in range(5_000)],
        [Link(f"{at}", f"{at + 1}") for at in range(4_999)],
    )
    assert labels(folded(long, 10)) == ["s x5,000"]


def test_a_fan_of_chains_is_folded_no_further_than_needed() -> None:
    assert labels(folded(fan_of_chains(1_000), 30)) == ["split", "map … trim x3,000", "join"]


def test_counts_of_states_are_added_up() -> None:
    steps = [DrawnStep(f"p{at}", f"p{at}", counts={"done": 1, "running": at % 2}) for at in range(10)]
    found = folded(graph(*(f"a > p{at} > z" for at in range(10)), steps=steps), 4)
    assert [step.counts for step in found.steps if step.stands_for > 1] == [{"done": 10, "running": 5}]


def test_what_is_in_a_pool_stays_in_it() -> None:
    steps = [DrawnStep("list", "list"), *(DrawnStep(f"p{at}", f"p{at}", pool="list") for at in range(40))]
    found = folded(graph(*(f"list > p{at}" for at in range(40)), steps=steps), 5)
    assert [(plain(step.label), step.pool) for step in found.steps] == [("list", ""), ("p x40", "list")]


def test_kinds_are_not_mixed_while_there_is_another_way() -> None:
    steps = [DrawnStep(f"v{at}", f"v{at}", "value") for at in range(20)]
    found = folded(
        graph(*(f"a > v{at} > z" for at in range(20)), *(f"a > w{at} > z" for at in range(20)), steps=steps), 6
    )
    assert sorted(labels(found)) == ["a", "v x20", "w x20", "z"]


@pytest.mark.parametrize("limit", [1, 7, 30])
@pytest.mark.parametrize("seed", range(5))
def test_any_graph_ends_below_the_limit_and_stands_for_all(seed: int, limit: int) -> None:
    large = random_graph(seed, 600, (1, 2, 3))
    found = folded(large, limit)
    assert len(found.steps) <= limit
    assert sum(step.stands_for for step in found.steps) == 600
    known = {step.key for step in found.steps}
    assert all(link.source in known and link.target in known for link in found.links)


def test_names_stay_short_however_often_something_is_folded() -> None:
    found = folded(random_graph(2, 3_000, (1, 2, 3)), 20)
    assert {step.label.split()[0] for step in found.steps} == {"step"}
    unlike = [DrawnStep(f"{at}", f"{'abcdefg'[at % 7]}_{at}") for at in range(2_000)]
    links = [Link(f"{at // 2}", f"{at}") for at in range(1, 2_000)]
    assert max(len(step.label) for step in folded(Graph("tree", unlike, links), 12).steps) < 20
