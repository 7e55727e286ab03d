"""Scripts: JavaScript jobs in worker processes that live on from lease to lease. This is the node's side.

The node itself never loads the engine: it looks whether it is there, and workers load it.
"""

from importlib.util import find_spec

from roost.executors.worker_pool import WorkerPool


def has_engine() -> bool:
    """Whether this machine can run scripts; there is no wheel of the engine for some."""
    return find_spec("quickjs") is not None


class ScriptExecutor(WorkerPool):
    """See Executor."""

    module = "roost.executors.worker.script_main"
