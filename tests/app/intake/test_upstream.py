"""Which elements lead to an element."""

from typing import Any

from roost.app.intake.upstream import leading_to
from roost.model.ids import RunId, name_of, task_id
from tests.app.web.running_api import RunningApi


def edge(source: str, kind: str = "each") -> dict[str, Any]:
    return {"source": source, "kind": kind, "port": "" if kind == "after" else source}


def leading(api: RunningApi, run: RunId, name: str, index: int) -> dict[str, str]:
    view = api.in_loop(api.service.task, task_id(run, name))
    return {name_of(task): str(ranges) for task, ranges in leading_to(api.service, view, index).items()}


def test_over_each_it_is_the_same_element_and_over_the_others_all(api: RunningApi) -> None:
    run = api.submit(
        {"name": "a", "array": "1-3"},
        {"name": "b", "array": "1-3", "edges": [edge("a")]},
        {"name": "one"},
        {"name": "c", "array": "1-3", "edges": [edge("b"), edge("one", "broadcast")]},
        {"name": "d", "edges": [edge("c", "all")]},
        {"name": "aside", "edges": [edge("a", "all")]},
    )
    assert leading(api, run, "c", 2) == {"b": "2", "one": "0", "a": "2"}
    assert leading(api, run, "d", 0) == {"c": "1-3", "b": "1-3", "one": "0", "a": "1-3"}
    assert leading(api, run, "a", 1) == {}


def test_two_ways_to_a_task_bring_all_of_both(api: RunningApi) -> None:
    run = api.submit(
        {"name": "a", "array": "1-3"},
        {"name": "gate", "edges": [edge("a", "after")]},
        {"name": "b", "array": "1-3", "edges": [edge("a"), edge("gate", "after")]},
    )
    assert leading(api, run, "b", 2) == {"a": "1-3", "gate": "0"}


def test_other_runs_stay_out(api: RunningApi) -> None:
    first = api.submit({"name": "a"})
    second = api.submit({"name": "b", "edges": [edge(f"{first}/a", "broadcast")]})
    assert leading(api, second, "b", 0) == {}


def test_in_a_pool_the_mapper_leads_to_every_element_of_its_list(api: RunningApi) -> None:
    run = api.submit(
        {"name": "list", "value": {"json": [1, 2]}},
        {"name": "work", "edges": [{"source": "list", "kind": "spread", "port": "x"}]},
        {"name": "end", "edges": [edge("work", "all")]},
    )
    assert leading(api, run, "work", 1) == {"list": "0"}
    assert "list" in leading(api, run, "end", 0)
