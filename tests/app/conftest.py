"""A running API for every test that speaks to one."""

from tests.app.web.running_api import api

__all__ = ["api"]
