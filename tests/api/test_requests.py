"""What may be asked: strict about names, generous with defaults."""

import msgspec
import pytest

from roost.api import requests


def kinds() -> list[type[msgspec.Struct]]:
    return [one for one in vars(requests).values() if isinstance(one, type) and issubclass(one, requests.Asked)]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_a_misspelt_field_is_never_taken_silently(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.forbid_unknown_fields
    assert kind.__struct_config__.frozen


def test_there_are_requests_to_check() -> None:
    assert requests.Submission in kinds()
    assert len(kinds()) > 10


def test_a_task_needs_only_a_name_and_some_work() -> None:
    required = [field.name for field in msgspec.structs.fields(requests.TaskAsked) if field.required]
    assert required == ["name"]
    assert [field.name for field in msgspec.structs.fields(requests.Submission) if field.required] == ["tasks"]


def test_a_page_has_a_thousand_elements_unless_told() -> None:
    assert requests.PageQuery().limit == 1000
