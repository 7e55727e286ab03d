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
    from roost.client.connect import attach, connect
    from roost.client.failures import TaskFailed
    from roost.client.flow_run import FlowRun
    from roost.client.futures import RoostFuture
    from roost.client.handles import Handle
    from roost.client.pool import Pool
    from roost.client.steps import command, manual, script, value
    from roost.client.workflow import Workflow, task, workflow
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
    "FlowRun": "roost.client.flow_run:FlowRun",
    "Handle": "roost.client.handles:Handle",
    "InvalidInput": "roost.model.errors:InvalidInput",
    "NotFound": "roost.model.errors:NotFound",
    "Pool": "roost.client.pool:Pool",
    "RoostError": "roost.model.errors:RoostError",
    "RoostFuture": "roost.client.futures:RoostFuture",
    "TaskFailed": "roost.client.failures:TaskFailed",
    "Unavailable": "roost.model.errors:Unavailable",
    "Workflow": "roost.client.workflow:Workflow",
    "attach": "roost.client.connect:attach",
    "command": "roost.client.steps:command",
    "connect": "roost.client.connect:connect",
    "manual": "roost.client.steps:manual",
    "progress": "roost.executors.worker.progress:report",
    "script": "roost.client.steps:script",
    "task": "roost.client.workflow:task",
    "value": "roost.client.steps:value",
    "workflow": "roost.client.workflow:workflow",
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
