"""What tasks of a submission share."""

import pytest

from roost.app.web.requests import Submission, TaskAsked
from roost.app.web.shared import Shared
from roost.model.errors import InvalidInput

ONE, OTHER = {"LANG": "C"}, {"LANG": "de"}
SHARED = Shared(Submission([TaskAsked("a")], environments=[ONE, OTHER], codes=["f", "g"]))


def test_numbers_stand_for_entries_of_the_tables() -> None:
    assert SHARED.environment(1) is OTHER
    assert SHARED.code(0) == "f"


def test_what_a_task_says_itself_stays_and_repetitions_become_one_object() -> None:
    shared = Shared()
    first = shared.environment({"A": "1"})
    assert first == {"A": "1"}
    assert shared.environment({"A": "1"}) is first
    assert shared.environment({"A": "2"}) == {"A": "2"}
    assert shared.code("h") == "h"


def test_a_number_without_an_entry_is_refused_with_the_field() -> None:
    with pytest.raises(InvalidInput, match=r"field 'command.env': it names number 2, .* 'environments' has 2 entries"):
        SHARED.environment(2)
    with pytest.raises(InvalidInput, match=r"field 'script.code': it names number 0, .* 'codes' has 0 entries"):
        Shared().code(0)


def test_what_is_looked_at_of_variables_is_found_once_for_those_who_share_them() -> None:
    shared = Shared()
    found = shared.variables(ONE)
    assert shared.variables(ONE) is found
    assert (found.names, found.values, found.has_unusable_name) == ("LANG", "C", False)
    assert shared.variables(OTHER).values == "de"
    assert shared.variables({"A=B": ""}).has_unusable_name


def test_words_that_tasks_repeat_become_one_object_also_after_many_that_none_repeats() -> None:
    shared = Shared()
    said = [word.decode() for word in (b"/bin/sh", b"/bin/sh")]
    assert said[0] is not said[1]
    first = shared.words([said[0], "-c"])
    for number in range(20_000):
        assert shared.words([f"echo {number}"]) == (f"echo {number}",)
    again = shared.words([said[1], "-c"])
    assert again == ("/bin/sh", "-c")
    assert again[0] is first[0]
