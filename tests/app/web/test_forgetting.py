"""Which runs are forgotten, and what is said of them afterwards."""

import msgspec
import pytest

from roost.model.ids import RunId, task_id
from tests.app.web.running_api import RunningApi


def ended(api: RunningApi) -> RunId:
    run = api.submit({"name": "a"})
    api.service.finish(task_id(run, "a"), 0, b"x")
    return run


def test_a_run_is_forgotten_and_then_everybody_is_told_so(api: RunningApi) -> None:
    run = ended(api)
    answer = api.post("/v1/forget", {"select": run}).json()
    assert answer == {
        "runs": [{"run": run, "name": "a", "bytes": 1000}],
        "bytes": 1000,
        "kept": [],
        "dry_run": False,
        "dated_ahead": [],
    }
    for path in (f"/v1/runs/{run}", "/v1/runs/1", f"/v1/runs/{run}/results", "/v1/runs?select=1"):
        gone = api.get(path)
        assert (gone.status, gone.message) == (404, f"{run} was forgotten; nothing of it is kept")


def test_a_dry_run_says_the_same_and_changes_nothing(api: RunningApi) -> None:
    run = ended(api)
    answer = api.post("/v1/forget", {"select": "all", "dry_run": True}).json()
    assert ([told["run"] for told in answer["runs"]], answer["dry_run"]) == ([run], True)
    assert api.get(f"/v1/runs/{run}").status == 200


def test_one_that_has_not_ended_is_refused_by_name_and_passed_over_among_all(api: RunningApi) -> None:
    run, busy = ended(api), api.submit({"name": "b"})
    refused = api.post("/v1/forget", {"select": f"{run},{busy}"})
    assert refused.status == 400
    assert (
        refused.message == f"run {busy} is not forgotten: it has not ended ('roost cancel {busy}'); nothing was changed"
    )
    assert api.service.forgotten == []
    answer = api.post("/v1/forget", {"select": "all"}).json()
    assert [told["run"] for told in answer["runs"]] == [run]
    assert answer["kept"] == [{"run": busy, "why": f"it has not ended ('roost cancel {busy}')"}]


def test_what_another_run_builds_on_goes_with_it(api: RunningApi) -> None:
    first, second = ended(api), ended(api)
    api.service.runs[first] = msgspec.structs.replace(api.service.runs[first], needed_by=(second,))
    refused = api.post("/v1/forget", {"select": first})
    assert (
        refused.message == f"run {first} is not forgotten: run {second} builds on it, which stays; nothing was changed"
    )
    answer = api.post("/v1/forget", {"select": f"{first},{second}"}).json()
    assert [told["run"] for told in answer["runs"]] == [second, first]


def test_only_what_is_old_enough_goes(api: RunningApi) -> None:
    run = ended(api)
    assert api.post("/v1/forget", {"select": "all", "older_s": 1e10}).json()["runs"] == []
    answer = api.post("/v1/forget", {"select": "all", "older_s": 86_400}).json()
    assert [told["run"] for told in answer["runs"]] == [run]


def test_what_is_dated_in_the_future_has_no_age_and_is_told(api: RunningApi, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ended(api)
    # The plain node's runs end five seconds after 1970.
    monkeypatch.setattr("roost.app.web.forgetting.time.time", lambda: 5.0 - 3600)
    answer = api.post("/v1/forget", {"select": "all", "older_s": 60}).json()
    assert (answer["runs"], answer["kept"], answer["dated_ahead"]) == ([], [], [run])
    answer = api.post("/v1/forget", {"select": run}).json()
    assert ([told["run"] for told in answer["runs"]], answer["dated_ahead"]) == ([run], [])


@pytest.mark.parametrize("body", [{}, {"select": "9"}, {"select": "all", "older_s": 0}])
def test_bad_requests_change_nothing(api: RunningApi, body: dict[str, object]) -> None:
    ended(api)
    assert api.post("/v1/forget", body).status in (400, 404)
    assert api.service.forgotten == []
