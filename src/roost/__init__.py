"""Roost: the computers you already have, as one computer that nobody runs.

    import roost
    with roost.connect() as pool:                 # a concurrent.futures.Executor
        print(sum(pool.map(simulate, range(10_000))))

The names below are loaded when they are first used, so that ``import roost`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from roost import version as _version

if TYPE_CHECKING:
    from roost.app.client.connect import attach, connect
    from roost.app.client.failures import TaskFailed
    from roost.app.client.flow_run import FlowRun
    from roost.app.client.futures import RoostFuture
    from roost.app.client.handles import Handle
    from roost.app.client.pool import Pool
    from roost.app.client.steps import command, manual, script, value
    from roost.app.client.workflow import Workflow, task, workflow
    from roost.executors.worker.progress import report as progress
    from roost.model.errors import InvalidInput, NotFound, RoostError, Unavailable

__version__ = _version.VERSION

__all__ = [
    "FlowRun",
    "Handle",
    "InvalidInput",
    "NotFound",
    "Pool",
    "RoostError",
    "RoostFuture",
    "TaskFailed",
    "Unavailable",
    "Workflow",
    "__version__",
    "attach",
    "command",
    "connect",
    "manual",
    "progress",
    "script",
    "task",
    "value",
    "workflow",
]

_HOMES = {
    "FlowRun": "roost.app.client.flow_run:FlowRun",
    "Handle": "roost.app.client.handles:Handle",
    "InvalidInput": "roost.model.errors:InvalidInput",
    "NotFound": "roost.model.errors:NotFound",
    "Pool": "roost.app.client.pool:Pool",
    "RoostError": "roost.model.errors:RoostError",
    "RoostFuture": "roost.app.client.futures:RoostFuture",
    "TaskFailed": "roost.app.client.failures:TaskFailed",
    "Unavailable": "roost.model.errors:Unavailable",
    "Workflow": "roost.app.client.workflow:Workflow",
    "attach": "roost.app.client.connect:attach",
    "command": "roost.app.client.steps:command",
    "connect": "roost.app.client.connect:connect",
    "manual": "roost.app.client.steps:manual",
    "progress": "roost.executors.worker.progress:report",
    "script": "roost.app.client.steps:script",
    "task": "roost.app.client.workflow:task",
    "value": "roost.app.client.steps:value",
    "workflow": "roost.app.client.workflow:workflow",
}


if not TYPE_CHECKING:  # so that a checker knows just the names above

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'roost' has no attribute '{name}'")
        module, _, attribute = _HOMES[name].partition(":")
        value = getattr(import_module(module), attribute)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
