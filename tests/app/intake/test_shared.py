"""What tasks of a submission share."""

import pytest

from roost.api.requests import Submission, TaskAsked
from roost.app.intake.shared import Shared
from roost.model.errors import InvalidInput

ONE, OTHER = {"LANG": "C"}, {"LANG": "de"}
SHARED = Shared(Submission([TaskAsked("a")], environments=[ONE, OTHER], codes=["f", "g"]))


def test_numbers_stand_for_entries_of_the_tables() -> None:
    assert SHARED.variables(1).env is OTHER
    assert SHARED.code(0) == "f"


def test_what_a_task_says_itself_stays_and_repetitions_become_one_object() -> None:
    shared = Shared()
    first = shared.variables({"A": "1"})
    assert first.env == {"A": "1"}
    assert shared.variables({"A": "1"}) is first
    assert shared.variables({"A": "2"}).env == {"A": "2"}
    assert shared.code("h") == "h"


def test_a_number_without_an_entry_is_refused_with_the_field() -> None:
    with pytest.raises(InvalidInput, match=r"field 'command.env': it names number 2, .* 'environments' has 2 entries"):
        SHARED.variables(2)
    with pytest.raises(InvalidInput, match=r"field 'script.code': it names number 0, .* 'codes' has 0 entries"):
        Shared().code(0)


def test_what_is_looked_at_of_variables_is_found_once_for_those_who_share_them() -> None:
    found = SHARED.variables(0)
    assert SHARED.variables(0) is found
    assert (found.names, found.values, found.has_unusable_name) == ("LANG", "C", False)
    assert SHARED.variables(1).values == "de"
    assert SHARED.variables({"A=B": ""}).has_unusable_name
    assert SHARED.variables({"A": "\0"}).has_zero_byte
    assert SHARED.variables({"A": "{i}"}).has_brace
