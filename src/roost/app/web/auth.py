"""Who may speak to the node: whoever can read its token file, and no web page that only pretends to be local.

A page from elsewhere can make a browser send requests to 127.0.0.1 under the page's own host name (DNS rebinding);
such requests name that host, so a node that listens on loopback answers only to loopback names.
"""

import hmac
import ipaddress
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from roost.app.web.application import ADDRESS, DOOR, TOKEN
from roost.app.web.errors import error_response

#: Where the token may also stand in the query: browsers cannot set headers on a WebSocket.
SOCKET_PATHS = frozenset({"/v1/events", "/v1/session"})


@web.middleware
async def authenticate(request: web.Request, handler: Handler) -> web.StreamResponse:
    if is_loopback(_host_name(request.app[ADDRESS])) and not is_loopback(_host_name(f"//{request.host}")):
        return error_response("unauthorized", "this node answers only to its local name; use 127.0.0.1 or localhost")
    if not _has_token(request):
        return error_response(
            "unauthorized", "the token is missing or wrong; send the content of the node's token file as bearer token"
        )
    request.app[DOOR].trust(request.transport)
    return await handler(request)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host_name(address: str) -> str:
    """Return the host in an address, in small letters; an empty text if it cannot be read."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _has_token(request: web.Request) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        given = request.query.get("token", "") if request.path in SOCKET_PATHS else ""
    # As bytes, because the comparison of texts refuses what is not ASCII.
    expected = request.app[TOKEN].encode()
    return hmac.compare_digest(given.strip().encode(errors="surrogateescape"), expected) and bool(expected)
