"""Functions: Python callables in worker processes that live on from lease to lease. This is the node's side."""

import sys
from typing import Final

from roost.executors.leases import lease_fields
from roost.executors.places import Places
from roost.executors.port import Order, Report
from roost.executors.worker.messages import FunctionLease
from roost.executors.worker_pool import IDLE_S, WorkerPool
from roost.executors.worker_process import WorkerKind
from roost.model.task import Function

PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"


def _lease_message(order: Order) -> FunctionLease:
    spec = order.spec
    assert isinstance(spec.work, Function), "the node hands a task to the executor of its kind"
    assert spec.work.python == PYTHON, "the node takes no functions of another Python"
    return FunctionLease(
        **lease_fields(order),
        code=spec.work.code,
        arguments=spec.work.arguments,
        initializer=spec.work.initializer,
        variables=spec.work.variables,
        behind=order.behind,
    )


FUNCTIONS: Final = WorkerKind("roost.executors.worker.function_main", "functions", _lease_message)


class FunctionExecutor(WorkerPool):
    """See Executor."""

    def __init__(self, places: Places, report: Report, *, niceness: int = 10, idle_s: float = IDLE_S) -> None:
        super().__init__(FUNCTIONS, places, report, niceness=niceness, idle_s=idle_s)
