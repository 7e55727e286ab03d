"""A stand-in node, as the tests of the commands have it."""

from tests.app.cli.conftest import home, node

__all__ = ["home", "node"]
