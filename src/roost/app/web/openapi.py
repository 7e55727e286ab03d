"""The OpenAPI 3.1 description, made from the routes and from the structs that read requests and write answers."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from aiohttp import web

from roost.api.answers import ErrorAnswer
from roost.api.requests import Nothing, RawBytes
from roost.api.streamed import StreamedEvent
from roost.app.web.calls import Route
from roost.app.web.data import STATE_HEADER
from roost.app.web.errors import STATUS_OF_KIND
from roost.version import VERSION

_REF = "#/components/schemas/{name}"
_PATH_PARAMETER = re.compile(r"\{(\w+)\}")
_RUN_PARAMETER = {
    "name": "run",
    "in": "path",
    "required": True,
    "description": "Anything that means exactly one run: its id, the start of it, its number, or last.",
    "schema": {"type": "string"},
}


def document(routes: Iterable[Route]) -> bytes:
    routes = tuple(routes)
    structs = _structs(routes)
    _, schemas = msgspec.json.schema_components([*structs, StreamedEvent], ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    schemes = {"bearer": {"type": "http", "scheme": "bearer", "description": "The content of the node's token file."}}
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": "Roost", "version": VERSION},
            "security": [{"bearer": []}],
            "paths": paths,
            "components": {"schemas": schemas, "securitySchemes": schemes},
        }
    )


def _structs(routes: Iterable[Route]) -> list[type[msgspec.Struct]]:
    named = [kind for route in routes for kind in (route.body, route.answer) if issubclass(kind, msgspec.Struct)]
    return [ErrorAnswer, *dict.fromkeys(named)]


def _operation(route: Route) -> dict[str, Any]:
    parameters = [_RUN_PARAMETER] if _PATH_PARAMETER.search(route.path) else []
    operation: dict[str, Any] = {
        "summary": route.summary,
        "parameters": [*parameters, *_query_parameters(route.query)],
        "responses": {str(route.status): _good_response(route)} | _error_responses(),
    }
    if issubclass(route.answer, web.WebSocketResponse):
        operation["responses"] = {"101": {"description": "The connection is a WebSocket from here on."}}
        operation["responses"] |= _error_responses()
    if route.method == "POST":
        needed = route.body is not Nothing
        is_raw = route.body is RawBytes
        content = {"application/octet-stream": {}} if is_raw else _json_content(route.body)
        operation["requestBody"] = {"required": needed, "content": content}
    return operation


def _query_parameters(query: type[msgspec.Struct]) -> list[dict[str, Any]]:
    _, schemas = msgspec.json.schema_components([query], ref_template=_REF)
    schema = schemas[query.__name__]
    return [
        {"name": name, "in": "query", "required": name in schema["required"], "schema": field}
        for name, field in schema["properties"].items()
    ]


def _good_response(route: Route) -> dict[str, Any]:
    if issubclass(route.answer, msgspec.Struct):
        return {"description": route.summary, "content": _json_content(route.answer)}
    if route.path.endswith(".json"):
        return {"description": route.summary, "content": {"application/json": {"schema": {"type": "object"}}}}
    response: dict[str, Any] = {"description": route.summary, "content": {"application/octet-stream": {}}}
    if route.path.endswith("/logs"):
        response["headers"] = {STATE_HEADER: {"schema": {"type": "string"}, "description": "The element's state."}}
    return response


def _error_responses() -> dict[str, Any]:
    return {
        str(status): {"description": kind.replace("_", " "), "content": _json_content(ErrorAnswer)}
        for kind, status in STATUS_OF_KIND.items()
    }


def _json_content(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REF.format(name=kind.__name__)}}}
