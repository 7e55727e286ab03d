"""Ids are read by people and taken apart by code."""

from hypothesis import given
from hypothesis import strategies as st

from roost.model.ids import RUN_ID, TASK_NAME, RunId, name_of, run_id, run_number, run_of, task_id


@given(st.integers(1, 10**12 - 1), st.integers(0, 2**64))
def test_a_runs_id_starts_with_its_number_and_is_well_formed(number: int, entropy: int) -> None:
    run = run_id(number, entropy)
    assert RUN_ID.fullmatch(run)
    assert run_number(run) == number


def test_different_entropy_gives_different_letters() -> None:
    count = 4000
    assert len({run_id(1, entropy) for entropy in range(count)}) == count


@given(st.from_regex(TASK_NAME, fullmatch=True))
def test_a_tasks_id_has_its_run_and_its_name(name: str) -> None:
    run = RunId("12-kedova")
    task = task_id(run, name)
    assert (run_of(task), name_of(task)) == (run, name)
