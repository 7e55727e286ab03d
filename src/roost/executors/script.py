"""Scripts: JavaScript jobs in worker processes that live on from lease to lease. This is the node's side.

The node itself never loads the engine: it looks whether it is there, and workers load it.
"""

from importlib.util import find_spec
from typing import Final

from roost.executors.leases import lease_fields
from roost.executors.places import Places
from roost.executors.port import Order, Report
from roost.executors.worker.messages import ScriptLease
from roost.executors.worker_pool import IDLE_S, WorkerPool
from roost.executors.worker_process import WorkerKind
from roost.model.limits import SCRIPT_MEMORY_BYTES
from roost.model.task import Script


def has_engine() -> bool:
    """Whether this machine can run scripts; there is no wheel of the engine for some."""
    return find_spec("quickjs") is not None


def _lease_message(order: Order) -> ScriptLease:
    spec = order.spec
    assert isinstance(spec.work, Script), "the node hands a task to the executor of its kind"
    return ScriptLease(
        **lease_fields(order),
        code=spec.work.code,
        entry=spec.work.entry,
        name=spec.work.name,
        arguments=spec.work.arguments,
        returns=spec.work.returns,
        memory_bytes=spec.needs.memory_bytes or SCRIPT_MEMORY_BYTES,
    )


SCRIPTS: Final = WorkerKind("roost.executors.worker.script_main", "scripts", _lease_message)


class ScriptExecutor(WorkerPool):
    """See Executor."""

    def __init__(self, places: Places, report: Report, *, niceness: int = 10, idle_s: float = IDLE_S) -> None:
        super().__init__(SCRIPTS, places, report, niceness=niceness, idle_s=idle_s)
