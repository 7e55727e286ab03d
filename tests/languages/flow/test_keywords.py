from roost.languages.flow.keywords import DOES, KEYS_BESIDE, TASK_KEYS, WORK_KEYS, misplaced


def test_every_key_of_a_task_goes_with_some_work_and_all_work_is_described() -> None:
    beside = {key for keys in KEYS_BESIDE.values() for key in keys}
    assert set(TASK_KEYS) == beside | set(WORK_KEYS)
    assert set(DOES) == set(WORK_KEYS)
    assert len(TASK_KEYS) == len(set(TASK_KEYS))


def test_a_key_in_the_wrong_place_is_told_with_whom_it_is_for() -> None:
    assert misplaced("entry", "function", "task 't'") == (
        "'entry' is for scripts, and task 't' calls a function; remove it"
    )
    assert "write a 'deadline'" in misplaced("time", "manual", "task 't'")
    assert "'spread' it" in misplaced("items", "manual", "task 't'")
    assert misplaced("each", "value", "task 't'") == "'each' is for what runs, and task 't' is a value; remove it"
