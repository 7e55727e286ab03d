"""The node's HTTP API: the one way in for the command line, the Python client and the pages."""

from roost.app.web.lean_aiohttp import spare_the_client

# Before any module of this package imports aiohttp.
spare_the_client()
