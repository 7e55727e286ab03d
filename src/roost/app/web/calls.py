"""A route: what is asked, what is answered, and the function between the two.

The types in a function's signature are the ones that decode the request and encode the answer, so whatever describes
the routes (openapi.py) describes what really happens.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_args, get_type_hints

import msgspec
from aiohttp import web

from roost.api.requests import RawBytes
from roost.app.intake.reading import read_body, read_query
from roost.app.intake.selectors import select_one
from roost.app.web.application import SERVICE
from roost.model.ids import RunId
from roost.runtime.service import NodeService

QueryT = TypeVar("QueryT", bound=msgspec.Struct)
BodyT = TypeVar("BodyT", bound=msgspec.Struct)
AnswerT = TypeVar("AnswerT", bound=msgspec.Struct)
#: A struct, answered as JSON; or the response that the function makes itself.
Answer = msgspec.Struct | web.StreamResponse

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


class Route:
    def __init__(
        self,
        method: str,
        path: str,
        summary: str,
        handle: Callable[[Call[Any, Any]], Awaitable[Answer]],
        status: int = 200,
    ) -> None:
        """``handle`` takes a ``Call[Query, Body]``: Nothing for what has no parameters, or no body."""
        self.method = method
        self.path = path
        self.summary = summary
        self.status = status
        self._handle = handle
        call, self.answer = get_type_hints(handle).values()
        self.query, self.body = get_args(call)

    async def respond(self, request: web.Request) -> web.StreamResponse:
        query = read_query(request.query, self.query)
        reads = request.method == "POST" and self.body is not RawBytes
        body = read_body(await request.read() if reads else b"", self.body)
        answer = await self._handle(Call(request, query, body))
        return answer if isinstance(answer, web.StreamResponse) else json_response(answer, self.status)


def retold(value: object, answer: type[AnswerT], **more: Any) -> AnswerT:
    """Return an answer that has ``more``, and of a value all fields that are called the same."""
    return answer(**more, **{name: getattr(value, name) for name in answer.__struct_fields__ if name not in more})


def json_response(answer: msgspec.Struct, status: int = 200) -> web.Response:
    return web.Response(body=_ENCODER.encode(answer), status=status, content_type="application/json")
