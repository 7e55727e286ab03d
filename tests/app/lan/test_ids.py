"""A task's UUID: valid, the same every time, and a way back to the run."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.app.lan.ids import is_uuid, is_uuid_of, run_of_uuid, uuid_of
from roost.model.errors import InvalidInput
from roost.model.ids import RUN_ID, TASK_NAME, RunId, TaskId, task_id

RUNS = st.from_regex(RUN_ID, fullmatch=True).map(RunId)
NAMES = st.from_regex(TASK_NAME, fullmatch=True)


@given(RUNS, NAMES)
def test_it_is_a_uuid_that_leads_back_to_its_run(run: RunId, name: str) -> None:
    task = task_id(run, name)
    text = uuid_of(task)
    made = uuid.UUID(text)
    assert (str(made), made.variant, made.version) == (text, uuid.RFC_4122, 8)
    assert run_of_uuid(text) == run
    for spelling in (text.upper(), text.replace("-", "")):
        assert is_uuid(spelling)
        assert run_of_uuid(spelling) == run
        assert is_uuid_of(spelling, task)


def test_people_can_read_the_run_s_number_in_it() -> None:
    assert uuid_of(TaskId("12-kedova/import")).startswith("00000000-0012-8")


def test_two_tasks_have_two_uuids_also_in_one_run() -> None:
    tasks = [TaskId(text) for text in ("12-kedova/a", "12-kedova/b", "12-kedovb/a", "13-kedova/a")]
    assert len({uuid_of(task) for task in tasks}) == len(tasks)
    assert not is_uuid_of(uuid_of(tasks[0]), tasks[1])


@given(st.uuids())
def test_any_other_uuid_leads_nowhere_or_to_a_run_that_can_be(other: uuid.UUID) -> None:
    run = run_of_uuid(str(other))
    assert run is None or RUN_ID.fullmatch(run)


@pytest.mark.parametrize(
    "text",
    [
        "3aff3d90-2b79-11e3-8224-0800200c9a66",
        "00000000-0000-8000-8000-000000000000",
        "00000000-0012-4000-8000-000000000000",
        "00000000-0012-8000-0000-000000000000",
        "00000000-0012-8fff-bfff-ffffffffffff",
        "12",
        "",
    ],
)
def test_what_was_not_made_here_is_noticed(text: str) -> None:
    assert run_of_uuid(text) is None


def test_the_form_is_all_or_nothing() -> None:
    text = uuid_of(TaskId("12-kedova/import"))
    assert not is_uuid(text[:-1])
    assert not is_uuid(text.replace("-", "", 1))
    assert not is_uuid(f"{{{text}}}")


def test_what_is_no_task_has_none() -> None:
    with pytest.raises(InvalidInput, match="not the id of a task"):
        uuid_of(TaskId("import"))
