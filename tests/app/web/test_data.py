"""Reading results, failures, logs and files."""

import base64
import pickle
from typing import Any

import pytest

from roost.app.web.data import STATE_HEADER, command_value
from roost.model.ids import TaskId, task_id
from roost.model.limits import PAGE_BYTES_MAX
from roost.model.ranges import RangeSet
from roost.model.task import Failure
from roost.wire.stored import Stored, reference_to
from roost.wire.values import CommandResult, encode_command_result
from tests.app.web.running_api import TOKEN, RunningApi


def finish(api: RunningApi, task: TaskId, index: int, **fields: Any) -> None:
    api.in_loop(api.service.finish, task, index, encode_command_result(CommandResult(**fields)))


def test_a_commands_result_is_its_output_and_how_it_went(api: RunningApi) -> None:
    task = api.submit_one(array="1-3")
    files = {"picture": ("cafe", 12)}
    finish(
        api,
        task,
        2,
        stdout=b"a\nb\n",
        stderr=b"\xff!",
        duration_s=0.5,
        peak_memory_bytes=9,
        datasets=("d1",),
        files=files,
    )
    (result,) = api.get("/v1/runs/last/results").json()["results"]
    assert result == {
        "task": task,
        "index": 2,
        "path": "2",
        "state": "done",
        "node": "ash",
        "value": "a\nb",
        "stdout": "a\nb\n",
        "stderr": "/yE=",
        "stdout_encoding": "utf-8",
        "stderr_encoding": "base64",
        "stdout_cut": False,
        "stderr_cut": False,
        "stdout_whole": None,
        "stderr_whole": None,
        "duration_s": 0.5,
        "peak_memory_bytes": 9,
        "datasets": ["d1"],
        "files": {"picture": {"hash": "cafe", "bytes": 12}},
        "pickle": None,
        "warning": None,
    }


@pytest.mark.parametrize(("stdout", "value"), [(b"", ""), (b"a", "a"), (b"a\n", "a"), (b"a\n\n", "a\n")])
def test_the_value_of_a_command_lacks_just_the_last_line_end(stdout: bytes, value: str) -> None:
    assert command_value(CommandResult(stdout)) == value


def test_a_functions_result_is_a_pickle(api: RunningApi) -> None:
    task = api.submit_one(function={"call": "math:sqrt", "arguments": [4]})
    api.in_loop(api.service.finish, task, 0, pickle.dumps(2.0))
    (result,) = api.get("/v1/runs/last/results").json()["results"]
    assert pickle.loads(base64.b64decode(result["pickle"])) == 2.0
    assert (result["value"], result["stdout"]) == (None, None)


def test_a_scripts_result_is_its_json_value(api: RunningApi) -> None:
    task = api.submit_one(script={"code": "function weevil_main() {}"})
    api.in_loop(api.service.finish, task, 0, b'{"a":[1,null]}')
    (result,) = api.get("/v1/runs/last/results").json()["results"]
    assert (result["value"], result["stdout"], result["pickle"]) == ({"a": [1, None]}, None, None)


def test_a_result_that_is_not_what_its_script_declares_has_a_warning(api: RunningApi) -> None:
    script = {"code": "function weevil_main() {}", "declares": "Number"}
    task = api.submit_one(script=script, array="0-1")
    api.in_loop(api.service.finish, task, 0, b"3")
    api.in_loop(api.service.finish, task, 1, b"[3]")
    number, array = api.get("/v1/runs/last/results").json()["results"]
    assert (number["value"], number["warning"]) == (3, None)
    assert (array["value"], array["warning"]) == ([3], "it is said to return Number, and it returned Array ([3])")


def test_results_are_those_of_the_final_tasks_unless_a_task_is_named(api: RunningApi) -> None:
    run = api.submit(
        {"name": "a"}, {"name": "b", "edges": [{"source": "a", "kind": "broadcast", "port": "x"}]}, {"name": "c"}
    )
    for name in ("a", "b", "c"):
        finish(api, task_id(run, name), 0, stdout=name.encode())

    def values(**query: object) -> list[str]:
        return [result["value"] for result in api.get(f"/v1/runs/{run}/results", **query).json()["results"]]

    assert values() == ["b", "c"]
    assert values(task="a") == ["a"]
    assert values(task=f"{run}/a") == ["a"]
    chosen = api.submit({"name": "a"}, {"name": "b"}, final=["a"])
    for name in ("a", "b"):
        finish(api, task_id(chosen, name), 0, stdout=name.encode())
    assert [one["value"] for one in api.get(f"/v1/runs/{chosen}/results").json()["results"]] == ["a"]


def test_results_of_named_elements_come_if_they_are_done(api: RunningApi) -> None:
    task = api.submit_one(array="1-9")
    for index in (2, 4, 6):
        finish(api, task, index)
    answer = api.get("/v1/runs/last/results", elements="3-9").json()
    assert [result["index"] for result in answer["results"]] == [4, 6]
    assert answer["next"] is None
    missing = api.get("/v1/runs/last/results", elements="9-12")
    assert (missing.status, missing.message) == (404, "task 'work' has no element 10; it has 1-9")


def test_pages_follow_one_another_across_tasks_without_gap_or_overlap(api: RunningApi) -> None:
    run = api.submit({"name": "a", "array": "1-5"}, {"name": "b", "array": "3-7"})
    for name, indices in (("a", range(1, 6)), ("b", range(3, 8))):
        for index in indices:
            finish(api, task_id(run, name), index)
    seen, pages = [], 0
    query: dict[str, object] = {}
    while True:
        answer = api.get(f"/v1/runs/{run}/results", limit=3, **query).json()
        seen += [(result["task"], result["index"]) for result in answer["results"]]
        pages += 1
        if answer["next"] is None:
            break
        query = {"start": answer["next"], "start_task": answer["next_task"]}
    assert seen == [(f"{run}/a", index) for index in range(1, 6)] + [(f"{run}/b", index) for index in range(3, 8)]
    assert pages == 4


def test_a_page_ends_early_when_its_elements_are_large(api: RunningApi) -> None:
    task = api.submit_one(function={"call": "a:b"}, array="0-2")
    for index in range(3):
        api.in_loop(api.service.finish, task, index, bytes(PAGE_BYTES_MAX // 2 + 1))
    first = api.get("/v1/runs/last/results").json()
    assert ([result["index"] for result in first["results"]], first["next"]) == ([0, 1], 2)
    assert first["next_task"] == "work"


def test_a_page_cannot_start_at_a_task_that_was_not_asked_for(api: RunningApi) -> None:
    api.submit_one()
    answer = api.get("/v1/runs/last/results", start=0, start_task="other")
    assert (answer.status, answer.message) == (404, "'other' is not one of the tasks that are asked for")


def test_failures_say_all_that_is_known(api: RunningApi) -> None:
    task = api.submit_one(array="1-4")
    api.in_loop(api.service.fail, task, 3, Failure("exit code 3", 3, None, 4096, 1.5, "last lines"))
    assert api.get("/v1/runs/last/failures").json() == {
        "failures": [
            {
                "task": task,
                "index": 3,
                "path": "3",
                "node": "ash",
                "reason": "exit code 3",
                "exit_code": 3,
                "signal": None,
                "peak_memory_bytes": 4096,
                "duration_s": 1.5,
                "detail": "last lines",
            }
        ],
        "next": None,
        "next_task": None,
    }


def test_a_failure_that_was_overcome_is_shown_only_if_its_element_is_named(api: RunningApi) -> None:
    task = api.submit_one(array="1-4")
    for index in (2, 3):
        api.in_loop(api.service.fail, task, index, Failure("exit code 3"))
    finish(api, task, 2)

    def indices(**query: object) -> list[int]:
        return [failure["index"] for failure in api.get("/v1/runs/last/failures", **query).json()["failures"]]

    assert indices() == [3]
    assert indices(task="work") == [3]
    assert indices(elements="1-2") == [2]


def test_failures_come_in_pages_too(api: RunningApi) -> None:
    task = api.submit_one(array="1-4")
    for index in range(1, 5):
        api.in_loop(api.service.fail, task, index, Failure("exit code 3"))
    first = api.get("/v1/runs/last/failures", limit=3).json()
    assert (len(first["failures"]), first["next"], first["next_task"]) == (3, 4, "work")
    second = api.get("/v1/runs/last/failures", limit=3, start=4, start_task="work").json()
    assert ([failure["index"] for failure in second["failures"]], second["next"]) == ([4], None)


def test_a_log_is_read_from_its_file_from_an_offset_on(api: RunningApi) -> None:
    task = api.submit_one(array="1-2")
    api.in_loop(api.service.run_element, task, 2)
    content = bytes(range(256)) * 3000
    api.service.log_path(task, 2, "stdout").write_bytes(content)
    whole = api.get("/v1/runs/last/logs", element=2)
    assert (whole.status, whole.body) == (200, content)
    assert whole.headers[STATE_HEADER] == "running"
    assert whole.headers["Content-Type"] == "application/octet-stream"
    assert api.get("/v1/runs/last/logs", element=2, offset=700_000).body == content[700_000:]
    assert api.get("/v1/runs/last/logs", element=2, offset=len(content)).body == b""
    assert api.get("/v1/runs/last/logs", element=2, offset=10**12).body == b""
    assert api.get("/v1/runs/last/logs", element=2, stream="stderr").body == b""


def test_a_log_without_a_file_is_what_came_with_the_result_or_the_failure(api: RunningApi) -> None:
    task = api.submit_one(array="1-3")
    finish(api, task, 1, stdout=b"out\xff", stderr=b"err")
    api.in_loop(api.service.fail, task, 2, Failure("exit code 3", detail="what it said"))
    done = api.get("/v1/runs/last/logs", element=1)
    assert (done.body, done.headers[STATE_HEADER]) == (b"out\xff", "done")
    assert api.get("/v1/runs/last/logs", element=1, stream="stderr", offset=1).body == b"rr"
    failed = api.get("/v1/runs/last/logs", element=2)
    assert (failed.body, failed.headers[STATE_HEADER]) == (b"what it said", "failed")
    assert api.get("/v1/runs/last/logs", element=3).headers[STATE_HEADER] == "ready"


def test_a_file_of_an_earlier_attempt_does_not_hide_what_a_result_holds_whole(api: RunningApi) -> None:
    task = api.submit_one(array="1-2")
    for index in (1, 2):
        api.service.log_path(task, index, "stdout").write_bytes(b"all of it, from the file")
    finish(api, task, 1, stdout=b"short")
    finish(api, task, 2, stdout=b"all", stdout_whole=("ab", 24))
    assert api.get("/v1/runs/last/logs", element=1).body == b"short"
    assert api.get("/v1/runs/last/logs", element=2).body == b"all of it, from the file"
    (found,) = api.get("/v1/runs/last/results", elements="2").json()["results"]
    assert (found["stdout_cut"], found["stdout_whole"]) == (True, {"hash": "ab", "bytes": 24})


@pytest.mark.parametrize(("log", "found"), [(None, "is gone"), (b"all of", "has 6")])
def test_the_beginning_of_an_output_is_not_passed_off_as_the_whole(
    api: RunningApi, log: bytes | None, found: str
) -> None:
    task = api.submit_one(array="1-2")
    if log is not None:
        api.service.log_path(task, 2, "stdout").write_bytes(log)
    finish(api, task, 2, stdout=b"all", stdout_whole=("ab", 24))
    answer = api.get("/v1/runs/last/logs", element=2)
    assert (answer.status, answer.message) == (
        503,
        f"element 2 of task 'work' wrote 24 bytes to stdout, and its log {found}; 'roost get --json' has the beginning",
    )


def test_a_failed_element_shows_its_log_before_its_last_lines(api: RunningApi) -> None:
    task = api.submit_one()
    api.in_loop(api.service.fail, task, 0, Failure("exit code 3", detail="the end"))
    assert api.get("/v1/runs/last/logs").body == b"the end"
    api.service.log_path(task, 0, "stdout").write_bytes(b"the beginning and the end")
    assert api.get("/v1/runs/last/logs").body == b"the beginning and the end"


def test_a_log_needs_to_know_which_element(api: RunningApi) -> None:
    api.submit_one(array="1-3")
    answer = api.get("/v1/runs/last/logs")
    assert (answer.status, answer.message) == (400, "task 'work' has 3 elements; say which one you mean with 'element'")
    wrong = api.get("/v1/runs/last/logs", element=1, stream="stdin")
    assert (wrong.status, wrong.message) == (400, "field 'stream': invalid enum value 'stdin'")


def test_a_declared_file_is_sent_whole(api: RunningApi) -> None:
    task = api.submit_one()
    content = bytes(range(256)) * 5000
    (api.service.home / "cafe").write_bytes(content)
    finish(api, task, 0, files={"picture": ("cafe", len(content))})
    assert api.get("/v1/runs/last/files").body == content
    named = api.get("/v1/runs/last/files", name="picture")
    assert (named.body, named.headers["Content-Type"]) == (content, "application/octet-stream")


def test_a_file_that_is_not_there_is_not_found(api: RunningApi) -> None:
    task = api.submit_one(array="0-1")
    finish(api, task, 0, files={"a": ("cafe", 1), "b": ("beef", 1)})

    def message(**query: object) -> str:
        answer = api.get("/v1/runs/last/files", **query)
        assert answer.status == 404
        return answer.message

    assert message(element=1) == "element 1 of task 'work' has no files; it is ready"
    assert message(element=0) == "element 0 of task 'work' has several files; name one of: a, b"
    assert message(element=0, name="c") == "element 0 of task 'work' has no file 'c'; its files are: a, b"
    assert message(element=0, name="a") == "the content cafe is not here"


def test_every_result_names_the_node_that_made_it(api: RunningApi) -> None:
    task = api.submit_one(array="0-3")
    for index in range(4):
        finish(api, task, index)
    results = api.get("/v1/runs/last/results").json()["results"]
    assert [result["node"] for result in results] == ["ash", "elm", "ash", "elm"]


# What lies on other nodes.


def test_results_of_other_nodes_are_brought_and_come_in_their_order(api: RunningApi) -> None:
    task = api.submit_one(array="0-5")
    for index in range(6):
        finish(api, task, index, stdout=b"%d" % index)
    api.service.far[task] = RangeSet.parse("1-2,4")
    assert [result["value"] for result in api.get("/v1/runs/last/results").json()["results"]] == list("012345")
    assert [str(ranges) for _, ranges in api.service.brought] == ["1", "2", "4"]


def test_a_page_ends_before_what_cannot_be_had_and_the_next_says_why(api: RunningApi) -> None:
    task = api.submit_one(array="0-5")
    for index in range(6):
        finish(api, task, index, stdout=b"%d" % index)
    api.service.far[task], api.service.is_away = RangeSet.span(3, 4), True
    page = api.get("/v1/runs/last/results").json()
    assert [result["index"] for result in page["results"]] == [0, 1, 2]
    assert (page["next"], page["next_task"]) == (3, "work")
    rest = api.get("/v1/runs/last/results", start=3)
    assert (rest.status, rest.kind) == (503, "unavailable")
    assert "on elm, which is away" in rest.message
    assert [result["index"] for result in api.get("/v1/runs/last/results", start=4).json()["results"]] == [4, 5]


def test_a_log_that_is_away_is_an_error_unless_something_was_kept_of_it(api: RunningApi) -> None:
    task = api.submit_one(array="1-2")
    api.in_loop(api.service.fail, task, 1, Failure("exit code 3", detail="the end"))
    api.service.is_away = True
    assert api.get("/v1/runs/last/logs", element=1).body == b"the end"
    answer = api.get("/v1/runs/last/logs", element=2)
    assert (answer.status, answer.message) == (503, "what element 2 wrote is on elm, which is away")


def test_why_elements_failed_elsewhere_is_brought_before_it_is_told(api: RunningApi) -> None:
    task = api.submit_one(array="1-2")
    api.in_loop(api.service.fail, task, 1, Failure("exit code 3"))
    api.service.unknown[task] = RangeSet.span(1, 2)
    (failure,) = api.get("/v1/runs/last/failures").json()["failures"]
    assert failure["reason"] == "exit code 3"
    assert api.service.unknown == {}


def test_a_large_value_is_handed_in_as_it_is_and_read_back(api: RunningApi) -> None:
    taken = api.send("POST", "/v1/values", b"\xff" * 3_000_000, {"Authorization": f"Bearer {TOKEN}"})
    told = taken.json()
    assert told["bytes"] == 3_000_000
    assert api.get("/v1/values", **told).body == b"\xff" * 3_000_000
    gone = api.get("/v1/values", content="ab" * 16, bytes=3)
    assert (gone.status, gone.message) == (404, f"the content {'ab' * 16} is not here")
    assert api.get("/v1/values", content="../token", bytes=3).status == 400


def test_a_large_result_of_a_function_is_named_among_the_files(api: RunningApi) -> None:
    task = api.submit_one(function={"call": "math:sqrt"})
    reference = reference_to(Stored("ab" * 16, 70_000_000))
    api.in_loop(api.service.finish, task, 0, reference)
    (found,) = api.get("/v1/runs/last/results").json()["results"]
    assert found["files"] == {"result.pickle": {"hash": "ab" * 16, "bytes": 70_000_000}}
    (api.service.home / ("ab" * 16)).write_bytes(b"the pickle")
    assert api.get("/v1/runs/last/files").body == b"the pickle"


def test_a_log_is_read_in_pieces_by_who_asks_for_a_limit(api: RunningApi) -> None:
    task = api.submit_one(array="1-2")
    api.service.log_path(task, 1, "stdout").write_bytes(b"0123456789")
    finish(api, task, 2, stdout=b"abc")
    read = [api.get("/v1/runs/last/logs", element=1, offset=at, limit=4).body for at in (0, 4, 8, 10)]
    assert read == [b"0123", b"4567", b"89", b""]
    assert api.get("/v1/runs/last/logs", element=2, offset=1, limit=1).body == b"b"


def test_a_result_that_is_damaged_here_is_brought_as_if_it_were_elsewhere(api: RunningApi) -> None:
    task = api.submit_one(array="1-3")
    for index in (1, 2, 3):
        finish(api, task, index, stdout=f"{index}".encode())
    api.service.damaged[task] = RangeSet.span(2, 3)
    found = api.get("/v1/runs/last/results").json()["results"]
    assert [result["value"] for result in found] == ["1", "2", "3"]


def test_a_result_that_stays_damaged_is_refused(api: RunningApi) -> None:
    task = api.submit_one(array="1-3")
    for index in (1, 2, 3):
        finish(api, task, index, stdout=f"{index}".encode())
    api.service.damaged[task] = RangeSet.span(1, 4)
    api.service.mends_nothing = True
    refused = api.get("/v1/runs/last/results")
    assert refused.status == 503
    assert "damaged" in refused.json()["error"]["message"]
