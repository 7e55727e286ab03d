"""A request that does not fit is refused with the place and the problem, in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.api.requests import ActAsked, LogsQuery, PageQuery, Submission
from roost.app.intake.reading import read_body, read_query
from roost.model.errors import InvalidInput
from roost.model.visible import quoted


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("5", "the request is not valid: expected an object but got a whole number"),
        ("{}", "the request is not valid: the field 'tasks' is missing"),
        ("", "the request is not valid: the field 'tasks' is missing"),
        ('{"tasks": []}', "field 'tasks': expected a list of length >= 1"),
        ('{"nam": 1, "tasks": []}', "the request is not valid: there is no field 'nam'"),
        ('{"kind": "session", "tasks": []}', "field 'kind': invalid enum value 'session'"),
        ('{"tasks": [{"name": "a", "cpus": "x"}]}', "task 'a', field 'cpus': expected a number but got text"),
        ('{"tasks": [{"name": "a", "cpus": 0}]}', "task 'a', field 'cpus': expected a number > 0.0"),
        ('{"tasks": [{"name": "a"}, {"name": "b", "retires": 1}]}', "task 'b': there is no field 'retires'"),
        ('{"tasks": [{"name": "a", "command": {}}]}', "task 'a', field 'command': the field 'argv' is missing"),
        ('{"tasks": [{"name": 7}]}', "task number 1, field 'name': expected text but got a whole number"),
        ('{"tasks": [{"name": "a"}, 5]}', "task number 2: expected an object but got a whole number"),
        (
            '{"tasks": [{"name": "a", "edges": [{"source": "b", "kind": "some"}]}]}',
            "task 'a', field 'edges[0].kind': invalid enum value 'some'",
        ),
        (
            '{"tasks": [{"name": "a", "command": {"argv": ["x"], "env": {"A": 1}}}]}',
            "task 'a', field 'command.env[...]': expected text but got a whole number",
        ),
        (
            '{"tasks": [{"name": "%s"}]}' % ("n" * 65),
            f"task '{'n' * 57}...', field 'name': expected text of length <= 64",
        ),
        ('{"tasks": [{"name": 7', "task number 1, field 'name': expected text but got a whole number"),
        (
            '{"tasks": [{"name": "a", "cpus": ""}], "x": ' + "[" * 10_000,
            "task number 1, field 'cpus': expected a number but got text",
        ),
        ('{"tasks"', "the request is not JSON: input data was truncated"),
        ("[1,", "the request is not valid: expected an object but got a list"),
        ("[" * 100_000, "the request is not valid: expected an object but got a list"),
        ('{"final": ' + "[" * 100_000, "field 'final[0]': expected text but got a list"),
        ('{"tasks": [{"name": "a", "items": ' + "[" * 100_000, "the request nests lists or objects too deeply"),
    ],
)
def test_a_bad_body_is_told_by_task_and_field(body: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_body(body.encode(), Submission)
    assert str(caught.value) == sentence


def test_an_empty_body_is_an_empty_object() -> None:
    assert read_body(b"", ActAsked) == ActAsked()


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InvalidInput, match="the request is not JSON"):
        read_body(b'{"task": "\xff"}', ActAsked)


def test_numbers_in_a_query_are_read_from_text() -> None:
    assert read_query({"limit": "7", "start": "3"}, PageQuery) == PageQuery(limit=7, start=3)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"offset": "x"}, "field 'offset': expected a whole number but got text"),
        ({"offset": "-1"}, "field 'offset': expected a whole number >= 0"),
        ({"stream": "in"}, "field 'stream': invalid enum value 'in'"),
        ({"elment": "1"}, "the request is not valid: there is no field 'elment'"),
    ],
)
def test_a_bad_query_is_told_by_field(query: dict[str, str], sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_query(query, LogsQuery)
    assert str(caught.value) == sentence


@given(st.text())
def test_quoted_text_is_one_short_printable_line(text: str) -> None:
    shown = quoted(text)
    assert shown.isprintable()
    assert len(shown) <= 62


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for kind in (Submission, ActAsked):
        try:
            read_body(data, kind)
        except InvalidInput as refusal:
            sentence = str(refusal)
        else:
            sentence = ""
        assert "\n" not in sentence
