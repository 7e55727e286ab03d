"""Every error becomes one JSON object with a kind for programs and a sentence for people."""

import logging

from aiohttp import web
from aiohttp.typedefs import Handler

from roost.api.answers import ErrorAnswer, ErrorDetail, ErrorKind
from roost.app.web.calls import json_response
from roost.model.errors import InvalidInput, NotFound, Unavailable
from roost.model.limits import MIB, REQUEST_BYTES_MAX

STATUS_OF_KIND: dict[ErrorKind, int] = {
    "invalid": 400,
    "unauthorized": 401,
    "not_found": 404,
    "too_large": 413,
    "internal": 500,
    "unavailable": 503,
}

_logger = logging.getLogger(__name__)


def error_response(kind: ErrorKind, message: str, status: int | None = None) -> web.Response:
    return json_response(ErrorAnswer(ErrorDetail(kind, message)), status or STATUS_OF_KIND[kind])


@web.middleware
async def errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer for whatever was raised. This is where the API ends, so here, and only here, everything is caught."""
    try:
        return await handler(request)
    except NotFound as error:
        return error_response("not_found", str(error))
    except InvalidInput as error:
        return error_response("invalid", str(error))
    except Unavailable as error:
        return error_response("unavailable", str(error))
    except web.HTTPException as error:
        return _http_error(request, error)
    except web.RequestPayloadError as error:
        return error_response("invalid", f"the request's body cannot be read: {error}")
    except ConnectionError:
        # The client is gone: there is nobody to answer.
        raise
    except Exception:
        _logger.exception("%s %s failed", request.method, request.path)
        return error_response("internal", "the node ran into an error of its own; its log has the details")


def _http_error(request: web.Request, error: web.HTTPException) -> web.Response:
    """Say in our words what aiohttp found wrong with a request before any handler saw it."""
    match error:
        case web.HTTPRequestEntityTooLarge():
            limit = f"{REQUEST_BYTES_MAX // MIB} MiB"
            return error_response("too_large", f"the request is larger than {limit}; send it in several parts")
        case web.HTTPNotFound():
            return error_response("not_found", f"the API has no '{request.path[:100]}'; see /v1/openapi.json")
        case web.HTTPMethodNotAllowed():
            allowed = " or ".join(sorted(error.allowed_methods))
            return error_response("invalid", f"'{request.path[:100]}' takes {allowed}, not {error.method}", 405)
        case _:
            return error_response("invalid", f"the request cannot be handled: {error.reason}", error.status)
