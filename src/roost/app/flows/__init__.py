"""YAML flow files: text in, the HTTP API's submission out, and for every mistake its line and the way out.

A flow is checked wholly before anything is sent, so that what can be wrong in the file is said at once and by line.
"""

from roost.app.flows.flow import check_flow, open_flow, read_flow

__all__ = ["check_flow", "open_flow", "read_flow"]
