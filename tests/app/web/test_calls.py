"""A route reads what it declares and answers with what it declares."""

from aiohttp import web

from roost.api.answers import Touched
from roost.api.requests import ActAsked, Nothing, RunsQuery
from roost.app.web.calls import Call, Route, json_response


async def _count(call: Call[RunsQuery, Nothing]) -> Touched:
    return Touched(call.query.limit or 0)


async def _act(call: Call[Nothing, ActAsked]) -> Touched:
    return Touched(len(call.body.task or ""))


def test_a_route_knows_the_types_that_it_reads_and_writes() -> None:
    reading = Route("GET", "/count", "Count", _count)
    assert (reading.method, reading.query, reading.body, reading.answer) == ("GET", RunsQuery, Nothing, Touched)
    acting = Route("POST", "/act", "Act", _act, 201)
    assert (acting.method, acting.query, acting.body, acting.status) == ("POST", Nothing, ActAsked, 201)


def test_an_answer_is_compact_json_and_says_so() -> None:
    response = json_response(Touched(5), 201)
    assert isinstance(response, web.Response)
    assert (response.body, response.status, response.content_type) == (
        b'{"elements":5,"warnings":[]}',
        201,
        "application/json",
    )
