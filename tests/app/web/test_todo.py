"""The list of what waits for people."""

from typing import Any

import pytest

from roost.model.ids import task_id
from tests.app.web.manual_steps import check_of, give, manual, submit_review
from tests.app.web.running_api import RunningApi


def listed(api: RunningApi, **query: Any) -> list[tuple[str, int]]:
    return [(one["task"], one["element"]) for one in api.get("/v1/todo", **query).json()["todo"]]


def test_what_waits_comes_with_all_that_a_person_needs(api: RunningApi) -> None:
    run = submit_review(api, deadline_s=3600.0)
    first, *_ = api.get("/v1/todo").json()["todo"]
    assert first.pop("since") is None, "the measurements' story was not told"
    (port,) = first.pop("show")
    assert (port["port"], port["source"], port["kind"], port["more"]) == ("value", f"{run}/measure", "each", 0)
    assert [value["value"] for value in port["values"]] == ["measured 1"]
    assert first == {
        "title": "Look at it",
        "instructions": "Say whether it is right.",
        "fields": [
            {"name": "verdict", "type": "choice", "label": "", "required": True, "choices": ["ok", "wrong"]},
            {"name": "weight", "type": "number", "label": "in kg", "required": False, "choices": []},
        ],
        "who": ["anna", "ben"],
        "deadline_s": 3600.0,
        "run": run,
        "number": 1,
        "run_name": "review",
        "task": f"{run}/check",
        "name": "check",
        "element": 1,
        "path": "1",
        "elements": 3,
        "deadline": None,
        "late": False,
    }


def test_what_is_answered_leaves_the_list(api: RunningApi) -> None:
    run = submit_review(api)
    give(api, 2)
    assert listed(api) == [(check_of(run), 1), (check_of(run), 3)]
    assert api.get(f"/v1/runs/{run}").json()["for_people"] == 2


def test_a_person_sees_what_he_may_answer(api: RunningApi) -> None:
    first, second = submit_review(api, who=["anna"]), submit_review(api, who=[])
    everybodys = [(check_of(second), index) for index in (1, 2, 3)]
    assert listed(api, who="ben") == everybodys
    assert listed(api, who="anna") == [(check_of(first), index) for index in (1, 2, 3)] + everybodys


def test_a_run_a_task_or_an_element_is_chosen(api: RunningApi) -> None:
    first, second = submit_review(api), submit_review(api, manual("again"))
    assert {task for task, _ in listed(api, run="1")} == {check_of(first)}
    assert {task for task, _ in listed(api, task="again")} == {task_id(second, "again")}
    assert listed(api, run="last", task="check", element=2) == [(check_of(second), 2)]


@pytest.mark.parametrize(
    ("query", "status", "sentence"),
    [
        ({"run": "9"}, 404, "there is no run '9'"),
        ({"run": "last", "task": "chek"}, 404, "run RUN has no task 'chek'; 'roost show RUN' lists them"),
        ({"run": "last", "task": "check", "element": 9}, 404, "task 'check' has no element 9; it has 1-3"),
        ({"limit": 0}, 400, "field 'limit': expected a whole number >= 1"),
        ({"whom": "anna"}, 400, "the request is not valid: there is no field 'whom'"),
    ],
)
def test_what_cannot_be_chosen_is_refused(api: RunningApi, query: Any, status: int, sentence: str) -> None:
    run = submit_review(api)
    answer = api.get("/v1/todo", **query)
    assert (answer.status, answer.message.replace(run, "RUN")) == (status, sentence)


def test_a_long_list_is_cut_and_says_so(api: RunningApi) -> None:
    submit_review(api, manual("again"))
    answer = api.get("/v1/todo", limit=4, values="false").json()
    assert [(one["name"], one["element"]) for one in answer["todo"]] == [
        ("check", 1), ("check", 2), ("check", 3), ("again", 1),
    ]  # fmt: skip
    assert answer["more"] == 2
    assert all(one["show"] == [] for one in answer["todo"])


def test_runs_without_manual_steps_are_no_ones_business(api: RunningApi) -> None:
    api.submit({"name": "work"})
    assert api.get("/v1/todo").json() == {"todo": [], "more": 0}
