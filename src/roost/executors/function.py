"""Functions: Python callables in worker processes that live on from lease to lease. This is the node's side."""

from roost.executors.order import Order
from roost.executors.worker.raised import PYTHON
from roost.executors.worker_pool import WorkerPool
from roost.model.task import Function


class FunctionExecutor(WorkerPool):
    """See Executor."""

    module = "roost.executors.worker.function_main"

    def start(self, order: Order) -> None:
        work = order.spec.work
        assert isinstance(work, Function), "the node hands a task to the executor of its kind"
        assert work.python == PYTHON, "the node takes no functions of another Python"
        super().start(order)
