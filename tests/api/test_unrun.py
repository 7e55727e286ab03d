"""Values and manual steps in a submission."""

from typing import Any

import pytest

from roost.api.requests import ValueAsked
from roost.api.unrun import length_of, value_of
from roost.core.events import Submitted
from roost.model.errors import InvalidInput
from roost.model.ids import task_id
from roost.model.task import Field, FieldType, Manual, Value
from tests.app.web.manual_steps import MEASURE, manual
from tests.app.web.running_api import RunningApi


def test_a_value_is_its_own_result_and_lists_show_its_beginning() -> None:
    work, data = value_of(ValueAsked({"a": [1, None]}))
    assert (work, data) == (Value('{"a":[1,null]}'), b'{"a":[1,null]}')
    long, data = value_of(ValueAsked("x" * 100))
    assert (len(long.text), long.text[-1], len(data)) == (60, "…", 102)


def test_only_a_list_can_be_mapped_by_a_pool() -> None:
    assert length_of(ValueAsked([1, 2, 3]), is_mapped=True) == 3
    assert length_of(ValueAsked(5), is_mapped=False) is None
    with pytest.raises(InvalidInput, match=r"field 'value.json': a pool maps it; it must be a list"):
        length_of(ValueAsked({"a": 1}), is_mapped=True)


def test_a_manual_step_keeps_its_form(api: RunningApi) -> None:
    run = api.submit(MEASURE, manual(form={"deadline_s": 60.0}))
    asked = api.service.asked[-1]
    assert isinstance(asked, Submitted)
    work = api.service.specs[task_id(run, "check")].work
    assert work == Manual(
        "Look at it",
        "Say whether it is right.",
        (
            Field("verdict", FieldType.CHOICE, choices=("ok", "wrong")),
            Field("weight", FieldType.NUMBER, "in kg", required=False),
        ),
        ("value",),
        ("anna", "ben"),
        60.0,
    )


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"show": ["other"]}, "nothing arrives at the port 'other'"),
        ({"fields": [{"name": "a"}, {"name": "a"}]}, "'a' is empty or stands there twice"),
        ({"fields": [{"name": ""}]}, "'' is empty or stands there twice"),
        ({"fields": [{"name": "a", "type": "choice"}]}, "'a' has choices if, and only if, it is a choice"),
        ({"fields": [{"name": "a", "choices": ["x"]}]}, "'a' has choices if, and only if, it is a choice"),
        ({"fields": [{"name": "a", "type": "date"}]}, "field 'manual.fields[0].type'"),
        ({"deadline_s": 0}, "field 'manual.deadline_s'"),
        ({"fields": [{"name": f"f{number}"} for number in range(101)]}, "field 'manual.fields'"),
    ],
)
def test_a_form_that_cannot_be_is_refused(api: RunningApi, form: dict[str, Any], sentence: str) -> None:
    answer = api.post("/v1/runs", {"tasks": [{**MEASURE, "command": {"argv": ["true"]}}, manual(form=form)]})
    assert answer.status == 400
    assert sentence in answer.message
    assert "'check'" in answer.message
