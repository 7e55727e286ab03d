"""A route: what is asked, what is answered, and the function between the two.

The types in a route are the ones that decode the request and encode the answer, so whatever describes the routes
(openapi.py) describes what really happens.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
from aiohttp import web

from roost.api.requests import Nothing, RawBytes
from roost.app.intake.reading import read_body, read_query
from roost.app.intake.selectors import select_one
from roost.app.web.application import SERVICE
from roost.model.ids import RunId
from roost.runtime.service import NodeService

QueryT = TypeVar("QueryT", bound=msgspec.Struct)
BodyT = TypeVar("BodyT", bound=msgspec.Struct)
AnswerT = TypeVar("AnswerT", bound=msgspec.Struct | web.StreamResponse)

_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Call(Generic[QueryT, BodyT]):
    """One request, read and checked."""

    request: web.Request
    query: QueryT
    body: BodyT

    @property
    def service(self) -> NodeService:
        return self.request.app[SERVICE]

    def run(self) -> RunId:
        """Return the run that the path names."""
        return select_one(self.request.match_info["run"], self.service.run_ids(), self.service.forgotten_ids)


@dataclass(frozen=True, slots=True)
class Route(Generic[QueryT, BodyT, AnswerT]):
    method: str
    path: str
    summary: str
    query: type[QueryT]
    #: Nothing for requests without a body.
    body: type[BodyT]
    #: A struct, answered as JSON; or the kind of response that the function makes itself.
    answer: type[AnswerT]
    handle: Callable[[Call[QueryT, BodyT]], Awaitable[AnswerT]]
    status: int = 200

    async def respond(self, request: web.Request) -> web.StreamResponse:
        query = read_query(request.query, self.query)
        reads = request.method == "POST" and self.body is not RawBytes
        body = read_body(await request.read() if reads else b"", self.body)
        answer = await self.handle(Call(request, query, body))
        return answer if isinstance(answer, web.StreamResponse) else json_response(answer, self.status)


AnyRoute = Route[Any, Any, Any]


def get(
    path: str,
    summary: str,
    query: type[QueryT],
    answer: type[AnswerT],
    handle: Callable[[Call[QueryT, Nothing]], Awaitable[AnswerT]],
) -> Route[QueryT, Nothing, AnswerT]:
    return Route("GET", path, summary, query, Nothing, answer, handle)


def post(
    path: str,
    summary: str,
    body: type[BodyT],
    answer: type[AnswerT],
    handle: Callable[[Call[Nothing, BodyT]], Awaitable[AnswerT]],
    status: int = 200,
) -> Route[Nothing, BodyT, AnswerT]:
    return Route("POST", path, summary, Nothing, body, answer, handle, status)


def json_response(answer: msgspec.Struct, status: int = 200) -> web.Response:
    return web.Response(body=_ENCODER.encode(answer), status=status, content_type="application/json")
