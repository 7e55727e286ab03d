import pytest

from roost.languages.flow.habits import _MEANT, habit_hint
from roost.languages.flow.keywords import FLOW_KEYS, TASK_KEYS
from tests.languages.flow.flow_texts import refused_tasks


@pytest.mark.parametrize(
    ("key", "meant"),
    [("run", "shell"), ("depends_on", "needs"), ("threads", "cpus"), ("timeout-minutes", "time"), ("memory", "mem")],
)
def test_words_of_other_tools_are_told_with_what_they_are_called_here(key: str, meant: str) -> None:
    told = refused_tasks(f"a: {{command: x, {key}: 3}}")
    assert told == f"flow.yaml:2: task 'a' has no '{key}'; write '{meant}'"


def test_what_has_no_place_here_is_not_offered() -> None:
    assert habit_hint("run", ["command"]) == ""
    assert habit_hint("zzz", TASK_KEYS) == ""


def test_everything_that_is_offered_is_a_key_and_no_word_is_one_already() -> None:
    known = {*FLOW_KEYS, *TASK_KEYS}
    assert set(_MEANT.values()) <= known
    assert not known & set(_MEANT)
