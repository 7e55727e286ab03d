from typing import Any

from roost.languages.wfformat.feeding import Feeding
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet

LIST, INNER, END, OTHER = "r/list", "r/inner", "r/end", "other/x"


def edge(source: str, kind: str, port: str = "p") -> dict[str, Any]:
    return {"source": source, "kind": kind, "port": port}


def feeding(**steps: dict[str, Any]) -> Feeding:
    return Feeding({f"r/{name}": {"edges": [], "sized_by": None, **step} for name, step in steps.items()})


def test_elements_feed_each_other_one_by_one_or_all() -> None:
    found = feeding(a={"ranges": {"done": "1-3", "failed": "5"}}, b={"ranges": {"done": "1-5"}})
    assert found.elements["r/a"] == RangeSet.parse("1-3,5")
    assert found.fed_by("r/b", edge("r/a", "each"), 2) == RangeSet.parse("2")
    assert found.fed_by("r/b", edge("r/a", "each"), 4) == RangeSet()
    for kind in ("all", "broadcast", "after"):
        assert found.fed_by("r/b", edge("r/a", kind), 2) == RangeSet.parse("1-3,5")
    assert found.fed_by("r/b", edge(OTHER, "all"), 2) == RangeSet(), "another run is not part of it"


def test_elements_of_a_pool_are_fed_by_the_element_whose_list_they_are_of() -> None:
    pool = {"ranges": {"done": f"{POOL_BLOCK}-{POOL_BLOCK + 1}"}, "sized_by": LIST}
    found = feeding(list={"ranges": {"done": "0-1"}}, inner=pool, end={"ranges": {"done": "0-1"}})
    for kind in ("spread", "each"):
        assert found.fed_by(INNER, edge(LIST, kind), POOL_BLOCK + 1) == RangeSet.parse("1")
    assert found.fed_by(END, edge(INNER, "gather"), 1) == found.elements[INNER]
    assert found.fed_by(END, edge(INNER, "gather"), 0) == RangeSet()


def test_an_edge_is_found_by_its_port() -> None:
    found = feeding(b={"ranges": {}, "edges": [edge("r/a", "each", "p"), edge("r/c", "all", "q")]})
    assert found.edge_at("r/b", "q") == edge("r/c", "all", "q")
    assert found.edge_at("r/b", "z") is None
