"""What people do in manual steps reaches the node as it was meant, or not at all."""

from typing import Any

import pytest

from roost.app.intake import forms
from roost.app.web.application import ANSWERING
from roost.core.events import Answered, ReopenAsked
from roost.model.happenings import SentBackBy
from roost.model.ids import task_id
from roost.model.limits import REASON_LENGTH_MAX
from roost.model.ranges import RangeSet
from roost.wire.values import decode_item
from tests.app.web.manual_steps import MEASURE, check_of, give, manual, submit_review
from tests.app.web.running_api import RunningApi

SUM = {"name": "sum", "edges": [{"source": "check", "kind": "all", "port": "answers"}]}


def test_an_answer_becomes_the_result_with_all_fields(api: RunningApi) -> None:
    run = submit_review(api)
    answer = give(api, 2)
    assert answer.status == 200
    assert answer.json() == {
        "run": run,
        "task": f"{run}/check",
        "element": 2,
        "path": "2",
        "amended": False,
        "values": {"verdict": "ok", "weight": None},
    }
    asked = api.service.asked[-1]
    assert isinstance(asked, Answered)
    assert (asked.task, asked.index, asked.who) == (check_of(run), 2, "anna")
    assert asked.result.start == 2
    assert decode_item(asked.result.values()[0]) == {"verdict": "ok", "weight": None}
    (result,) = api.get(f"/v1/runs/{run}/results", task="check").json()["results"]
    assert result["value"] == {"verdict": "ok", "weight": None}


PICTURE = {"fields": [{"name": "picture", "type": "file"}]}


def test_a_file_is_handed_in_kept_and_fetched_again(api: RunningApi) -> None:
    run = submit_review(api, **PICTURE)
    taken = api.send("POST", "/v1/files", b"a pear")
    assert taken.status == 200
    handed = {"file": "pear.jpg", **taken.json()}
    assert handed["bytes"] == 6
    body = {"task": "check", "element": 2, "values": {"picture": handed}, "who": "anna"}
    assert api.post("/v1/runs/last/answer", body).json()["values"] == {"picture": handed}
    assert api.service.kept_handed == [(run, handed["content"], 6)]
    (result,) = api.get(f"/v1/runs/{run}/results", task="check").json()["results"]
    assert result["files"] == {"picture": {"hash": handed["content"], "bytes": 6}}
    assert api.get(f"/v1/runs/{run}/files", task="check", element=2).body == b"a pear"


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("pear.jpg", "the field 'picture' takes a file, not 'pear.jpg'"),
        ({"file": "x", "content": "../../token", "bytes": 1}, "the field 'picture' takes a file, not"),
        ({"file": "x", "content": "ab" * 16, "bytes": 2**40}, "the field 'picture' takes a file, not"),
        ({"file": "x", "content": "ab" * 16, "bytes": 1}, "names a file that is not here; hand the file in first"),
        (None, "the field 'picture' is missing; it takes a file"),
    ],
)
def test_what_is_no_file_that_is_here_is_refused(api: RunningApi, value: Any, sentence: str) -> None:
    submit_review(api, **PICTURE)
    answer = api.post(
        "/v1/runs/last/answer", {"task": "check", "element": 2, "values": {"picture": value}, "who": "ben"}
    )
    assert answer.status == 400
    assert sentence in answer.message


def test_a_file_that_is_too_large_is_refused_before_it_is_read(
    api: RunningApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "HANDED_FILE_BYTES_MAX", 5)
    answer = api.send("POST", "/v1/files", b"a pear")
    assert (answer.status, answer.message) == (400, "the file has 6 bytes; at most 5 B can be handed in with an answer")


def test_the_only_element_that_waits_need_not_be_named(api: RunningApi) -> None:
    submit_review(api)
    assert give(api, 1).status == give(api, 3).status == 200
    answer = api.post("/v1/runs/last/answer", {"values": {"verdict": "wrong"}, "who": "ben"})
    assert answer.json()["element"] == 2


def test_of_several_that_wait_one_must_be_named(api: RunningApi) -> None:
    run = submit_review(api, manual("again"))
    body = {"values": {"verdict": "ok"}, "who": "anna"}
    answer = api.post("/v1/runs/last/answer", body)
    told = f"several steps of run {run} wait for people, 'check' and 'again'; name one with 'task'"
    assert (answer.status, answer.message) == (400, told)
    answer = api.post("/v1/runs/last/answer", {**body, "task": "check"})
    assert answer.message == "task 'check' has 3 elements; say which one you mean with 'element'"


@pytest.mark.parametrize(
    ("change", "status", "sentence"),
    [
        ({"who": "eve"}, 400, "'eve' may not answer 'check'; it is for anna or ben"),
        ({"who": " "}, 400, "field 'who': give the name of a person, in at most 64 characters"),
        ({"task": "measure"}, 400, "task 'measure' is not done by people; only manual tasks are"),
        ({"task": "chek"}, 404, "run RUN has no task 'chek'; 'roost show RUN' lists them"),
        ({"element": 9}, 404, "task 'check' has no element 9; it has 1-3"),
        ({"values": {}}, 400, "the field 'verdict' is missing; it takes ok or wrong"),
        ({"amend": True}, 400, "element 1 of 'check' has no answer that could be amended; 'roost complete' gives one"),
        ({"value": {}}, 400, "the request is not valid: there is no field 'value'"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_and_changes_nothing(
    api: RunningApi, change: dict[str, Any], status: int, sentence: str
) -> None:
    run = submit_review(api)
    before = api.service.snapshot()
    answer = give(api, **change)
    assert (answer.status, answer.message.replace(run, "RUN")) == (status, sentence)
    assert api.service.snapshot() == before
    assert api.in_loop(lambda: api.server._runner.app[ANSWERING]) == set()


def test_a_second_answer_is_refused_with_who_gave_the_first_and_taken_if_it_amends(api: RunningApi) -> None:
    submit_review(api)
    give(api, 1)
    refused = give(api, 1, "wrong", who="ben")
    assert refused.status == 400
    assert refused.message.startswith("element 1 of 'check' was answered by anna ")
    assert refused.message.endswith(" ago; 'roost amend' changes the answer (\"amend\": true)")
    amended = give(api, 1, "wrong", who="ben", amend=True).json()
    assert (amended["amended"], amended["values"]["verdict"]) == (True, "wrong")
    # The only one that was answered need not be named.
    assert api.post("/v1/runs/last/answer", {"values": {"verdict": "ok"}, "who": "ben", "amend": True}).status == 200


def test_what_does_not_wait_says_why(api: RunningApi) -> None:
    run = submit_review(api)

    def move(state: str) -> None:
        ranges = api.service.ranges[check_of(run)]
        ranges["ready"], ranges[state] = ranges["ready"] - RangeSet.of([1]), RangeSet.of([1])

    for state, sentence in (
        ("waiting", "element 1 of 'check' waits for earlier steps; it can be answered when they are done"),
        ("suspended", "element 1 of 'check' is suspended; 'roost resume' lets its run go on"),
        ("cancelled", "element 1 of 'check' is cancelled, and takes no answer any more"),
    ):
        api.in_loop(move, state)
        assert give(api, 1).message == sentence
        api.in_loop(api.service.ranges[check_of(run)].update, {state: RangeSet.of([])})


def test_nothing_that_waits_is_not_found(api: RunningApi) -> None:
    run = api.submit({"name": "work"})
    answer = api.post("/v1/runs/last/answer", {"values": {}, "who": "anna"})
    assert (answer.status, answer.message) == (404, f"nothing in run {run} waits for a person")
    answer = api.post("/v1/runs/last/answer", {"values": {}, "who": "anna", "amend": True})
    assert answer.message == f"nothing in run {run} was answered"


def test_while_an_answer_is_on_its_way_to_the_disk_no_other_is_taken(api: RunningApi) -> None:
    run = submit_review(api)
    answering = api.server._runner.app[ANSWERING]
    api.in_loop(answering.add, (check_of(run), 1))
    answer = give(api, 1)
    told = "somebody answers element 1 of 'check' at this moment; look again with 'roost todo'"
    assert (answer.status, answer.message) == (400, told)
    assert give(api, 2).status == 200
    assert answering == {(check_of(run), 1)}


def test_who_is_overtaken_on_another_node_is_told(api: RunningApi) -> None:
    run = submit_review(api)
    api.service.far[check_of(run)] = RangeSet.of([1])
    told = "element 1 of 'check': somebody else answered it in the same moment, and that answer counts"
    assert give(api, 1).message.startswith(told)
    assert give(api, 2).status == 200


def test_a_rejection_sends_back_the_elements_that_lead_to_it(api: RunningApi) -> None:
    run = submit_review(api)
    body = {"task": "check", "element": 2, "to": "measure", "why": " not \n level ", "who": "ben"}
    answer = api.post("/v1/runs/last/reject", body)
    assert answer.json() == {"run": run, "task": f"{run}/measure", "sent_back": "2", "elements": 1}
    asked = api.service.asked[-1]
    assert isinstance(asked, ReopenAsked)
    assert asked.tasks == ((task_id(run, "measure"), RangeSet.of([2])),)
    assert asked.why == SentBackBy("ben", "check", "not level")


@pytest.mark.parametrize(
    ("change", "status", "sentence"),
    [
        ({"to": "sum"}, 400, "'sum' does not lead to element 2 of 'check'; 'measure' does"),
        ({"to": "check"}, 400, "'check' does not lead to element 2 of 'check'; 'measure' does"),
        ({"to": "mesure"}, 404, "run RUN has no task 'mesure'; 'roost show RUN' lists them"),
        ({"why": " "}, 400, "field 'why': say why it is sent back"),
        ({"who": "eve"}, 400, "'eve' may not answer 'check'; it is for anna or ben"),
        (
            {"why": "x" * (REASON_LENGTH_MAX + 1)},
            400,
            "field 'why': expected text of length <= 1000",
        ),
    ],
)
def test_a_rejection_that_cannot_be_is_refused_and_changes_nothing(
    api: RunningApi, change: dict[str, Any], status: int, sentence: str
) -> None:
    run = submit_review(api, SUM)
    before = api.service.snapshot()
    body = {"task": "check", "element": 2, "to": "measure", "why": "not level", "who": "ben", **change}
    answer = api.post("/v1/runs/last/reject", body)
    assert (answer.status, answer.message.replace(run, "RUN").replace("`", "")) == (status, sentence)
    assert api.service.snapshot() == before


def test_an_answer_is_given_up_only_if_that_is_said(api: RunningApi) -> None:
    submit_review(api)
    give(api, 2)
    body = {"task": "check", "element": 2, "to": "measure", "why": "not level", "who": "ben"}
    refused = api.post("/v1/runs/last/reject", body)
    assert "was answered by anna" in refused.message
    assert "'roost reject --amend' gives the answer up" in refused.message
    assert api.post("/v1/runs/last/reject", {**body, "amend": True}).status == 200


def test_what_needs_nothing_has_nothing_to_send_back(api: RunningApi) -> None:
    api.submit(MEASURE, {"name": "check", "manual": {"title": "Look"}})
    body = {"task": "check", "to": "measure", "why": "not level", "who": "ben"}
    told = "'measure' does not lead to 'check', and nothing else does"
    assert api.post("/v1/runs/last/reject", body).message == told


def test_a_refusal_of_the_node_is_told_and_frees_the_element(api: RunningApi) -> None:
    submit_review(api)
    api.service.refusal = TimeoutError("late")
    assert give(api, 1).status == 500
    api.service.refusal = None
    assert give(api, 1).status == 200
